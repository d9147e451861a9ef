// Which measured points a lab speaks of, by their cases.
#pragma once

#include <algorithm>
#include <functional>
#include <ranges>
#include <vector>

#include "engine/session/session.hpp"

namespace engine {

/// The measured points whose cases are so, by an ascending key of these; as they come where that is
/// alike.
template <class Key, class Is>
std::vector<const Point*> measured_by(Key key, const std::vector<const Point*>& points, Is is) {
  std::vector<const Point*> found;
  for (const Point* point : points)
    if (point->status == Status::ok && is(point->what)) found.push_back(point);
  std::ranges::stable_sort(found, {},
                           [&](const Point* point) { return std::invoke(key, point->what); });
  return found;
}

/// The first measured point whose case is so, or null.
template <class Range, class Is>
const Point* first_measured(const Range& points, Is is) {
  const auto found = std::ranges::find_if(
      points, [&](const Point* point) { return point->status == Status::ok && is(point->what); });
  return found == std::ranges::end(points) ? nullptr : *found;
}

/// The last such point, or null.
template <class Range, class Is>
const Point* last_measured(const Range& points, Is is) {
  return first_measured(points | std::views::reverse, is);
}

/// Of points that ascend in size, the index of the largest that takes at most so many seconds,
/// below all that take longer: one noisy point among the small ones changes nothing. 0 where none
/// does. Requires at least one point.
inline std::size_t last_within(double seconds, const std::vector<const Point*>& points) {
  std::size_t i = points.size() - 1;
  while (i > 0 && points[i]->seconds.median > seconds) --i;
  return i;
}

}  // namespace engine
