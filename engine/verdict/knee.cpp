#include "engine/verdict/knee.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "engine/measure/statistics.hpp"
#include "kernels/families/family.hpp"

namespace engine {
namespace {

bool has_risen(const Seconds& seconds, const Seconds& fastest) {
  constexpr double rise = 1.1;
  return seconds.median > rise * fastest.median && seconds.low > fastest.high;
}

/// Down to the fastest point, whatever that is.
FlatPart floor_of(std::span<const Point* const> points) {
  const auto median = [](const Point* point) { return point->seconds.median; };
  const Seconds& fastest = (*std::ranges::min_element(points, {}, median))->seconds;
  FlatPart flat{fastest.median, points.size() - 1};
  while (flat.last > 0 && has_risen(points[flat.last]->seconds, fastest)) --flat.last;
  return flat;
}

/// What the points of one part say together: the median of their numbers. Those with an interval
/// know better than those without.
class Part {
 public:
  void add(const Interval& value, bool sure) {
    medians_.push_back(value.median);
    if (!sure || !value.low || !value.high) return;
    known_.push_back(value.median);
    lows_.push_back(*value.low);
    highs_.push_back(*value.high);
  }
  bool empty() const { return medians_.empty(); }
  /// Requires a point.
  Interval value() const {
    if (known_.empty()) return {median_of(medians_)};
    return {median_of(known_), median_of(lows_), median_of(highs_)};
  }

 private:
  std::vector<double> medians_, known_, lows_, highs_;
};

/// How far the ends of an interval lie from its median, as logarithms of factors.
struct Reaches {
  double down = 0, up = 0;
};
std::optional<Reaches> reaches_of(const Interval& value) {
  if (!value.low || !value.high || !(*value.low > 0)) return std::nullopt;
  return Reaches{std::log(value.median / *value.low), std::log(*value.high / value.median)};
}

/// A product of independent values, of which the last one divides: errors add as factors.
Interval product(const std::vector<Interval>& factors, const Interval& divisor) {
  Interval result{1 / divisor.median};
  for (const Interval& one : factors) result.median *= one.median;
  const std::optional<Reaches> below = reaches_of(divisor);
  if (!below) return result;
  double down = below->up, up = below->down;
  for (const Interval& one : factors) {
    const std::optional<Reaches> reaches = reaches_of(one);
    if (!reaches) return result;
    down = std::hypot(down, reaches->down);
    up = std::hypot(up, reaches->up);
  }
  result.low = result.median * std::exp(-down);
  result.high = result.median * std::exp(up);
  return result;
}

double repeat_of(const Point* point) { return static_cast<double>(point->what.repeat); }

/// From the runtimes alone.
std::optional<Interval> knee_of_runtimes(std::span<const Point* const> points) {
  const auto seconds = [](const Point* point) { return point->seconds.median; };
  const auto per_op = [&](const Point* point) { return seconds(point) / repeat_of(point); };
  const double about = seconds(*std::ranges::min_element(points, {}, seconds)) /
                       per_op(*std::ranges::min_element(points, {}, per_op));
  Part flat, line;
  const auto add = [](Part& part, const Point& point, double per) {
    const Seconds& of = point.seconds;
    part.add({of.median / per, of.low / per, of.high / per}, is_sure(point));
  };
  for (const Point* point : points) {
    if (repeat_of(point) <= about / 2) add(flat, *point, 1);
    if (repeat_of(point) >= about * 2) add(line, *point, repeat_of(point));
  }
  if (flat.empty() || line.empty()) return std::nullopt;
  return product({flat.value()}, line.value());
}

/// What a look at a roof of arithmetic counts as one FLOP of the case; 0: it is of another roof.
double share_of_peak(const kernels::Case& what, std::string_view roof) {
  for (const kernels::ComputeBound& bound : kernels::bounds_of(what).compute)
    if (compute_roof_name(bound.dtype, bound.units, bound.op) == roof) return bound.share;
  return 0;
}

/// Ops per element at which both roofs take as long, from looks at both, one right after the other:
/// how fast the device was then is in both. One value for each visit.
std::vector<double> ridges_seen(const Point& point) {
  std::vector<double> ridges;
  for (const Visit& visit : point.visits) {
    std::vector<double> in_visit;
    double memory = 0;  // byte/s, the last look at it
    for (const Look& look : visit.looks) {
      const double share = share_of_peak(point.what, look.roof);
      if (share > 0 && memory > 0)
        in_visit.push_back(look.rate * share / memory * repeat_of(&point) / point.work.intensity());
      if (share == 0) memory = look.rate;
    }
    if (visit.set_aside.empty() && !in_visit.empty()) ridges.push_back(median_of(in_visit));
  }
  return ridges;
}

/// From what the points reach of the roofs that ran beside them, and from looks at both roofs near
/// the ridge: a drift of the device is in both, and does not move the knee.
std::optional<Interval> knee_of_shares(std::span<const Point* const> points) {
  std::vector<double> ridges;
  for (const Point* point : points) {
    if (!(point->work.intensity() > 0)) continue;
    const std::vector<double> seen = ridges_seen(*point);
    ridges.insert(ridges.end(), seen.begin(), seen.end());
  }
  if (ridges.empty()) return std::nullopt;
  const Interval ridge = interval_of(ridges);
  Part of_memory, of_peak;
  for (const Point* point : points) {
    if (!point->share || point->share->roof.starts_with(overhead_word)) continue;
    const bool computes = share_of_peak(point->what, point->share->roof) > 0;
    if (!computes && repeat_of(point) <= ridge.median / 2)
      of_memory.add(point->share->of, is_sure(*point));
    if (computes && repeat_of(point) >= ridge.median * 2)
      of_peak.add(point->share->of, is_sure(*point));
  }
  if (of_memory.empty() || of_peak.empty()) return std::nullopt;
  return product({ridge, of_peak.value()}, of_memory.value());
}

}  // namespace

FlatPart flat_part(std::span<const Point* const> points) {
  const FlatPart flat = floor_of(points);
  constexpr std::size_t least = 3;  // points that make a floor without the first one
  if (flat.last > 0 || points.size() <= least) return flat;
  const auto behind = points.subspan(1);
  const FlatPart rest = floor_of(behind);
  const auto floor = behind.first(rest.last + 1);
  const auto median = [](const Point* point) { return point->seconds.median; };
  const Seconds& fastest = (*std::ranges::min_element(floor, {}, median))->seconds;
  const bool level = std::ranges::none_of(
      floor, [&](const Point* point) { return has_risen(point->seconds, fastest); });
  // Over twice the ops a runtime stays only where they cost nothing.
  const bool wide = floor.back()->what.repeat >= 2 * floor.front()->what.repeat;
  if (floor.size() < least || !level || !wide) return flat;
  return {rest.seconds, rest.last + 1, 1};
}

std::optional<Interval> knee_of(std::span<const Point* const> all) {
  const auto points = all.subspan(flat_part(all).first);
  std::optional<Interval> knee = knee_of_shares(points);
  if (!knee) knee = knee_of_runtimes(points);
  const bool inside =
      knee && knee->median > repeat_of(points.front()) && knee->median < repeat_of(points.back());
  return inside ? knee : std::nullopt;
}

bool is_called(const Interval& knee) {
  constexpr double widest = 2;  // times
  return !knee.low || !knee.high || *knee.high <= widest * *knee.low;
}

}  // namespace engine
