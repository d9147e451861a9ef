#include "engine/knee.hpp"

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
  if (flat.last > 0 || points.size() == 1) return flat;
  // A lucky first point hides the floor of those behind it; where they have none, it is no luck.
  const FlatPart behind = floor_of(points.subspan(1));
  return behind.last == 0 ? flat : FlatPart{behind.seconds, behind.last + 1};
}

}  // namespace engine
