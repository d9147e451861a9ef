// The lab of packed weights from the command line to the session, with a size that takes moments.
#include <doctest/doctest.h>

#include <array>
#include <nlohmann/json.hpp>

#include "lab_sweep.hpp"

using nlohmann::json;

TEST_CASE("the lab decode measures every width and batch, verified") {
  const json session =
      swept("decode", {"--batches", "1,4", "--bits", "4,16", "--packed-mebibytes", "1"},
            "4 bits, batch 1: tokens/s of bf16");
  for (const json& point : verified_points(session, 4)) {
    CAPTURE(point.dump());
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
