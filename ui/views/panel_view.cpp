#include "ui/views/panel_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "ui/actions/intents.hpp"
#include "ui/screen/exercise.hpp"
#include "ui/screen/hover.hpp"
#include "ui/screen/progress.hpp"

namespace ui {

using plot::Vec;

namespace {

constexpr double wheel_step = 0.85;  // range left after one notch
constexpr double grip = 6;  // pixels at scale 1 beside the cursor line that take hold of it

/// Before the lab was measured it is said once, not four times.
std::string empty_text(const AppState& state, const engine::Chart& chart) {
  if (hides_points(state)) return {};
  const std::vector<engine::Chart> charts = charts_on_screen(state);
  const bool measured = std::ranges::any_of(
      sessions_shown(state),
      [&](const engine::Session* session) { return has_points(*session, charts.front()); });
  if (measured || !chart.versus.empty()) return std::string(chart.empty);
  if (chart.id != state.look.maximised.value_or(std::string(charts.front().id))) return {};
  if (runs_lab_on_screen(state)) return "Measuring the roofs and the first point...";
  if (state.look.presenting) return "Not measured.";
  if (state.worker.running.sweep) return "Another lab is running.";
  return no_points_text(state);
}

/// Those of the pointed series that the figure has: a figure without any stays as it is.
std::set<std::string> pointed_in(const plot::Figure& figure, const std::set<std::string>& pointed) {
  std::set<std::string> found;
  for (const plot::Series& series : figure.series)
    if (pointed.contains(series.id)) found.insert(series.id);
  return found;
}

/// Lanes lie below each other, whatever the user does.
bool can_zoom_y(const Drawn& drawn) { return drawn.chart.kind != engine::Kind::lanes; }

/// Beside an axis only that axis zooms.
void zoom_at_pointer(Ui& ui, const Drawn& drawn, double factor) {
  const plot::Rect& inside = drawn.layout.plot;
  const Vec at = mouse();
  const plot::Axis& x = drawn.figure.x;
  const plot::Axis& y = drawn.figure.y;
  std::optional<Range> wide, high;
  if (at.x >= inside.x)
    wide = zoomed({x.low, x.high}, drawn.transform.to_data_x(at.x), factor, x.log);
  if (at.y <= inside.bottom() && can_zoom_y(drawn))
    high = zoomed({y.low, y.high}, drawn.transform.to_data_y(at.y), factor, y.log);
  set_range(ui.state, drawn.chart, wide, high);
}

void draw_figure(Drawn& drawn, const PanelLook& look, const Fonts& fonts, plot::Legend legend) {
  drawn.triangles.draw([&](ImDrawList& list) {
    ImGuiCanvas canvas(list, fonts);
    canvas.push_clip(look.where);
    drawn.layout = plot::draw(drawn.figure, look.where, look.style, canvas, legend);
    canvas.pop_clip();
  });
  drawn.transform = plot::transform_of(drawn.figure, drawn.layout);
}

void pan(Ui& ui, const Drawn& drawn, ImVec2 moved) {
  const plot::Rect& inside = drawn.layout.plot;
  const plot::Axis& x = drawn.figure.x;
  const plot::Axis& y = drawn.figure.y;
  const Range wide = panned({x.low, x.high}, -moved.x / inside.w, x.log);
  std::optional<Range> high;
  if (can_zoom_y(drawn)) high = panned({y.low, y.high}, moved.y / inside.h, y.log);
  set_range(ui.state, drawn.chart, wide, high);
}

/// Whether the pointer is on the slider's cursor line, near enough to take hold of it.
bool on_cursor(const Ui& ui, const Drawn& drawn) {
  if (!drawn.overlay.cursor || !drawn.layout.plot.contains(mouse())) return false;
  const double line = drawn.transform.to_pixel(drawn.overlay.cursor->x, drawn.figure.y.low).x;
  return std::abs(mouse().x - line) <= grip * ui.theme.plot.scale;
}

/// What a press of the button and a move do to the panel; true while it moves something.
bool drag(Ui& ui, const Drawn& drawn, bool hovered) {
  std::optional<std::string>& held = ui.state.look.cursor_held;
  if (ImGui::IsItemActivated() && on_cursor(ui, drawn)) held = drawn.chart.id;
  if (!ImGui::IsItemActive()) {
    if (held == drawn.chart.id) held.reset();
    if (hovered && on_cursor(ui, drawn)) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    return false;
  }
  if (held == drawn.chart.id) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    // A click on a point that lies on the line does not move it.
    if (!ImGui::IsMouseDragging(ImGuiMouseButton_Left, 2)) return false;
    const double x = drawn.transform.to_data_x(mouse().x);
    if (const auto repeat = repeat_at(x, drawn.shown.chart, ui.state.look.view.cursor))
      set_cursor(ui.state, *repeat, ui.now);
    return true;
  }
  if (!ImGui::IsMouseDragging(ImGuiMouseButton_Left)) return false;
  pan(ui, drawn, ImGui::GetIO().MouseDelta);
  return true;
}

}  // namespace

Vec mouse() {
  const ImVec2 at = ImGui::GetIO().MousePos;
  return {at.x, at.y};
}

KeptPanel& prepare_panel(Ui& ui, const FigureInputs& inputs, const engine::Chart& chart) {
  KeptPanel& kept = ui.panels.panel(chart);
  Drawn& drawn = kept.drawn;
  const std::optional<kernels::Case>& cursor = ui.state.look.view.cursor;
  const bool same = kept.inputs == inputs && drawn.chart == chart;
  if (!same) {
    drawn.chart = chart;
    drawn.shown = plotted(inputs, chart);
    drawn.figure = fitted_figure(inputs, drawn.shown);
    kept.empty = drawn.figure.empty_text == chart.empty;
    kept.fitted_x = drawn.figure.x;
    kept.fitted_y = drawn.figure.y;
    kept.inputs = inputs;
    kept.look.reset();
    ++kept.made;
  }
  if (!same || kept.cursor != cursor) {
    drawn.overlay = overlay_of(drawn.shown, ui.state.look.view);
    kept.cursor = cursor;
  }
  drawn.figure.x = kept.fitted_x;
  drawn.figure.y = kept.fitted_y;
  set_limits(drawn.figure, drawn.overlay, ui.state.look.zoom, chart);
  return kept;
}

const Drawn& draw_panel(Ui& ui, KeptPanel& kept, const plot::Rect& where, plot::Legend legend) {
  Drawn& drawn = kept.drawn;
  PanelLook look{{drawn.figure.x.low, drawn.figure.x.high},
                 {drawn.figure.y.low, drawn.figure.y.high},
                 kept.empty ? empty_text(ui.state, drawn.chart) : "",
                 where,
                 ui.theme.plot,
                 ui.fonts.version(),
                 pointed_in(drawn.figure, ui.state.look.pointed_series)};
  if (kept.look != look) {
    if (kept.empty) drawn.figure.empty_text = look.empty_text;
    for (plot::Series& series : drawn.figure.series)
      series.dimmed = !look.pointed.empty() && !look.pointed.contains(series.id);
    draw_figure(drawn, look, ui.fonts, legend);
    kept.points.reset();
    kept.look = std::move(look);
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  drawn.triangles.add_to(list);
  ImGuiCanvas canvas(list, ui.fonts);
  // The limits are wide enough for it, whether or not it is revealed yet.
  if (const auto& reveal = ui.state.look.view.reveal; !reveal || reveal->slider) {
    canvas.push_clip(where);
    plot::draw_overlay(drawn.overlay, drawn.figure, drawn.layout, ui.theme.plot, canvas);
    canvas.pop_clip();
  }
  UiMap::Plot& map = ui.map.plots[std::string(drawn.chart.id)];
  map = {drawn.layout, drawn.figure.x, drawn.figure.y, {}, {}};
  if (drawn.overlay.cursor)
    map.cursor = drawn.transform.to_pixel(drawn.overlay.cursor->x, drawn.figure.y.low).x;
  return drawn;
}

bool interact(Ui& ui, const Drawn& drawn) {
  const plot::Rect& frame = drawn.layout.frame;
  const ImGuiIO& io = ImGui::GetIO();
  click_area(fmt::format("plot.{}", drawn.chart.id), frame);
  const bool hovered = ImGui::IsItemHovered();
  if (hovered && io.MouseWheel != 0) {
    zoom_at_pointer(ui, drawn, std::pow(wheel_step, io.MouseWheel));
  }
  if (hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    maximise(ui.state, drawn.chart.id);
  } else if (drag(ui, drawn, hovered)) {
    return false;
  }
  return hovered && drawn.layout.plot.contains(mouse());
}

void cross_lines(Ui& ui, const Drawn& drawn, std::optional<double> x, std::optional<double> y) {
  ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), ui.fonts);
  const plot::Rect& inside = drawn.layout.plot;
  const Vec at =
      drawn.transform.to_pixel(x.value_or(drawn.figure.x.low), y.value_or(drawn.figure.y.low));
  const auto draw = [&](Vec from, Vec to) {
    canvas.path(std::array{from, to}, ui.theme.text_dim, 1, plot::Dash::dotted, false);
  };
  if (x && at.x >= inside.x && at.x <= inside.right()) {
    ui.map.plots[std::string(drawn.chart.id)].cross_hair = at.x;
    draw({at.x, inside.y}, {at.x, inside.bottom()});
  }
  if (y && at.y >= inside.y && at.y <= inside.bottom())
    draw({inside.x, at.y}, {inside.right(), at.y});
}

void cross_dot(Ui& ui, Vec pixel) {
  ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), ui.fonts);
  canvas.dot(pixel, 3 * ui.theme.plot.scale, ui.theme.text);
}

}  // namespace ui
