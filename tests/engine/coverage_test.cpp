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
