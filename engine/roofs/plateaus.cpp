// What a curve of bandwidth against working set says of each memory level.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "engine/measure/statistics.hpp"
#include "engine/roofs/levels.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

// Well inside a level: its replacement keeps no full capacity for one tensor, other data lives
// there.
constexpr double inside = 0.75;
// Well beyond a level: of a working set of twice its size, walked in order, nothing is left in it.
constexpr double beyond = 2;
// More than half of a GPU's L2 is not there twice (roof_set_of).
constexpr double one_copy = 0.5;
constexpr double alike = 0.88;    // on a plateau rates differ by less than 12 %
constexpr double clearly = 1.15;  // above the next plateau by more than a curve's noise

std::vector<CurvePoint> points_of(const std::vector<CurvePoint>& curve, bool past_l1) {
  std::vector<CurvePoint> points;
  std::ranges::copy_if(curve, std::back_inserter(points),
                       [&](const CurvePoint& point) { return point.past_l1 == past_l1; });
  return points;
}

double median_rate(std::span<const CurvePoint> points) {
  std::vector<double> rates;
  for (const CurvePoint& point : points) rates.push_back(point.rate);
  return rates.empty() ? 0 : median_of(rates);
}

std::span<const CurvePoint> between(std::span<const CurvePoint> curve, double above, double upto) {
  const auto first = std::ranges::find_if(curve, [&](auto& point) { return point.bytes >= above; });
  const auto end =
      std::ranges::find_if(first, curve.end(), [&](auto& point) { return point.bytes > upto; });
  return {first, end};
}

/// The longest stretch of neighbours whose rates are alike; of two as long the faster.
std::span<const CurvePoint> flattest(std::span<const CurvePoint> points) {
  std::span<const CurvePoint> best;
  for (std::size_t first = 0; first < points.size(); ++first) {
    double low = points[first].rate;
    double high = low;
    for (std::size_t last = first; last < points.size(); ++last) {
      low = std::min(low, points[last].rate);
      high = std::max(high, points[last].rate);
      if (low < alike * high) break;
      const auto stretch = points.subspan(first, last - first + 1);
      const bool faster = median_rate(stretch) > median_rate(best);
      if (stretch.size() > best.size() || (stretch.size() == best.size() && faster)) best = stretch;
    }
  }
  return best;
}

Plateau plateau_of(std::span<const CurvePoint> fitting, const CacheLevel& level, double outside) {
  Plateau plateau{.level = level.name};
  const auto flat = flattest(fitting);
  const double rate = median_rate(flat);
  if (fitting.empty()) {
    plateau.why = "no working set fits it without also fitting the level inside it";
  } else if (flat.size() < 2 && fitting.size() > 1) {
    plateau.why = "the bandwidth falls steadily, without a plateau";
  } else if (rate < clearly * outside) {
    plateau.why =
        fmt::format("it is no faster than the next level ({})", units::bytes_per_second(outside));
  } else {
    plateau.bytes = flat[flat.size() / 2].bytes;
    plateau.rate = rate;
  }
  return plateau;
}

}  // namespace

std::vector<Plateau> plateaus_of(const std::vector<CurvePoint>& curve,
                                 const std::vector<CacheLevel>& levels) {
  std::vector<Plateau> plateaus;
  if (levels.empty())
    return {{.level = "cache", .why = "the system does not report the cache sizes"}};
  if (curve.empty()) return plateaus;
  const std::vector<CurvePoint> ordinary = points_of(curve, false),
                                past_l1 = points_of(curve, true);
  const double largest = std::ranges::max(levels, {}, &CacheLevel::bytes).bytes;
  // From the outside in, because each has to stand out from what lies outside it.
  const double most = ordinary.empty() ? 0 : ordinary.back().bytes;
  double outside = median_rate(between(ordinary, beyond * largest, most));
  for (std::size_t i = levels.size(); i-- > 0;) {
    const bool own_reads = levels[i].name == "L2" && !past_l1.empty();
    const double inner = i == 0 ? 0 : beyond * levels[i - 1].bytes;
    const double least = own_reads ? one_copy * levels[i].bytes : inner;
    const auto fitting = between(own_reads ? past_l1 : ordinary, least, inside * levels[i].bytes);
    plateaus.insert(plateaus.begin(), plateau_of(fitting, levels[i], outside));
    outside = std::max(outside, plateaus.front().rate);
  }
  return plateaus;
}

}  // namespace engine
