// The lab `overhead`: what its fit and its doubling test say of devices whose overhead and
// bandwidth are known.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "engine/labs/parts/overhead_fit.hpp"
#include "engine/session/session_file.hpp"
#include "engine/verdict/quotient.hpp"
#include "tests/engine/made_results.hpp"

using namespace engine;
using test::Made;

namespace {

/// A device that takes `overhead + bytes / bandwidth`, with and without noise.
struct Device {
  double overhead, bandwidth, noise;

  double seconds(double bytes) const { return overhead + bytes / bandwidth; }
};

class Dice {
 public:
  explicit Dice(unsigned seed) : random_(seed) {}

  Device device() { return {between(50e-9, 50e-6), between(5e9, 5e12), between(0.001, 0.03)}; }
  /// The median of a point as noisy samples have it, with its 95 % interval.
  Interval measured(const Device& device, double bytes) {
    const double truth = device.seconds(bytes), deviation = device.noise * truth;
    const double seen = truth + deviation * std::normal_distribution<double>()(random_);
    return {seen, seen - 1.96 * deviation, seen + 1.96 * deviation};
  }

 private:
  /// Even over the logarithm.
  double between(double low, double high) {
    return low * std::pow(high / low, std::uniform_real_distribution<double>()(random_));
  }

  std::mt19937 random_;
};

std::vector<TimedBytes> sweep_of(Dice& dice, const Device& device) {
  std::vector<TimedBytes> points;
  for (double bytes = 8; bytes < 3e9; bytes *= 2)
    points.push_back({bytes, dice.measured(device, bytes)});
  return points;
}

bool holds(const Interval& interval, double truth) {
  return *interval.low <= truth && truth <= *interval.high;
}

constexpr int devices = 1000;

/// How many intervals hold the truth.
struct Held {
  int overhead = 0, bandwidth = 0;

  void count(const OverheadFit& fit, const Device& device) {
    overhead += holds(fit.overhead, device.overhead);
    bandwidth += holds(fit.bandwidth, device.bandwidth);
  }
  void check() const {
    MESSAGE("intervals that hold the truth: overhead ", overhead, ", bandwidth ", bandwidth, " of ",
            devices);
    CHECK(overhead >= 0.93 * devices);
    CHECK(bandwidth >= 0.93 * devices);
  }
};

LabVerdict verdict_of(const test::Seconds& seconds) { return Made("overhead", seconds).verdict(); }

}  // namespace

TEST_CASE("overhead: the fit finds what the points were made of, and its intervals hold it") {
  Dice dice(31);
  Held held;
  for (int i = 0; i < devices; ++i) {
    Device device = dice.device();
    const auto noisy = fit_overhead(sweep_of(dice, device));
    REQUIRE(noisy);
    CHECK(noisy->overhead.median == doctest::Approx(device.overhead).epsilon(0.05));
    CHECK(noisy->bandwidth.median == doctest::Approx(device.bandwidth).epsilon(0.05));
    held.count(*noisy, device);
    device.noise = 0;
    const auto exact = fit_overhead(sweep_of(dice, device));
    REQUIRE(exact);
    CHECK(exact->overhead.median == doctest::Approx(device.overhead).epsilon(0.01));
    CHECK(exact->bandwidth.median == doctest::Approx(device.bandwidth).epsilon(0.01));
  }
  held.check();
}

TEST_CASE("overhead: points that lie farther off than their intervals say widen those of the fit") {
  Dice dice(33);
  Held held;
  for (int i = 0; i < devices; ++i) {
    Device device = dice.device();
    device.noise = 0.02;
    std::vector<TimedBytes> points = sweep_of(dice, device);
    for (TimedBytes& point : points) {
      point.seconds.low = 0.995 * point.seconds.median;
      point.seconds.high = 1.005 * point.seconds.median;
    }
    const auto fit = fit_overhead(points);
    REQUIRE(fit);
    held.count(*fit, device);
  }
  held.check();
}

TEST_CASE("overhead: the doubling test calls the regime of 1,000 random devices") {
  Dice dice(32);
  int called = 0, right = 0, all = 0;
  for (int i = 0; i < 1000; ++i) {
    const Device device = dice.device();
    for (double bytes = 8; bytes < 1.5e9; bytes *= 2) {
      const double share = bytes / device.bandwidth / device.seconds(bytes);
      if (std::abs(share - 0.5) < 0.05) continue;  // a tie
      const Doubling says =
          doubling_test(quotient(dice.measured(device, 2 * bytes), dice.measured(device, bytes)));
      ++all;
      if (says == Doubling::undecided) continue;
      ++called;
      right += (says == Doubling::memory) == (share > 0.5);
    }
  }
  MESSAGE("called ", called, " of ", all, ", right ", right);
  CHECK(right >= 0.99 * called);
  CHECK(called >= 0.95 * all);
}

TEST_CASE("overhead: a fit needs three points, an overhead and a bandwidth") {
  const auto at = [](double bytes, double seconds) {
    return TimedBytes{bytes, {seconds, 0.99 * seconds, 1.01 * seconds}};
  };
  CHECK_FALSE(fit_overhead(std::array{at(8, 1e-6), at(16, 1e-6)}));
  CHECK_FALSE(fit_overhead(std::array{at(8, 1e-6), at(8, 1e-6), at(8, 1e-6)}));
  CHECK_FALSE(fit_overhead(std::array{at(8, 1e-6), at(16, 1e-6), at(1e9, 1e-6)}));
}

TEST_CASE("overhead: its verdict holds with an overhead, differs without, and says what lacks") {
  const LabVerdict verdict =
      verdict_of([](const Point& point) { return 1e-5 + point.work.bytes / 1e10; });
  CHECK(verdict.says == Says::holds);
  REQUIRE(verdict.rows.size() == 5);
  CHECK(verdict.rows[0].what == "overhead of one op on all threads");
  CHECK(verdict.rows[0].here->median == doctest::Approx(1e-5).epsilon(0.01));
  CHECK(verdict.rows[1].here->median == doctest::Approx(1e10).epsilon(0.01));
  CHECK(verdict.rows[2].here->median == doctest::Approx(1e5 / 8).epsilon(0.02));
  CHECK(verdict.rows[4].here->median == 8192);  // of 16,384 more than half is memory
  CHECK(
      verdict.headline.starts_with("Up to 12.5 k elements most of the time is overhead, 10.0 µs "
                                   "for each launch; up to 2048, twice"));
  CHECK(verdict_of([](const Point& point) { return point.work.bytes / 1e10; }).says ==
        Says::differs);
  CHECK(verdict_of([](const Point&) { return 1e-5; }).says == Says::cannot_say);
  const LabVerdict with_gap = verdict_of([](const Point& point) {
    return point.what.elements == 1 << 13 ? 0 : 1e-5 + point.work.bytes / 1e10;
  });
  CHECK(with_gap.rows[4].here->median == 2048);  // 4096 has no double, nor is 16,384 one of it
}

TEST_CASE("overhead: a fast cache between both ends does not bend the line") {
  const LabVerdict verdict = verdict_of([](const Point& point) {
    const bool cached = kernels::footprint_of(point.what) <= 1 << 20;
    return 1e-6 + point.work.bytes / (cached ? 2e11 : 1e10);
  });
  CHECK(verdict.rows[0].here->median == doctest::Approx(1e-6).epsilon(0.01));
  CHECK(verdict.rows[1].here->median == doctest::Approx(1e10).epsilon(0.01));
}

TEST_CASE("overhead: zones, the line of the fit, and the cost of twice the data are drawn") {
  const Made made("overhead", [](const Point& point) { return 1e-5 + point.work.bytes / 1e10; });
  const Lab& lab = *find_lab("overhead");
  const std::vector<Chart> charts = charts_of(lab, results_of("overhead", made.session));
  REQUIRE(charts.size() == 3);
  REQUIRE(charts[0].zones.size() == 2);
  CHECK(charts[0].zones[0].regime == Regime::overhead);
  CHECK(charts[0].zones[0].to == doctest::Approx(12500).epsilon(0.02));
  CHECK(charts[0].curves.size() == 1);
  CHECK(charts[1].id == "overhead-doubling");
  CHECK(find_chart("doubling") == find_chart("overhead"));  // as it was called before
  CHECK(find_chart("doubling-bandwidth")->id == "overhead-bandwidth");
  std::vector<const Point*> points;
  for (const Point& point : made.session.points) points.push_back(&point);
  const auto twice = [&](std::size_t i) { return charts[1].y({*points[i], made.session, points}); };
  CHECK_FALSE(twice(points.size() - 1));
  CHECK(twice(0)->median == doctest::Approx(1).epsilon(0.01));
  CHECK(twice(points.size() - 2)->median == doctest::Approx(2).epsilon(0.01));
  // Half of the time grows with the data where its zone begins: at 12,500 elements.
  CHECK(twice(13)->median < 1.5);
  CHECK(twice(14)->median > 1.5);
}

TEST_CASE("the lab doubling is called overhead today, on the command line and in files") {
  CHECK(find_lab("doubling") == find_lab("overhead"));
  Spec spec;
  set_knob(spec, "lab", "doubling");
  CHECK(spec.lab == "overhead");
  Session session = Made("overhead", [](const Point&) { return 1e-5; }).session;
  for (Point& point : session.points) point.lab = "doubling";
  session.runs.front().spec.lab = "doubling";
  const Session read = from_json(to_json(session), "the file");
  CHECK(read.points.front().lab == "overhead");
  CHECK(read.runs.front().spec.lab == "overhead");
}
