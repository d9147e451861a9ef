// The lab of packed weights from the command line to the session, with a size that takes moments.
#include <doctest/doctest.h>

#include <array>
#include <nlohmann/json.hpp>

#include "program.hpp"

using nlohmann::json;

TEST_CASE("the lab decode measures every width and batch, verified") {
  const TemporaryFolder folder;
  const Ended ended =
      run({"sweep", "--device", "cpu", "--lab", "decode", "--batches", "1,4", "--bits", "4,16",
           "--packed-mebibytes", "1", "--max-time", "100ms", "-o", folder / "session.json"});
  CHECK_MESSAGE(ended.code == 0, ended.err);
  CHECK(ended.out.find("4 bits, batch 1: tokens/s of bf16") != std::string::npos);
  const json points = json::parse(read_file(folder / "session.json")).at("points");
  REQUIRE(points.size() == 4);
  for (const json& point : points) {
    CAPTURE(point.dump());
    CHECK(point.at("status") == "ok");
    CHECK(point.at("checked") == true);
    const json& sizes = point.at("sizes");
    CHECK(point.at("elements") == 8 * (1 << 20) / sizes.at("bits").get<int>());
    CHECK(point.at("flops") ==
          2 * point.at("elements").get<double>() * sizes.at("batch").get<double>());
  }
}

TEST_CASE("the lab decode refuses a width and a batch that there is no kernel for") {
  for (const auto& [knob, value] :
       {std::array{"--bits", "5"}, std::array{"--bits", "32"}, std::array{"--batches", "3"}}) {
    const Ended ended = run({"sweep", "--lab", "decode", knob, value});
    CHECK(ended.code == 2);
    CHECK(ended.err.find(knob) != std::string::npos);
  }
}
