// A device whose arithmetic or memory is slower by a known factor: the knee that a sweep sees, and
// the ridge of the roofs that it measures, must move by that factor.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "engine/verdict/knee.hpp"
#include "engine/verdict/predict.hpp"
#include "tests/engine/worker/sweeper_harness.hpp"

using engine::Point;
using engine::Roof;

namespace {

/// By how much each is slower than the plain fake.
struct Slowed {
  double arithmetic = 1;
  double memory = 1;
};

struct Seen {
  double before = 0, after = 0;  // repeats: the last level point and the first one that has risen
  double ridge = 0;              // FLOP/byte, of the measured roofs
};

/// Steps of at most a quarter, from far below to far above every knee of these tests.
const std::vector<std::uint64_t> fine_repeats{1,  2,  3,   4,   5,   6,   7,   8,  10, 12,
                                              14, 16, 20,  24,  28,  32,  40,  48, 56, 64,
                                              80, 96, 112, 128, 160, 192, 224, 256};

fake::Script script_of(Slowed slowed, int& runs) {
  fake::Script script;
  script.seconds = [slowed, &runs](const kernels::Case& what) {
    const kernels::Work work = kernels::work_of(what);
    const double seconds = std::max({work.bytes * slowed.memory / fake::bandwidth,
                                     work.flops * slowed.arithmetic / fake::peak,
                                     work.launches / fake::launches_per_second});
    constexpr double noise = 0.004;  // less than the noise goal
    return seconds * (1 + noise * (++runs % 5 - 2));
  };
  return script;
}

Seen sweep_on(Slowed slowed) {
  int runs = 0;
  fake::Harness harness(script_of(slowed, runs));
  engine::SweepRequest request = fake::Harness::large_request(fine_repeats);
  request.known_roofs.clear();
  harness.finish(harness.sweeper.start(std::move(request)));

  std::vector<Point> points = harness.points();
  std::erase_if(points, [](const Point& point) {
    return point.what.family != kernels::Family::chain || point.status != engine::Status::ok;
  });
  std::ranges::sort(points, {}, [](const Point& point) { return point.what.repeat; });
  REQUIRE(points.size() == fine_repeats.size());
  std::vector<const Point*> ascending;
  for (const Point& point : points) ascending.push_back(&point);
  const std::size_t last = engine::flat_part(ascending).last;
  REQUIRE(last + 1 < points.size());

  Roof memory, arithmetic;  // as they were reported last
  for (const auto& measured : harness.all<engine::RoofMeasured>()) {
    if (measured.roof.name == "DRAM copy") memory = measured.roof;
    if (measured.roof.name == "fp32 FMA") arithmetic = measured.roof;
  }
  return {static_cast<double>(points[last].what.repeat),
          static_cast<double>(points[last + 1].what.repeat),
          engine::ridge_point(&memory, &arithmetic)};
}

/// The knee moved by `factor`, as far as both brackets can tell.
void check_moved(const Seen& from, const Seen& to, double factor) {
  CHECK(to.before / from.after < factor);
  CHECK(to.after / from.before > factor);
  CHECK(to.ridge / from.ridge == doctest::Approx(factor).epsilon(0.01));
}

}  // namespace

TEST_CASE("arithmetic that is slower by a factor moves knee and ridge down by that factor") {
  const Seen plain = sweep_on({});
  CHECK(plain.ridge == doctest::Approx(fake::peak / fake::bandwidth).epsilon(0.01));
  CHECK(plain.after / plain.before <= 1.25);
  for (const double factor : {2.0, 3.0, 5.0}) {
    CAPTURE(factor);
    check_moved(plain, sweep_on({.arithmetic = factor}), 1 / factor);
  }
}

TEST_CASE("memory that is slower by a factor moves knee and ridge up by that factor") {
  const Seen plain = sweep_on({});
  for (const double factor : {2.0, 3.0, 5.0}) {
    CAPTURE(factor);
    check_moved(plain, sweep_on({.memory = factor}), factor);
  }
}

TEST_CASE("a device that is slower as a whole has the same knee and ridge") {
  check_moved(sweep_on({}), sweep_on({.arithmetic = 3, .memory = 3}), 1);
}
