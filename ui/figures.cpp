#include "ui/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/units.hpp"
#include "ui/figures_parts.hpp"
#include "ui/point_facts.hpp"

namespace ui {
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

plot::Figure levels_figure(const Sessions& sessions, const View& view) {
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
  return figure;
}

plot::Figure speedup_figure(const Sessions& sessions, const View& view) {
  const std::string op = op_unit(sessions);
  plot::Figure figure = empty_figure(Panel::speedup, view, op);
  figure.y.unit.clear();
  figure.y.si_prefix = false;
  figure.y.low = 0.5;
  figure.y.high = 100;
  figure.above = intensity_above(add_speedups(figure, sessions, view), op, view);
  if (figure.series.empty()) {
    figure.empty_text =
        "Nothing to compare yet. Measure fused and unfused, matrix and vector units, or open "
        "another session with the same cases.";
  }
  plot::fit(figure);
  // Below the runtimes it stands on the same axis.
  const plot::Figure runtime = figure_of(sessions, Panel::runtime, view);
  figure.x = runtime.x;
  figure.cursor = runtime.cursor;
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

std::vector<kernels::Case> visible_cases(const std::vector<Group>& groups, const View& view) {
  std::vector<kernels::Case> cases;
  for (const Group& group : groups) {
    if (!view.hidden.contains(group.id)) cases.push_back(group.what);
  }
  return cases;
}

std::string empty_text(const Sessions& sessions) {
  for (const engine::Session* session : sessions) {
    for (const engine::Point& point : session->points) {
      if (in_sweep(point) && point.status != engine::Status::ok && !point.why.empty()) {
        return fmt::format("No point could be measured: {}", point.why);
      }
    }
  }
  return "No measured points yet. Run a sweep: Space in the window, or the command ridgepoint "
         "sweep.";
}

void add_probes(plot::Figure& figure, const engine::Session& session, Panel panel,
                const View& view) {
  const std::vector<const engine::Point*> probes = probes_of(session);
  for (std::size_t i = 0; i < probes.size(); ++i) {
    const engine::Point& probe = *probes[i];
    const double value = y_of(panel, probe.work, probe.seconds.median);
    plot::Mark mark{
        x_of(panel, view.x, probe.what, probe.work), value, "", plot::Mark::Kind::probe, -1, false};
    // The bold one is that of the slider's place, as the verdict's is.
    mark.faded = !view.cursor || !(probe.what == *view.cursor);
    // The way that the slider came: the older, the fainter.
    mark.strength = static_cast<float>(i + 1) / static_cast<float>(probes.size());
    if (!mark.faded) mark.label = value_text(panel, value, probe.what.dtype);
    figure.marks.push_back(mark);
  }
}

std::string cursor_label(Panel panel, const View& view, const kernels::Case& what, double x) {
  if (panel != Panel::roofline && view.x != XAxis::intensity)
    return fmt::format("repeat {}", what.repeat);
  const std::string unit = kernels::info_of(what.dtype).integer ? "OP/byte" : "FLOP/byte";
  return fmt::format("{} {}", units::number(x, 3), unit);
}

void add_cursor(plot::Figure& figure, const engine::Session& session, Panel panel,
                const View& view) {
  if (!view.cursor || view.cursor->elements == 0) return;
  const kernels::Work work = kernels::work_of(*view.cursor);
  const double x = x_of(panel, view.x, *view.cursor, work);
  if (!(x > 0)) return;
  figure.cursor = plot::Cursor{x, cursor_label(panel, view, *view.cursor, x)};
  const auto add = [&](double seconds, const std::string& where) {
    const double value = y_of(panel, work, seconds);
    if (!(value > 0)) return;
    const std::string text = value_text(panel, value, view.cursor->dtype);
    figure.marks.push_back({x, value, fmt::format("predicted {}{}", text, where),
                            plot::Mark::Kind::predicted, -1, false});
  };
  add(engine::predict(session, *view.cursor, work).seconds(), "");
  if (const auto there = what_if_seconds(view, *view.cursor))
    add(*there, " on " + view.what_if->device.name);
}

}  // namespace

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

plot::Figure figure_of(const Sessions& sessions, Panel panel, const View& view,
                       const MeasuredSeries& measured) {
  plot::Figure figure = empty_figure(panel, view, measured.op);
  figure.series = measured.series;
  for (plot::Series& series : figure.series) series.hidden = view.hidden.contains(series.id);
  if (panel == Panel::roofline) {
    add_roofline(figure, sessions, view);
  } else {
    add_flat_roofs(figure, sessions, panel, view);
    add_attainable(figure, measured.groups, panel, view);
    figure.above = intensity_above(visible_cases(measured.groups, view), measured.op, view);
  }
  add_notes(figure, measured.groups, panel, view);
  if (!sessions.empty()) {
    add_probes(figure, *sessions.front(), panel, view);
    add_cursor(figure, *sessions.front(), panel, view);
  }
  const bool has_probe = std::ranges::any_of(
      figure.marks, [](const plot::Mark& mark) { return mark.kind == plot::Mark::Kind::probe; });
  if (measured.groups.empty() && !has_probe) figure.empty_text = empty_text(sessions);
  plot::fit(figure);
  if (panel == Panel::runtime) make_room_below_regions(figure);
  return figure;
}

plot::Figure figure_of(const Sessions& sessions, Panel panel, const View& view) {
  if (panel == Panel::levels) return levels_figure(sessions, view);
  if (panel == Panel::speedup) return speedup_figure(sessions, view);
  return figure_of(sessions, panel, view, measured_series(sessions, panel, view.x));
}

}  // namespace ui
