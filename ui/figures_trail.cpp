// What was measured at the slider: the point of its place, and the trail of those before.
#include <algorithm>
#include <functional>

#include "ui/figures_parts.hpp"

namespace ui {
namespace {

/// The swept point of a case in the newest run of the first session that has it; null where there
/// is none in sight.
const engine::Point* swept_point_at(const Measured& measured, const View& view) {
  const kernels::Case& what = *view.cursor;
  const auto repeat = [](const engine::Point* point) { return point->what.repeat; };
  const engine::Point* newest = nullptr;
  for (const Group& group : measured.groups) {  // of a session, runs ascend
    kernels::Case own = group.what;
    own.repeat = what.repeat;
    const bool wanted = group.session == measured.sessions.front().session && own == what &&
                        !view.hidden.contains(group.id);
    if (!wanted) continue;
    const auto found = std::ranges::lower_bound(group.points, what.repeat, {}, repeat);  // ascend
    if (found != group.points.end() && repeat(*found) == what.repeat) newest = *found;
  }
  return newest;
}

}  // namespace

Trail trail_of(const Measured& measured, const View& view) {
  Trail trail;
  if (!view.probes || measured.sessions.empty()) return trail;
  trail.before = measured.sessions.front().points->probes;
  if (!view.cursor) return trail;
  // What one kernel did says nothing of the other, whose place the cursor marks.
  std::erase_if(trail.before, [&](const engine::Point* probe) {
    return probe->what.family != view.cursor->family;
  });
  trail.here = swept_point_at(measured, view);
  const auto at_slider = [&](const engine::Point* probe) { return probe->what == *view.cursor; };
  const auto probe = std::ranges::find_if(trail.before, at_slider);
  if (probe == trail.before.end()) return trail;
  // Both lie in the session's list of points: the later one is the newer.
  if (trail.here == nullptr || std::less()(trail.here, *probe)) trail.here = *probe;
  trail.before.erase(probe);
  return trail;
}

void add_trail(plot::Figure& figure, const Trail& trail, const std::string& place, Panel panel,
               const View& view) {
  const auto mark_of = [&](const engine::Point& point) {
    return plot::Mark{x_of(panel, view.x, point.what, point.work),
                      y_of(panel, point.work, point.seconds.median), "", plot::Mark::Kind::probe};
  };
  for (std::size_t i = 0; i < trail.before.size(); ++i) {
    plot::Mark mark = mark_of(*trail.before[i]);
    mark.faded = true;
    mark.strength = static_cast<float>(i + 1) / static_cast<float>(trail.before.size() + 1);
    figure.marks.push_back(mark);
  }
  if (trail.here == nullptr) return;
  plot::Mark mark = mark_of(*trail.here);
  mark.label = value_text(panel, mark.y, trail.here->what.dtype) + place;
  figure.marks.push_back(mark);
}

}  // namespace ui
