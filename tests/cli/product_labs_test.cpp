// The labs of matrix products from the command line to the session, with sizes that take moments.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "program.hpp"

using nlohmann::json;

namespace {

/// The points of a lab's sweep; those of a library that is not here say so, all others are
/// measured.
json points_of(const std::vector<std::string>& lab) {
  const TemporaryFolder folder;
  std::vector<std::string> arguments{
      "sweep", "--device", "cpu", "--max-time", "200ms", "-o", folder / "session.json", "--lab"};
  arguments.insert(arguments.end(), lab.begin(), lab.end());
  const Ended ended = run(arguments);
  CHECK_MESSAGE(ended.code == 0, ended.err);
  CHECK(ended.out.find("Claim (") != std::string::npos);
  json points = json::parse(read_file(folder / "session.json")).at("points");
  for (const json& point : points) {
    CAPTURE(point.dump());
    const json& kernel = point.at("kernel");
    CHECK((kernel == "matmul" ||
           (lab[0] == "matmul" && (kernel == "rowwise" || kernel == "pointwise"))));
    if (point.at("status") == "ok") {
      CHECK(point.at("checked") == true);
    } else {
      CHECK(point.at("by") == "library");
      CHECK(point.at("why").get<std::string>().find("libdnnl2") != std::string::npos);
    }
  }
  return points;
}

}  // namespace

TEST_CASE("the lab matmul multiplies square matrices of the sizes that are asked for") {
  const json points = points_of({"matmul", "--sizes", "16,33,64", "--epilogue", "off"});
  REQUIRE(points.size() == 6);
  const json& first = points.front();
  CHECK(first.at("sizes") == json({{"m", 16}, {"n", 16}, {"k", 16}}));
  CHECK(first.at("flops") == 2 * 16 * 16 * 16);
  CHECK(first.at("bytes") == 4 * 3 * 16 * 16);
}

TEST_CASE("explain gives the verdict on the element type that was measured") {
  const TemporaryFolder folder;
  const std::string file = folder / "session.json";
  const Ended swept = run({"sweep", "--device", "cpu", "--lab", "matmul", "--dtype", "bf16",
                           "--sizes", "16,64,128", "--max-time", "200ms", "-o", file});
  CHECK_MESSAGE(swept.code == 0, swept.err);
  const Ended explained = run({"explain", file});
  CHECK_MESSAGE(explained.code == 0, explained.err);
  CHECK(explained.out.find("best share of its roofs") != std::string::npos);
}

TEST_CASE("operators that have no kernel in a type are named before anything is measured") {
  const Ended refused = run({"sweep", "--device", "cpu", "--lab", "bert", "--dtype", "bf16"});
  CHECK(refused.code == 2);
  CHECK(refused.err.find("--dtype bf16 --units vector: there are no kernels for") !=
        std::string::npos);
}

TEST_CASE("the lab matmul measures a bias and relu fused into the product and apart") {
  const json points = points_of({"matmul", "--sizes", "16,64"});
  REQUIRE(points.size() == 4 + 4);
  int fused = 0;
  for (const json& point : points) {
    if (point.value("sizes", json::object()).value("epilogue", 0) == 0) continue;
    ++fused;
    CHECK(point.at("flops") == 2 * 64 * 64 * 64 + 2 * 64 * 64);
    CHECK(point.at("bytes") == 4 * 3 * 64 * 64 + 4 * 64);
  }
  CHECK(fused == 2);
}

TEST_CASE("the lab mlp doubles the batch from 1 to four times the width") {
  const json points = points_of({"mlp", "--width", "32"});
  REQUIRE(points.size() == 2 * 8);  // by our kernel and by the library
  CHECK(points.front().at("sizes") == json({{"m", 1}, {"n", 32}, {"k", 32}}));
  CHECK(points.back().at("sizes") == json({{"m", 128}, {"n", 32}, {"k", 32}}));
}

TEST_CASE("the lab quantization measures up to each border of tiles and one more") {
  const json points = points_of({"quantization", "--tiles", "1,2", "--depth", "40"});
  const auto own = std::ranges::count_if(
      points, [](const json& point) { return !point.contains("by") || point.at("by") == "own"; });
  CHECK(own == 4);  // 64, 65, 96, 128
  CHECK(points.front().at("shape").dump().find("whole") != std::string::npos);
}

TEST_CASE("the lab bert measures every operator of a layer, forward and backward") {
  const TemporaryFolder folder;
  const Ended ended =
      run({"sweep", "--device", "cpu", "--max-time", "2s", "-o", folder / "session.json", "--lab",
           "bert", "--batch", "1", "--sequence", "64", "--pass", "both", "--fused", "on"});
  CHECK_MESSAGE(ended.code == 0, ended.err);
  CHECK(ended.out.find("of the runtime") != std::string::npos);
  int own = 0, batches = 0;
  const json session = json::parse(read_file(folder / "session.json"));
  for (const json& point : session.at("points")) {
    CAPTURE(point.dump());
    const bool library = point.value("by", "own") == "library";
    if (!library) ++own;
    if (point.at("kernel") == "matmul" && point.at("sizes").contains("batch")) ++batches;
    const bool here = point.at("status") == "ok";
    const std::string why = here ? "" : point.at("why").get<std::string>();
    const bool missing = why.find("SLEEF") != std::string::npos ||
                         (library && why.find("libdnnl2") != std::string::npos);
    CHECK((here ? point.at("checked") == true : missing));
  }
  CHECK(own == 12 + 12);  // contractions, all others
  CHECK(batches == 2 * 3);
}

TEST_CASE("sizes that no matrix has are refused with what is expected") {
  for (const std::vector<std::string>& lab : {std::vector<std::string>{"matmul", "--sizes", "0"},
                                              {"matmul", "--sizes", "99999999999999999999"},
                                              {"mlp", "--width", "-1"},
                                              {"quantization", "--tiles", "many"},
                                              {"bert", "--model", "huge"},
                                              {"bert", "--sequence", "100"},
                                              {"bert", "--batch", "99999999999999999999"},
                                              {"matmul", "--elements", "64"}}) {
    CAPTURE(lab[1]);
    std::vector<std::string> arguments{"sweep", "--device", "cpu", "--lab"};
    arguments.insert(arguments.end(), lab.begin(), lab.end());
    const Ended ended = run(arguments);
    CHECK(ended.code == 2);
    CHECK(ended.err.find(lab[1]) != std::string::npos);
  }
}
