// The roofs of two sessions side by side.
#include <doctest/doctest.h>

#include "engine/compare/told.hpp"
#include "tests/compare/compared.hpp"

using namespace engine;

namespace {

Roof wide_roof(std::string name, double rate, double reach = 0.001) {
  Roof roof = examples::roof(std::move(name), RoofKind::bandwidth, rate);
  roof.rate_low = rate * (1 - reach);
  roof.rate_high = rate * (1 + reach);
  return roof;
}

Session with_roofs(std::vector<Roof> roofs) {
  Session session = examples::session();
  session.roofs = std::move(roofs);
  return session;
}

}  // namespace

TEST_CASE("measured roofs of the same name are pairs, and their rates decide") {
  const Session a = with_roofs({wide_roof("DRAM copy", 100e9), wide_roof("L1", 1e12),
                                wide_roof("L2", 1e11), wide_roof("only A", 1)});
  const Session b = with_roofs({wide_roof("L1", 0.5e12), wide_roof("DRAM copy", 200e9),
                                wide_roof("L2", 1e11), wide_roof("only B", 1)});
  const std::vector<RoofPair> pairs = compare_roofs(a, b);
  REQUIRE(pairs.size() == 3);
  CHECK(pairs[0].name == "DRAM copy");
  CHECK(pairs[0].rate.median == doctest::Approx(2));
  CHECK(pairs[0].outcome == Outcome::faster);
  CHECK(pairs[1].outcome == Outcome::slower);
  CHECK(pairs[2].outcome == Outcome::equal);
  CHECK(summary_of(pairs) ==
        "B is faster at 1 of 3 roofs (2x), slower at 1 (2x as long) and equal within 3 % at 1.");
  CHECK(table_of(pairs)[1] == std::vector<std::string>{"DRAM copy", "100 GB/s", "200 GB/s",
                                                       "2.000 [1.996 to 2.004]", "faster"});
}

TEST_CASE("a roof that was disturbed, or has no interval, decides nothing") {
  Roof disturbed = wide_roof("DRAM copy", 200e9);
  disturbed.disturbed = true;
  const Session a = with_roofs({wide_roof("DRAM copy", 100e9), wide_roof("L1", 1e12)});
  const Session b = with_roofs({disturbed, examples::roof("L1", RoofKind::bandwidth, 2e12)});
  const std::vector<RoofPair> pairs = compare_roofs(a, b);
  CHECK(pairs.at(0).outcome == Outcome::undecided);
  CHECK(pairs.at(0).why == "B: disturbed");
  CHECK(pairs.at(1).why == "B: no interval");
  CHECK(summary_of(pairs) == "All 2 roofs are undecided.");
}

TEST_CASE("roofs from a datasheet and without a rate are no pairs") {
  Roof stated = wide_roof("DRAM copy", 100e9);
  stated.source = RoofSource::datasheet;
  const Session a = with_roofs({stated, wide_roof("L1", 0)});
  CHECK(compare_roofs(a, with_roofs({wide_roof("DRAM copy", 1), wide_roof("L1", 1)})).empty());
  CHECK(summary_of(std::vector<RoofPair>{}).empty());
}
