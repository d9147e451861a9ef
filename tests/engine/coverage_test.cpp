#include "tests/engine/coverage.hpp"

#include <doctest/doctest.h>

// A smaller version of the table that coverage_bench prints.
TEST_CASE("95 % intervals hold the truth on machines whose noise is known") {
  constexpr int cases = 300;
  // Three standard deviations of a count below 95 %.
  constexpr double least = 0.95 - 3 * 0.0126;
  for (const coverage::Setting& setting : coverage::settings()) {
    CAPTURE(setting.name);
    CHECK(coverage::count(setting, cases).share() >= least);
  }
}

// Three standard deviations of a count of 60 below 95 %. Runs that fit a few times only have no
// interval.
static void check_sweeps(coverage::Counted count(const coverage::Setting&, int)) {
  constexpr int cases = 60;
  constexpr double least = 0.95 - 3 * 0.0281;
  for (const coverage::Setting& setting : coverage::settings()) {
    CAPTURE(setting.name);
    const coverage::Counted counted = count(setting, cases);
    const bool long_runs = setting.run >= 0.2;
    CHECK((counted.without_interval == cases) == long_runs);
    if (!long_runs) CHECK(counted.share() >= least);
  }
}

TEST_CASE("how many times as long one point takes as another lies inside its interval") {
  check_sweeps(coverage::count_quotients);
}

TEST_CASE("the knee lies inside its interval on machines whose noise is known") {
  check_sweeps(coverage::count_knees);
}
