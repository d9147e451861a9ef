// The lab of convolutions from the command line to the session, with sizes that take moments.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "program.hpp"

using nlohmann::json;

namespace {

/// What the lab measured, and what it said.
struct Swept {
  json ours = json::array(), theirs = json::array();
  std::string out;
};
Swept sweep(const std::vector<std::string>& sizes) {
  const TemporaryFolder folder;
  std::vector<std::string> arguments{"sweep", "--device", "cpu",
                                     "--lab", "conv",     "--max-time",
                                     "200ms", "-o",       folder / "session.json"};
  arguments.insert(arguments.end(), sizes.begin(), sizes.end());
  const Ended ended = run(arguments);
  CHECK_MESSAGE(ended.code == 0, ended.err);
  Swept swept{.out = ended.out};
  const json session = json::parse(read_file(folder / "session.json"));
  for (const json& point : session.at("points"))
    (point.value("by", "own") == "library" ? swept.theirs : swept.ours).push_back(point);
  return swept;
}

/// What oneDNN offers for convolutions here, and why nothing.
json row_of_library() {
  const json devices = json::parse(run({"devices", "--json"}).out).at("devices");
  for (const json& row : devices.back().at("kernels"))
    if (row.at("kernel") == "conv" && row.at("by") == "library" && row.at("dtype") == "fp32")
      return row;
  return {};
}

/// Verified, or not offered for sizes so small.
void check_library(const json& points) {
  for (const json& point : points) {
    CAPTURE(point.dump());
    if (point.at("status") == "ok") {
      CHECK(point.at("checked") == true);
      CHECK(point.at("note").get<std::string>().starts_with("oneDNN 2"));
    } else {
      CHECK(point.at("why").get<std::string>().find("of this size") != std::string::npos);
    }
  }
}

}  // namespace

TEST_CASE("the lab conv measures the first choice and every algorithm, verified") {
  const auto [points, theirs, out] =
      sweep({"--images", "2", "--channels", "3", "--filters", "7", "--image-size", "9"});
  CHECK(out.find("first choice over best") != std::string::npos);
  REQUIRE(points.size() == 11);
  for (const json& point : points) {
    CAPTURE(point.dump());
    CHECK(point.at("status") == "ok");
    CHECK(point.at("checked") == true);
    CHECK(point.at("sizes") ==
          json({{"images", 2}, {"channels", 3}, {"filters", 7}, {"image-size", 9}}));
    CHECK(point.at("flops") == 2 * 2 * 7 * 9 * 9 * 9 * 3);
  }
  CHECK(points.front().at("label") == "first choice");
  CHECK(points.back().at("shape").dump().find("im2col") != std::string::npos);
  check_library(theirs);
}

TEST_CASE("the lab conv measures the library's first choice and all that it offers, verified") {
  const json row = row_of_library();
  REQUIRE(row.is_object());
  const auto [ours, points, out] =
      sweep({"--images", "2", "--channels", "32", "--filters", "32", "--image-size", "24"});
  CHECK(ours.size() == 11);
  if (!row.at("runs").get<bool>()) {
    CHECK(points.empty());
    MESSAGE("skipped: " << row.at("why_not").get<std::string>());
    return;
  }
  REQUIRE(points.size() == 1 + row.at("algorithms").size());
  CHECK(points.front().at("label") == "oneDNN's first choice");
  CHECK(points.front().at("status") == "ok");
  check_library(points);
  const auto measured =
      std::ranges::count_if(points, [](const json& point) { return point.at("status") == "ok"; });
  if (measured < 3) return;
  for (const char* words : {"oneDNN's first choice over best", "our first choice over best",
                            "time of our best over that of oneDNN's"})
    CHECK_MESSAGE(out.find(words) != std::string::npos, out);
}

TEST_CASE("the lab conv refuses sizes that no convolution has") {
  for (const char* knob : {"--images", "--channels", "--filters", "--image-size"}) {
    for (const char* value : {"0", "4097", "99999999999999999999", "-1", "many"}) {
      CAPTURE(std::string(knob) + " " + value);
      const Ended ended = run({"sweep", "--lab", "conv", knob, value});
      CHECK(ended.code == 2);
      CHECK(ended.err.find(knob) != std::string::npos);
    }
  }
}

TEST_CASE("a convolution that takes longer than its time limit is not measured, and says why") {
  const Ended ended =
      run({"sweep", "--device", "cpu", "--lab", "conv", "--images", "4", "--channels", "512",
           "--filters", "512", "--image-size", "256", "--max-time", "20ms", "--time", "5s"});
  CHECK(ended.code != 0);
  CHECK(ended.err.find("more than the time limit") != std::string::npos);
}

TEST_CASE("a convolution that memory does not hold is refused by the size that was chosen") {
  const Ended ended = run(
      {"sweep", "--device", "cpu", "--lab", "conv", "--images", "4096", "--image-size", "4096"});
  CHECK(ended.code == 2);
  CHECK(ended.err.find("--images 4096: ") != std::string::npos);
  CHECK(ended.err.find(" are free") != std::string::npos);
}
