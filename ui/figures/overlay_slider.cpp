// What moves with the slider: cursor, predictions, and what was measured there and before.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "kernels/units.hpp"
#include "ui/figures/parts.hpp"
#include "ui/figures/point_facts.hpp"

namespace ui {
namespace {

using engine::Point;

/// The slider's case as the first session swept it last; null where that is not in sight.
const Point* swept_point_at(const Plotted& shown, const View& now) {
  const kernels::Case& what = *now.cursor;
  const auto repeat = [](const Point* point) { return point->what.repeat; };
  const Point* newest = nullptr;
  for (const Group& group : shown.groups) {  // of a session, runs ascend
    if (group.owner != 0) break;
    kernels::Case own = group.what;
    own.repeat = what.repeat;
    if (own != what || now.hidden.contains(group.id)) continue;
    const auto found = std::ranges::lower_bound(group.points, what.repeat, {}, repeat);  // ascend
    if (found != group.points.end() && repeat(*found) == what.repeat) newest = *found;
  }
  return newest;
}

std::string cursor_label(const engine::Metric& along, const kernels::Case& what, double x) {
  if (along.key.empty()) return text_of(along, x, is_integer(what));
  if (along.key == "repeat") return ops_text(static_cast<std::uint64_t>(std::llround(x)));
  return fmt::format("{} {}", along.name, units::number(x));
}

/// What of the slider's case no line in sight tells: its dtype where there are others, its kernel
/// where there are others only.
std::string case_among(const Plotted& shown, const View& now) {
  bool any = false, same_kernel = false, other_dtype = false;
  for (const Line& line : shown.lines) {
    if (line.series.hidden) continue;
    const kernels::Case& what = shown.group_of(line).what;  // a line has one kernel and dtype
    any = true;
    same_kernel = same_kernel || what.family == now.cursor->family;
    other_dtype = other_dtype || what.dtype != now.cursor->dtype;
  }
  return fmt::format("{}{}", other_dtype ? fmt::format(" {}", name_of(now.cursor->dtype)) : "",
                     any && !same_kernel ? fmt::format(" {}", name_of(now.cursor->family)) : "");
}

/// What tells a value of the first session from those of other devices: " on AMD EPYC".
std::string place_among(const Plotted& shown) {
  const std::string& first = shown.sessions.front().session->device.name;
  const bool alone = std::ranges::all_of(shown.sessions, [&](const SessionPoints& other) {
    return other.session->device.name == first;
  });
  return alone ? "" : " on " + first;
}

/// Where the roofs of this session and those of the view's other device put the slider's case.
void add_predictions(plot::Overlay& overlay, const Plotted& shown, const View& now) {
  const engine::Session& session = *shown.sessions.front().session;
  const kernels::Work work = kernels::work_of(*now.cursor, session.device.kind);
  const std::string name = case_among(shown, now);
  const auto add = [&](const char* how, double seconds, const std::string& where) {
    const auto place = place_of(shown.chart, session, *now.cursor, seconds);
    if (!place || !(place->y > 0)) return;
    const std::string text = text_of(shown.chart.y, place->y, is_integer(*now.cursor));
    plot::Mark mark{place->x, place->y, fmt::format("{}{} {}{}", how, name, text, where),
                    plot::Mark::Kind::predicted};
    mark.short_label = fmt::format("{} {}{}", how, text, where);
    overlay.marks.push_back(std::move(mark));
  };
  const engine::Prediction here = engine::predict(session, *now.cursor, work);
  if (here.complete()) add("predicted", here.seconds(), place_among(shown));
  if (const auto there = what_if(now, session, *now.cursor))
    add(there->how(), there->seconds, " on " + there->name);
}

/// "fp32" of "fp32: fused over unfused".
std::string name_of(const plot::Series& series) {
  return series.name.substr(0, series.name.find(':'));
}

/// What the visible quotients have at the cursor, where they have a point there.
void add_factors(plot::Overlay& overlay, const Plotted& shown, const View& now) {
  // Against FLOP/byte an unfused case stands where all its repeats do.
  const auto told_apart = [&](const kernels::Case& what) {
    return now.x != XAxis::intensity || what.fusion == kernels::Fusion::fused;
  };
  if (!told_apart(*now.cursor)) return;
  const double x = overlay.cursor->x;
  std::map<std::string, int> lines_of;
  const std::vector<const Line*> seen = noted_lines(shown);
  for (const Line* line : seen) ++lines_of[name_of(line->series)];
  for (const Line* line : seen) {
    if (!told_apart(shown.group_of(*line).what)) continue;
    const plot::Points& points = *line->series.points;
    const auto found =
        std::ranges::find_if(points.x, [x](double own) { return std::abs(own - x) <= 1e-9 * x; });
    if (found == points.x.end()) continue;
    const double factor = points.y[static_cast<std::size_t>(found - points.x.begin())];
    // Beside others a value says whose it is; a dot that cannot has none.
    std::string label = text_of(shown.chart.y, factor);
    const std::string name = name_of(line->series);
    if (seen.size() > 1) label = lines_of[name] > 1 ? "" : fmt::format("{} {}", name, label);
    overlay.marks.push_back({x, factor, std::move(label), plot::Mark::Kind::probe});
  }
}

}  // namespace

std::vector<const Point*> probes_of(const Plotted& shown, const View& now) {
  if (!now.probes || shown.sessions.empty()) return {};
  std::vector<const Point*> probes = shown.sessions.front().probes;
  // What one kernel did says nothing of the other, whose place the cursor marks.
  std::erase_if(probes, [&](const Point* probe) {
    return now.cursor && probe->what.family != now.cursor->family;
  });
  return probes;
}

void add_trail(plot::Overlay& overlay, const Plotted& shown, const View& now) {
  if (!now.probes || shown.sessions.empty()) return;
  std::vector<const Point*> before = probes_of(shown, now);  // oldest first
  const Point* here = nullptr;  // of the slider's place: what the verdict speaks of
  if (now.cursor) {
    here = swept_point_at(shown, now);
    const auto at_slider = [&](const Point* probe) { return probe->what == *now.cursor; };
    const auto probe = std::ranges::find_if(before, at_slider);
    // Both lie in the session's list of points: the later one is the newer.
    if (probe != before.end() && (here == nullptr || std::less()(here, *probe))) here = *probe;
    if (probe != before.end()) before.erase(probe);
  }
  const auto add = [&](const Point& point) -> plot::Mark* {
    const auto place = place_of(shown.chart, {point, *shown.sessions.front().session, {}});
    if (!place) return nullptr;
    return &overlay.marks.emplace_back(plot::Mark{place->x, place->y, "", plot::Mark::Kind::probe});
  };
  for (std::size_t i = 0; i < before.size(); ++i) {
    plot::Mark* mark = add(*before[i]);
    if (mark == nullptr) continue;
    mark->faded = true;
    mark->strength = static_cast<float>(i + 1) / static_cast<float>(before.size() + 1);
  }
  if (here == nullptr) return;
  if (plot::Mark* mark = add(*here))
    mark->label = text_of(shown.chart.y, mark->y, is_integer(here->what)) + place_among(shown);
}

void add_cursor(plot::Overlay& overlay, const Plotted& shown, const View& now) {
  if (!now.cursor || now.cursor->elements == 0 || shown.sessions.empty()) return;
  const engine::Metric* along = shown.chart.x_metric();
  if (along == nullptr) return;
  Point at;
  at.what = *now.cursor;
  at.work = kernels::work_of(at.what, shown.sessions.front().session->device.kind);
  const auto x = (*along)({at, *shown.sessions.front().session, {}});
  if (!x || !(x->median > 0)) return;
  overlay.cursor = plot::Cursor{x->median, cursor_label(*along, at.what, x->median)};
  if (shown.chart.versus.empty()) {
    add_predictions(overlay, shown, now);
  } else if (now.probes) {
    add_factors(overlay, shown, now);
  }
}

}  // namespace ui
