// Others on the same cores: known by the additions that they leave us.
#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <vector>

#include "kernels/cpu/machine/processor.hpp"
#include "kernels/cpu/machine/topology.hpp"
#include "kernels/cpu/threads/contention.hpp"

using kernels::cpu::Contention;
using kernels::cpu::ContentionProbe;
using kernels::cpu::CorePace;
using kernels::cpu::Pool;

TEST_CASE("a core that does far fewer additions in a clock than before is not alone") {
  CorePace pace;
  for (int i = 0; i < 100; ++i) CHECK(pace.alone_at(3.65 + 0.02 * (i % 3)));
  CHECK_FALSE(pace.alone_at(2.3));
  CHECK_FALSE(pace.alone_at(3.0));
  CHECK(pace.alone_at(3.6));
}

TEST_CASE("a core that began with SMT contention learns its pace alone once that ends") {
  CorePace pace;
  for (int i = 0; i < 200; ++i) pace.alone_at(2.3);
  for (int i = 0; i < 400; ++i) CHECK(pace.alone_at(3.67));
  CHECK_FALSE(pace.alone_at(2.3));
}

TEST_CASE("a few looks that are too high do not make a core alone look contended") {
  CorePace pace;
  for (int i = 0; i < 100'000; ++i) pace.alone_at(i % 1000 == 0 ? 4.6 : 3.65);
  CHECK(pace.alone_at(3.65));
}

TEST_CASE("a long visit does not make a contended core look alone") {
  CorePace pace;
  for (int i = 0; i < 1000; ++i) pace.alone_at(3.65);
  for (int i = 0; i < 100'000; ++i) CHECK_FALSE(pace.alone_at(2.3));
}

TEST_CASE(
    "the worst placed core decides: fewer additions are light contention, fewer products heavy") {
  const std::vector<int> processors = kernels::cpu::allowed_processors();
  Pool pool({processors.front(), processors.back()});
  const Pool::PinnedCaller pinned(pool);
  for (const Contention expected : {Contention::light, Contention::heavy}) {
    std::atomic<int> looks = 0;
    // Two threads look at a time: from the 200th look on one of the two has contention.
    ContentionProbe probe(2, [&]() -> kernels::cpu::OpsPerClock {
      if (++looks <= 200 || looks % 2 != 0) return {4, 2};
      return {2, expected == Contention::heavy ? 1.0 : 2.0};
    });
    for (int i = 0; i < 100; ++i) CHECK(probe.look(pool) == Contention::none);
    CHECK(probe.look(pool) == expected);
  }
}

TEST_CASE("what a core does in a clock is a number") {
  const kernels::cpu::OpsPerClock now = kernels::cpu::ops_per_clock();
  for (const double rate : {now.adds, now.products}) {
    CHECK(std::isfinite(rate));
    CHECK(rate > 0);
  }
}
