#include "ui/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "engine/units.hpp"
#include "ui/figures_parts.hpp"
#include "ui/point_facts.hpp"
#include "ui/series_cache.hpp"

namespace ui {
bool is_noted(const plot::Series& series) { return !series.faded && !series.hidden; }

namespace {

struct PanelText {
  Panel panel;
  std::string_view name, title, y_title;
};
constexpr std::array<PanelText, 6> panels{{
    {Panel::roofline, "roofline", "Roofline", "Performance"},
    {Panel::runtime, "runtime", "Runtime", "Time of one run"},
    {Panel::flops, "flops", "Achieved compute throughput", "Performance"},
    {Panel::bandwidth, "bandwidth", "Achieved bandwidth", "Bandwidth"},
    {Panel::levels, "levels", "Memory levels", "Read bandwidth"},
    {Panel::speedup, "speedup", "Speed-up", "Times faster"},
}};

constexpr std::array<std::string_view, 3> x_axes{"repeat", "intensity", "both"};

const PanelText& text_of(Panel panel) { return panels[static_cast<std::size_t>(panel)]; }

std::string y_unit(Panel panel, const std::string& op) {
  if (panel == Panel::runtime) return "s";
  return panel == Panel::bandwidth || panel == Panel::levels ? "B/s" : op + "/s";
}

plot::Figure empty_figure(Panel panel, const View& view, const std::string& op) {
  plot::Figure figure;
  figure.title = text_of(panel).title;
  figure.ring_text = "disturbed or throttled";  // is_flagged()
  const bool intensity = panel == Panel::roofline || view.x == XAxis::intensity;
  figure.x.title = intensity ? "Arithmetic intensity" : "Ops per element";
  figure.x.unit = intensity ? op + "/byte" : "";
  figure.x.si_prefix = false;
  figure.x.low = intensity ? 0.1 : 1;
  figure.x.high = intensity ? 1000 : 1024;
  figure.y.title = text_of(panel).y_title;
  figure.y.unit = y_unit(panel, op);
  const bool rate = panel != Panel::runtime;
  figure.y.low = rate ? 1e9 : 1e-4;
  figure.y.high = rate ? 1e12 : 1;
  return figure;
}

/// The highest and the lowest plateau lie at the ends of the fitted axis: room for their names.
void make_room_for_plateaus(plot::Axis& y) {
  // More above: what lies there is the shortest plateau, whose name finds no place beside the
  // curve.
  const double range = y.high / y.low;
  y.low /= std::pow(range, 0.1);
  y.high *= std::pow(range, 0.16);
}

plot::Figure levels_figure(const std::vector<Seen>& seen, const View& view) {
  Sessions sessions;
  for (const Seen& one : seen) sessions.push_back(one.session);
  plot::Figure figure = empty_figure(Panel::levels, view, "FLOP");
  figure.x.title = "Working set";
  figure.x.unit = "B";
  figure.x.si_prefix = true;
  figure.x.low = 1e4;
  figure.x.high = 1e9;
  add_levels(figure, sessions, view);
  if (figure.series.empty()) {
    figure.empty_text =
        "No level curve yet. Measure all roofs: in the window, or with the command ridgepoint "
        "sweep --experiment roofs.";
  }
  plot::fit(figure);
  make_room_for_plateaus(figure.y);
  return figure;
}

/// Where a region's line lies just above the lower end of the fitted axis, room for its name
/// beneath.
void make_room_below_regions(plot::Figure& figure) {
  constexpr double share = 0.16;
  plot::Axis& y = figure.y;
  for (const plot::Region& region : figure.regions) {
    const double top = region.y.front();
    if (top <= y.low || top >= std::pow(y.low, 1 - share) * std::pow(y.high, share)) continue;
    y.low = std::exp((std::log(top) - share * std::log(y.high)) / (1 - share));
  }
}

/// Of the visible lines and the slider.
std::vector<kernels::Case> cases_over_x(const std::vector<MeasuredLine>& lines, const View& view) {
  std::vector<kernels::Case> cases;
  for (const MeasuredLine& line : lines) {
    if (!view.hidden.contains(line.series.id))
      cases.insert(cases.end(), line.cases.begin(), line.cases.end());
  }
  if (view.cursor && view.cursor->elements > 0) cases.push_back(*view.cursor);
  return cases;
}

std::string empty_text(const std::vector<Seen>& sessions) {
  for (const Seen& seen : sessions) {
    for (const engine::Point& point : seen.session->points) {
      if (in_sweep(point) && point.status != engine::Status::ok && !point.why.empty()) {
        return fmt::format("No point could be measured: {}", point.why);
      }
    }
  }
  return "No measured points yet. Run a sweep: Space in the window, or the command ridgepoint "
         "sweep.";
}

/// What tells a value of the first session from those of other devices: " on AMD EPYC".
std::string place_among(const std::vector<Seen>& sessions) {
  const std::string& first = sessions.front().session->device.name;
  const bool alone = std::ranges::all_of(
      sessions, [&](const Seen& other) { return other.session->device.name == first; });
  return alone ? "" : " on " + first;
}

std::string cursor_label(Panel panel, const View& view, const kernels::Case& what, double x) {
  if (panel != Panel::roofline && view.x != XAxis::intensity)
    return fmt::format("repeat {}", what.repeat);
  const std::string unit = kernels::info_of(what.dtype).integer ? "OP/byte" : "FLOP/byte";
  return fmt::format("{} {}", units::number(x, 3), unit);
}

/// What of the slider's case no series in sight tells: its dtype where there are others, its kernel
/// where there are others only.
std::string case_among(const std::vector<MeasuredLine>& lines, const View& view,
                       const kernels::Case& what) {
  bool any = false, same_kernel = false, other_dtype = false;
  for (const MeasuredLine& line : lines) {
    if (view.hidden.contains(line.series.id) || line.cases.empty()) continue;
    const kernels::Case& shown = line.cases.front();  // a series has one kernel and dtype
    any = true;
    same_kernel = same_kernel || shown.family == what.family;
    other_dtype = other_dtype || shown.dtype != what.dtype;
  }
  return fmt::format("{}{}", other_dtype ? fmt::format(" {}", name_of(what.dtype)) : "",
                     any && !same_kernel ? fmt::format(" {}", name_of(what.family)) : "");
}

void add_cursor(plot::Figure& figure, const std::vector<Seen>& sessions, Panel panel,
                const View& view, const std::vector<MeasuredLine>& lines) {
  const engine::Session& session = *sessions.front().session;
  if (!view.cursor || view.cursor->elements == 0) return;
  const kernels::Work work = kernels::work_of(*view.cursor);
  const double x = x_of(panel, view.x, *view.cursor, work);
  if (!(x > 0)) return;
  figure.cursor = plot::Cursor{x, cursor_label(panel, view, *view.cursor, x)};
  const std::string subject = case_among(lines, view, *view.cursor);
  const auto add = [&](double seconds, const std::string& where) {
    const double value = y_of(panel, work, seconds);
    if (!(value > 0)) return;
    const std::string text = value_text(panel, value, view.cursor->dtype);
    plot::Mark mark{x, value, fmt::format("predicted{} {}{}", subject, text, where),
                    plot::Mark::Kind::predicted};
    mark.short_label = fmt::format("predicted {}{}", text, where);
    figure.marks.push_back(std::move(mark));
  };
  const engine::Prediction here = engine::predict(session, *view.cursor, work);
  if (here.complete()) add(here.seconds(), place_among(sessions));
  if (const auto there = what_if_seconds(view, *view.cursor))
    add(*there, " on " + what_if_name(view, *view.cursor));
}

void add_lines(plot::Figure& figure, const std::vector<MeasuredLine>& lines, const View& view) {
  for (const MeasuredLine& line : lines) {
    figure.series.push_back(line.series);
    figure.series.back().hidden = view.hidden.contains(line.series.id);
  }
}

void add_attainable(plot::Figure& figure, const std::vector<MeasuredLine>& lines) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (is_noted(figure.series[i]) && !lines[i].attainable.x.empty())
      figure.roofs.push_back(lines[i].attainable);
  }
}

bool is_unfused(const kernels::Case& what) { return what.fusion == kernels::Fusion::unfused; }

/// "tile ", "matrix ", "mul "; "chain " of FMAs.
std::string kernel_before_best(const kernels::Case& what) {
  const std::string word = kernel_word(what);
  return (word.empty() ? "chain" : word.substr(1)) + " ";
}

void add_notes(plot::Figure& figure, const std::vector<MeasuredLine>& lines) {
  const auto shown = [&](std::size_t i) { return is_noted(figure.series[i]); };
  bool unfused_too = false;
  std::set<std::string> kernels_shown;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!shown(i)) continue;
    unfused_too = unfused_too || std::ranges::any_of(lines[i].cases, is_unfused);
    for (const kernels::Case& what : lines[i].cases) kernels_shown.insert(kernel_before_best(what));
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!shown(i) || !lines[i].note) continue;
    plot::Mark note = *lines[i].note;
    // Beside an unfused series, whose best may be better, it is the best of its own.
    if (unfused_too && note.label.starts_with("best ")) note.label.insert(0, "fused ");
    const bool of_series = note.kind == plot::Mark::Kind::best && !note.label.starts_with("at ");
    if (of_series && kernels_shown.size() > 1)
      note.label.insert(note.label.find("best "), kernel_before_best(lines[i].cases.front()));
    figure.marks.push_back(std::move(note));
  }
}

/// To what the slider has put there; as long as that lies within them, the limits stand still.
void widen_to_cursor(plot::Figure& figure) {
  if (figure.cursor) widen(figure.x, figure.cursor->x);
  for (const plot::Mark& mark : figure.marks) {
    if (mark.kind == plot::Mark::Kind::predicted) widen(figure.y, mark.y);
  }
}

plot::Figure sweep_figure(const std::vector<Seen>& seen, Panel panel, const View& view,
                          SeriesCache& cache) {
  const Measured& measured = cache.measured(seen);
  const std::vector<MeasuredLine>& lines = cache.lines(seen, panel, view.x);
  plot::Figure figure = empty_figure(panel, view, measured.op);
  add_lines(figure, lines, view);
  if (panel == Panel::roofline) {
    add_roofline(figure, measured.sessions, view);
  } else {
    add_flat_roofs(figure, measured.sessions, panel, view);
    add_attainable(figure, lines);
    add_ghosts(figure, measured.groups, panel, view);
  }
  add_notes(figure, lines);
  const Trail trail = trail_of(measured, view);
  if (!seen.empty()) add_trail(figure, trail, place_among(seen), panel, view);
  const bool measured_any = !lines.empty() || !trail.before.empty() || trail.here != nullptr;
  if (!measured_any) figure.empty_text = empty_text(seen);
  plot::fit(figure);
  if (panel == Panel::runtime) make_room_below_regions(figure);
  // The name of the highest roof finds a place in a small picture, too.
  if (panel == Panel::roofline) figure.y.high *= std::pow(figure.y.high / figure.y.low, 0.03);
  if (!seen.empty()) add_cursor(figure, seen, panel, view, lines);
  widen_to_cursor(figure);
  if (panel != Panel::roofline) {
    std::vector<kernels::Case> cases = cases_over_x(lines, view);
    for (const engine::Point* probe : trail.before) cases.push_back(probe->what);
    if (trail.here != nullptr) cases.push_back(trail.here->what);
    figure.above = intensity_above(cases, measured.op, view);
  }
  return figure;
}

/// Where nothing is faster and nothing slower.
plot::Roof even_line() {
  plot::Roof even;
  even.label = "equal";
  even.thin = true;
  even.x = {1e-6, 1e9};
  even.y = {1, 1};
  return even;
}

plot::Figure speedup_figure(const std::vector<Seen>& seen, const View& view, SeriesCache& cache) {
  const std::string& op = cache.measured(seen).op;
  plot::Figure figure = empty_figure(Panel::speedup, view, op);
  figure.y.unit.clear();
  figure.y.si_prefix = false;
  figure.y.low = 0.5;
  figure.y.high = 100;
  const std::vector<MeasuredLine>& lines = cache.lines(seen, Panel::speedup, view.x);
  add_lines(figure, lines, view);
  add_notes(figure, lines);
  figure.above = intensity_above(cases_over_x(lines, view), op, view);
  if (figure.series.empty()) {
    figure.empty_text =
        "Nothing to compare yet. Measure fused and unfused, matrix and vector units, or open "
        "another session with the same cases.";
  } else {
    figure.roofs.push_back(even_line());
  }
  plot::fit(figure);
  // Below the runtimes it stands on the same axis.
  const plot::Figure runtime = sweep_figure(seen, Panel::runtime, view, cache);
  figure.x = runtime.x;
  // Unfused points stand at another; a pair is shown at that of the faster one.
  if (view.x == XAxis::intensity) figure.x.title += ", fused";
  figure.cursor = runtime.cursor;
  if (view.probes && view.cursor && figure.cursor) add_factors_at(figure, lines, view);
  return figure;
}

}  // namespace

void widen(plot::Axis& axis, double value) {
  constexpr double margin = 1.15;
  if (!(value > 0)) return;
  axis.low = std::min(axis.low, value / margin);
  axis.high = std::max(axis.high, value * margin);
}

std::optional<Panel> panel_named(std::string_view name) {
  const auto found = std::ranges::find(panels, name, &PanelText::name);
  return found == panels.end() ? std::nullopt : std::optional(found->panel);
}

std::string_view name_of(Panel panel) { return text_of(panel).name; }

std::string_view title_of(Panel panel) { return text_of(panel).title; }

std::string_view name_of(XAxis axis) { return x_axes[static_cast<std::size_t>(axis)]; }

std::optional<XAxis> x_axis_named(std::string_view name) {
  const auto found = std::ranges::find(x_axes, name);
  if (found == x_axes.end()) return std::nullopt;
  return static_cast<XAxis>(found - x_axes.begin());
}

plot::Figure figure_of(const std::vector<Seen>& seen, Panel panel, const View& view,
                       SeriesCache& cache) {
  switch (panel) {
    case Panel::levels:
      return levels_figure(seen, view);
    case Panel::speedup:
      return speedup_figure(seen, view, cache);
    default:
      return sweep_figure(seen, panel, view, cache);
  }
}

plot::Figure figure_of(const Sessions& sessions, Panel panel, const View& view) {
  std::vector<Seen> seen;
  for (const engine::Session* session : sessions) seen.push_back({session, 0});
  SeriesCache cache;
  return figure_of(seen, panel, view, cache);
}

}  // namespace ui
