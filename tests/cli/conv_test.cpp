// The lab of convolutions from the command line to the session, with sizes that take moments.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "program.hpp"

using nlohmann::json;

TEST_CASE("the lab conv measures the first choice and every algorithm, verified") {
  const TemporaryFolder folder;
  const Ended ended = run({"sweep", "--device", "cpu", "--lab", "conv", "--images", "2",
                           "--channels", "3", "--filters", "7", "--image-size", "9", "--max-time", "20ms",
                           "-o", folder / "session.json"});
  CHECK_MESSAGE(ended.code == 0, ended.err);
  CHECK(ended.out.find("first choice over best") != std::string::npos);
  const json points = json::parse(read_file(folder / "session.json")).at("points");
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

TEST_CASE("a convolution that would take hours is not measured, and says why") {
  const Ended ended = run({"sweep", "--device", "cpu", "--lab", "conv", "--images", "4096",
                           "--image-size", "4096", "--max-time", "20ms", "--time", "5s"});
  CHECK(ended.code != 0);
  CHECK(ended.err.find("more than the time limit") != std::string::npos);
}
