#include "engine/roofs/levels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <span>

#include "engine/measure/statistics.hpp"
#include "kernels/families/family.hpp"
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

std::vector<CacheLevel> cache_levels(const kernels::DeviceInfo& device) {
  const int cores = std::max(device.multiprocessors, 1);
  const bool cpu = device.kind == "cpu";
  std::vector<CacheLevel> levels;
  const auto add = [&](const char* name, double bytes_of_one, int parts) {
    const double bytes = bytes_of_one * parts;
    // An outer level that is no larger than the one before it has nothing of its own to show, but
    // for the L2 of a GPU, which can be read past the L1s.
    if (bytes > 0 && (!cpu || levels.empty() || bytes > levels.back().bytes))
      levels.push_back({name, bytes, parts});
  };
  add("L1", device.l1_bytes, cores);
  add("L2", device.l2_bytes, cpu ? cores : 1);
  add("L3", device.l3_bytes, 1);
  return levels;
}

std::optional<CacheLevel> level_of(const kernels::DeviceInfo& device, const kernels::Case& what) {
  // Nobody told what it touches; what is told of its bytes is traffic of DRAM.
  if (what.family->role == kernels::Role::outside) return std::nullopt;
  const double touched = kernels::footprint_of(what);
  const bool past_l1 = what.op() == kernels::Op::l2 || what.op() == kernels::Op::l2_slices;
  const bool reads_again = what.family == kernels::Family::stream && what.repeat > 1 && !past_l1;
  for (const CacheLevel& level : cache_levels(device)) {
    if (device.kind == "cuda" && level.name == "L1" && !reads_again) continue;
    if (touched <= level.bytes) return level;
  }
  return std::nullopt;
}

std::string roof_name_of(const kernels::DeviceInfo& device, const CacheLevel& level,
                         const kernels::Case& what) {
  using kernels::Family;
  const bool shared =
      what.family == Family::matmul || what.family == Family::conv || what.op() == kernels::Op::l2;
  const bool slices = device.kind == "cuda" && level.name == "L2" && !shared;
  return slices ? slices_of_l2 : level.name;
}

double roof_set_of(const kernels::DeviceInfo& device, const CacheLevel& level) {
  const bool l2_of_gpu = device.kind == "cuda" && level.name == "L2";
  return level.bytes * (l2_of_gpu ? 2.0 / 3 : 0.5);
}

std::vector<double> curve_sizes(const kernels::DeviceInfo& device) {
  constexpr double page = 4096;
  const std::vector<CacheLevel> levels = cache_levels(device);
  std::vector<double> sizes;
  if (levels.empty()) return sizes;
  const double last = 4 * std::ranges::max(levels, {}, &CacheLevel::bytes).bytes;
  for (double size = levels.front().bytes / 4; size <= last * 1.01; size *= std::numbers::sqrt2) {
    const double whole = std::max(1.0, std::round(size / page)) * page;
    if (sizes.empty() || whole > sizes.back()) sizes.push_back(whole);
  }
  return sizes;
}

// ---- what a curve of bandwidth against working set says of each level

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
