#include "engine/knee.hpp"

#include <algorithm>

namespace engine {
namespace {

constexpr double rise = 1.1;  // a runtime this much above its floor has left the floor

}  // namespace

FlatPart flat_part(std::span<const Point* const> points) {
  FlatPart flat{points.front()->seconds.median, points.size() - 1};
  for (const Point* point : points) flat.seconds = std::min(flat.seconds, point->seconds.median);
  while (flat.last > 0 && points[flat.last]->seconds.low > rise * flat.seconds) --flat.last;
  return flat;
}

}  // namespace engine
