// Where the knee is on a device that drifts while it is measured: within the interval that is said,
// or not called.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "engine/verdict/knee.hpp"
#include "tests/engine/worker/sweeper_harness.hpp"

using engine::Interval;
using engine::Point;
using kernels::Case;

namespace {

// Sanitizers look at the code and not at the statistics: a fifth is enough for them.
#if defined(RIDGEPOINT_ASAN) || defined(RIDGEPOINT_TSAN)
constexpr int drifts = 300 / 5;
#else
constexpr int drifts = 300;
#endif

constexpr double true_knee = 18.8;  // ops per element

/// A device whose pace wanders, slower and faster by up to a half, while all that runs takes as
/// long in relation.
class Wanderer {
 public:
  explicit Wanderer(std::uint64_t seed)
      : random_(seed),
        amplitude_(uniform(0, 0.5)),
        period_(std::exp(uniform(std::log(0.3), std::log(60)))),
        phase_(uniform(0, 2 * std::numbers::pi)),
        slope_(uniform(-0.01, 0.01)),
        noise_(uniform(0.001, 0.02)) {}

  double seconds(const Case& what, double now) {
    const kernels::Work work = kernels::work_of(what);
    constexpr double peak = fake::bandwidth * true_knee / 4;  // 2 FLOP of an op, 8 byte an element
    const double ideal = std::max({work.bytes / fake::bandwidth, work.flops / peak,
                                   work.launches / fake::launches_per_second});
    const double pace = amplitude_ * std::sin(2 * std::numbers::pi * now / period_ + phase_) +
                        std::clamp(slope_ * now, -0.5, 0.5);
    return ideal * std::exp(pace + noise_ * std::normal_distribution<double>()(random_));
  }

 private:
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  std::mt19937_64 random_;
  double amplitude_, period_, phase_, slope_, noise_;
};

std::vector<Point> swept_while_it_drifts(std::uint64_t seed,
                                         const std::vector<std::uint64_t>& repeats) {
  Wanderer device(seed);
  const fake::Clock* clock = nullptr;
  fake::Script script;
  script.seconds = [&](const Case& what) { return device.seconds(what, clock->now() - 1000); };
  fake::Harness h(std::move(script));
  clock = &h.clock;
  engine::SweepRequest request = fake::Harness::large_request(repeats);
  request.known_roofs.clear();
  h.finish(h.sweeper.start(std::move(request)));
  std::vector<Point> points = h.points();
  std::erase_if(points, [](const Point& point) {
    return point.what.family != kernels::Family::chain || point.status != engine::Status::ok;
  });
  std::ranges::sort(points, {}, [](const Point& point) { return point.what.repeat; });
  return points;
}

std::optional<Interval> called_knee(const std::vector<Point>& points) {
  std::vector<const Point*> series;
  for (const Point& point : points) series.push_back(&point);
  const std::optional<Interval> knee = engine::knee_of(series);
  return knee && engine::is_called(*knee) ? knee : std::nullopt;
}

}  // namespace

TEST_CASE("on 300 drifts the knee that is called lies within its interval in 93 of 100") {
  int called = 0, held = 0;
  double width = 0, farthest = 1;
  for (std::uint64_t seed = 1; seed <= drifts; ++seed) {
    CAPTURE(seed);
    const auto points = swept_while_it_drifts(seed, {1, 2, 4, 8, 16, 32, 64, 128, 256});
    REQUIRE(points.size() == 9);
    const std::optional<Interval> knee = called_knee(points);
    if (!knee || !knee->low || !knee->high) continue;
    ++called;
    held += *knee->low <= true_knee && true_knee <= *knee->high ? 1 : 0;
    width += std::log(*knee->high / *knee->low);
    farthest = std::max({farthest, knee->median / true_knee, true_knee / knee->median});
  }
  MESSAGE(fmt::format("{} called, {} held, {:.3f} wide, at most {:.3f} times off", called, held,
                      width / called, farthest));
  CHECK(called >= 0.9 * drifts);
  CHECK(held >= 0.93 * called);
  CHECK(farthest < 1.1);
}

TEST_CASE("a knee beyond the repeats that were measured is not called") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    CHECK_FALSE(called_knee(swept_while_it_drifts(seed, {1, 2, 4, 8})).has_value());
    CHECK_FALSE(called_knee(swept_while_it_drifts(seed, {64, 128, 256, 512})).has_value());
  }
}

TEST_CASE("a knee whose interval is wider than a factor of two is not called") {
  CHECK(engine::is_called({20, 15, 30}));
  CHECK_FALSE(engine::is_called({20, 11, 64}));
  CHECK(engine::is_called({20}));  // of few samples, without an interval
}
