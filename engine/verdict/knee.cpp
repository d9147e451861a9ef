#include "engine/verdict/knee.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/measure/statistics.hpp"

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
  void add(const Point& point, double per) {
    const Seconds& seconds = point.seconds;
    medians_.push_back(seconds.median / per);
    if (!is_sure(point)) return;
    known_.push_back(medians_.back());
    lows_.push_back(seconds.low / per);
    highs_.push_back(seconds.high / per);
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
  const auto repeat = [](const Point* point) { return static_cast<double>(point->what.repeat); };
  const auto seconds = [](const Point* point) { return point->seconds.median; };
  const auto per_op = [&](const Point* point) { return seconds(point) / repeat(point); };
  const double about = seconds(*std::ranges::min_element(points, {}, seconds)) /
                       per_op(*std::ranges::min_element(points, {}, per_op));
  Part flat, line;
  for (const Point* point : points) {
    if (repeat(point) <= about / 2) flat.add(*point, 1);
    if (repeat(point) >= about * 2) line.add(*point, repeat(point));
  }
  if (flat.empty() || line.empty()) return std::nullopt;
  const Interval above = flat.value(), below = line.value();
  Interval knee{above.median / below.median};
  if (above.low && above.high && below.low && below.high) {
    // Errors of a quotient, as factors: those of both parts, which are independent.
    const auto factor = [](double a, double b) {
      return std::exp(std::hypot(std::log(a), std::log(b)));
    };
    knee.low = knee.median / factor(above.median / *above.low, *below.high / below.median);
    knee.high = knee.median * factor(*above.high / above.median, below.median / *below.low);
  }
  return knee;
}

}  // namespace engine
