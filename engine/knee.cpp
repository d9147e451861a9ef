#include "engine/knee.hpp"

#include <algorithm>

namespace engine {
namespace {

bool has_risen(const Seconds& seconds, const Seconds& fastest) {
  constexpr double rise = 1.1;
  return seconds.median > rise * fastest.median && seconds.low > fastest.high;
}

}  // namespace

FlatPart flat_part(std::span<const Point* const> points) {
  const auto median = [](const Point* point) { return point->seconds.median; };
  const Seconds& fastest = (*std::ranges::min_element(points, {}, median))->seconds;
  FlatPart flat{fastest.median, points.size() - 1};
  while (flat.last > 0 && has_risen(points[flat.last]->seconds, fastest)) --flat.last;
  return flat;
}

}  // namespace engine
