// A smaller version of the table that coverage_bench prints.
#include "tests/engine/coverage.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace {

// Sanitizers look at the code and not at the statistics: a fifth of the cases is enough for them.
#if defined(RIDGEPOINT_ASAN) || defined(RIDGEPOINT_TSAN)
constexpr int of_cases = 5;
#else
constexpr int of_cases = 1;
#endif

/// Three standard deviations of a count of so many cases below 95 %.
double least_share(int cases) { return 0.95 - 3 * std::sqrt(0.95 * 0.05 / cases); }

/// Runs that fit a few times only have no interval.
void check_sweeps(coverage::Counted count(const coverage::Setting&, int)) {
  constexpr int cases = 60 / of_cases;
  for (const coverage::Setting& setting : coverage::settings()) {
    CAPTURE(setting.name);
    const coverage::Counted counted = count(setting, cases);
    const bool long_runs = setting.run >= 0.2;
    CHECK((counted.without_interval == cases) == long_runs);
    if (!long_runs) CHECK(counted.share() >= least_share(cases));
  }
}

}  // namespace

TEST_CASE("95 % intervals hold the truth on machines whose noise is known") {
  constexpr int cases = 300 / of_cases;
  for (const coverage::Setting& setting : coverage::settings()) {
    CAPTURE(setting.name);
    CHECK(coverage::count(setting, cases).share() >= least_share(cases));
  }
}

TEST_CASE("how many times as long one point takes as another lies inside its interval") {
  check_sweeps(coverage::count_quotients);
}

TEST_CASE("the knee lies inside its interval on machines whose noise is known") {
  check_sweeps(coverage::count_knees);
}
