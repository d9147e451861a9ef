// What a newcomer would look for in each series: its best point, and the knee of its runtime.
#include <fmt/format.h>

#include <algorithm>

#include "engine/knee.hpp"
#include "engine/units.hpp"
#include "ui/figures_parts.hpp"

namespace ui {
namespace {

plot::Mark mark_at(const engine::Point& point, Panel panel, XAxis axis, plot::Mark::Kind kind) {
  plot::Mark mark;
  mark.x = x_of(panel, axis, point.what, point.work);
  mark.y = y_of(panel, point.work, point.seconds.median);
  mark.kind = kind;
  mark.colour = colour_of(point.what.dtype);
  return mark;
}

plot::Mark best_of(const Group& group, Panel panel, XAxis axis) {
  const engine::Point& best = **std::ranges::max_element(
      group.points, {},
      [&](const engine::Point* point) { return y_of(panel, point->work, point->seconds.median); });
  plot::Mark mark = mark_at(best, panel, axis, plot::Mark::Kind::best);
  // Beside a fused series of the same colour, where there may be room for one note only.
  const bool unfused = best.what.fusion == kernels::Fusion::unfused;
  mark.label = fmt::format("{}best {}", unfused ? "unfused " : "",
                           value_text(panel, mark.y, best.what.dtype));
  return mark;
}

std::string place_text(const engine::Point& point, XAxis axis) {
  if (axis == XAxis::intensity) {
    const bool integer = kernels::info_of(point.what.dtype).integer;
    return fmt::format("{} {}/byte", units::number(point.work.intensity(), 3),
                       integer ? "OP" : "FLOP");
  }
  return fmt::format("{} ops", point.what.repeat);
}

/// Two points on one level make a flat part, one is only where the series begins.
std::optional<plot::Mark> knee_of(const Group& group, XAxis axis) {
  const engine::FlatPart flat = engine::flat_part(group.points);
  if (flat.last == 0 || flat.last + 1 == group.points.size()) return {};
  const engine::Point& beyond = *group.points[flat.last + 1];
  plot::Mark mark = mark_at(beyond, Panel::runtime, axis, plot::Mark::Kind::knee);
  mark.label = fmt::format("runtime starts to rise at {}", place_text(beyond, axis));
  mark.short_label = fmt::format("rises at {}", place_text(beyond, axis));
  return mark;
}

}  // namespace

std::optional<plot::Mark> note_of(const Group& group, Panel panel, XAxis axis) {
  return panel == Panel::runtime ? knee_of(group, axis) : best_of(group, panel, axis);
}

}  // namespace ui
