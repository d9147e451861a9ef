#include "engine/labs/parts/overhead_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace engine {
namespace {

constexpr double of_normal = 1.96;  // standard deviations from the middle to the end of 95 %
// Of a runtime: clocks and timers are no better.
constexpr double least_deviation = 1e-4;

double deviation_of(const Interval& seconds) {
  return std::max(least_deviation * seconds.median,
                  (*seconds.high - *seconds.low) / (2 * of_normal));
}

/// How many deviations the end of 95 % lies from the middle where the deviation itself comes from
/// so many distances (Student's t).
double reach_of_t(std::size_t freedom) {
  constexpr std::array exact{12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23};
  if (freedom <= exact.size()) return exact[freedom - 1];
  return of_normal + 2.5 / static_cast<double>(freedom);  // within 0.5 %
}

/// Sums over points of weight, weight x, ...
struct Sums {
  double one = 0, x = 0, y = 0, xx = 0, xy = 0;
};

Interval around(double value, double reach) {
  return {value, std::max(0.0, value - reach), value + reach};
}

}  // namespace

std::optional<OverheadFit> fit_overhead(std::span<const TimedBytes> all) {
  std::vector<TimedBytes> points(all.begin(), all.end());
  std::erase_if(points, [](const TimedBytes& one) {
    return !one.seconds.low || !one.seconds.high;  // nobody knows how far it is off
  });
  if (points.size() < 3) return std::nullopt;
  const double most = std::ranges::max(points, {}, &TimedBytes::bytes).bytes;
  Sums sums;
  for (const TimedBytes& point : points) {
    const double weight = std::pow(deviation_of(point.seconds), -2);
    const double x = point.bytes / most, y = point.seconds.median;
    sums.one += weight;
    sums.x += weight * x;
    sums.y += weight * y;
    sums.xx += weight * x * x;
    sums.xy += weight * x * y;
  }
  const double determinant = sums.one * sums.xx - sums.x * sums.x;
  if (!(determinant > 0)) return std::nullopt;
  const double overhead = (sums.xx * sums.y - sums.x * sums.xy) / determinant;
  const double slope = (sums.one * sums.xy - sums.x * sums.y) / determinant;
  if (!(overhead > 0) || !(slope > 0)) return std::nullopt;
  double off = 0;  // squares of distances in deviations
  for (const TimedBytes& point : points) {
    const double line = overhead + slope * point.bytes / most;
    off += std::pow((point.seconds.median - line) / deviation_of(point.seconds), 2);
  }
  const std::size_t freedom = points.size() - 2;
  const double birge = std::sqrt(off / static_cast<double>(freedom));
  const double reach = birge > 1 ? birge * reach_of_t(freedom) : of_normal;
  const double of_overhead = reach * std::sqrt(sums.xx / determinant);
  const double of_slope = reach * std::sqrt(sums.one / determinant);
  const Interval seconds = around(slope, of_slope);
  Interval bandwidth{most / slope};
  if (*seconds.low > 0) {
    bandwidth.low = most / *seconds.high;
    bandwidth.high = most / *seconds.low;
  }
  return OverheadFit{around(overhead, of_overhead), bandwidth};
}

Doubling doubling_test(const Interval& times_as_long) {
  constexpr double half = 1.5;  // half of the time grows with the data
  const double low = times_as_long.low.value_or(times_as_long.median);
  const double high = times_as_long.high.value_or(times_as_long.median);
  if (high < half) return Doubling::overhead;
  return low > half ? Doubling::memory : Doubling::undecided;
}

}  // namespace engine
