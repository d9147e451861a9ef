// Others on the same cores: known by the additions that they leave us.
#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <vector>

#include "kernels/cpu/enlisted.hpp"
#include "kernels/cpu/neighbours.hpp"
#include "kernels/cpu/processor.hpp"
#include "kernels/cpu/topology.hpp"

using kernels::cpu::Company;
using kernels::cpu::CorePace;
using kernels::cpu::Neighbours;
using kernels::cpu::Pool;

TEST_CASE("a core that does far fewer additions in a clock than before is not alone") {
  CorePace pace;
  for (int i = 0; i < 100; ++i) CHECK(pace.alone_at(3.65 + 0.02 * (i % 3)));
  CHECK_FALSE(pace.alone_at(2.3));
  CHECK_FALSE(pace.alone_at(3.0));
  CHECK(pace.alone_at(3.6));
}

TEST_CASE("a core that began with a neighbour learns its pace alone once the neighbour has left") {
  CorePace pace;
  for (int i = 0; i < 200; ++i) pace.alone_at(2.3);
  for (int i = 0; i < 400; ++i) CHECK(pace.alone_at(3.67));
  CHECK_FALSE(pace.alone_at(2.3));
}

TEST_CASE("a few looks that are too high do not make a core alone look crowded") {
  CorePace pace;
  for (int i = 0; i < 100'000; ++i) pace.alone_at(i % 1000 == 0 ? 4.6 : 3.65);
  CHECK(pace.alone_at(3.65));
}

TEST_CASE("a long visit does not make a crowded core look alone") {
  CorePace pace;
  for (int i = 0; i < 1000; ++i) pace.alone_at(3.65);
  for (int i = 0; i < 100'000; ++i) CHECK_FALSE(pace.alone_at(2.3));
}

TEST_CASE(
    "the worst placed core decides: fewer additions are light company, fewer products heavy") {
  const std::vector<int> processors = kernels::cpu::allowed_processors();
  Pool pool({processors.front(), processors.back()});
  const Pool::Enlisted enlisted(pool);
  for (const Company expected : {Company::light, Company::heavy}) {
    std::atomic<int> looks = 0;
    // Two threads look at a time: from the 200th look on one of the two has company.
    Neighbours neighbours(2, [&]() -> kernels::cpu::OpsPerClock {
      if (++looks <= 200 || looks % 2 != 0) return {4, 2};
      return {2, expected == Company::heavy ? 1.0 : 2.0};
    });
    for (int i = 0; i < 100; ++i) CHECK(neighbours.look(pool) == Company::none);
    CHECK(neighbours.look(pool) == expected);
  }
}

TEST_CASE("what a core does in a clock is a number") {
  const kernels::cpu::OpsPerClock now = kernels::cpu::ops_per_clock();
  for (const double rate : {now.adds, now.products}) {
    CHECK(std::isfinite(rate));
    CHECK(rate > 0);
  }
}
