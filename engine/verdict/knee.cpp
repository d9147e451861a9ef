#include "engine/verdict/knee.hpp"

#include <algorithm>

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

}  // namespace engine
