#include "ui/panels/panel_view.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "ui/hover.hpp"
#include "ui/imgui_compat.hpp"
#include "ui/intents.hpp"

namespace ui {

using plot::Vec;

namespace {

constexpr double wheel_step = 0.85;  // range left after one notch
constexpr double grip = 6;  // pixels at scale 1 beside the cursor line that take hold of it

void report(Ui& ui, const Drawn& drawn) {
  UiMap::Plot& map = ui.map.plots[drawn.panel];
  map = {drawn.layout, drawn.figure.x, drawn.figure.y, {}, {}, {}};
  for (const plot::Series& series : drawn.figure.series) map.series.push_back(series.id);
  if (drawn.figure.cursor) {
    map.cursor = drawn.transform.to_pixel(drawn.figure.cursor->x, drawn.figure.y.low).x;
  }
}

const plot::Layout::LegendEntry* legend_under(const Drawn& drawn, Vec at) {
  for (const auto& entry : drawn.layout.legend) {
    if (entry.box.contains(at)) return &entry;
  }
  return nullptr;
}

/// Beside an axis only that axis zooms.
void zoom_at_pointer(Ui& ui, const Drawn& drawn, double factor) {
  const plot::Rect& inside = drawn.layout.plot;
  const Vec at = mouse();
  const plot::Axis& x = drawn.figure.x;
  const plot::Axis& y = drawn.figure.y;
  if (at.x >= inside.x) {
    ui.state.zoom.x_of(drawn.panel) =
        zoomed({x.low, x.high}, drawn.transform.to_data_x(at.x), factor);
  }
  if (at.y <= inside.bottom()) {
    ui.state.zoom.y[index_of(drawn.panel)] =
        zoomed({y.low, y.high}, drawn.transform.to_data_y(at.y), factor);
  }
}

Drawn drawn_anew(Panel panel, const PanelLook& look, KeptParts& parts, SeriesCache& series,
                 const Fonts& fonts) {
  Drawn drawn;
  drawn.panel = panel;
  drawn.figure = figure_on_screen(look.inputs, panel, series);
  if (!drawn.figure.empty_text.empty()) drawn.figure.empty_text = look.empty_text;
  parts.layers.next_drawing(look.texture);
  TriangleRecorder recorder(parts.layers);
  ImGuiCanvas canvas(recorder, fonts);
  canvas.push_clip(look.where);
  drawn.layout = plot::draw(drawn.figure, look.where, look.style, canvas, parts.curves);
  canvas.pop_clip();
  drawn.triangles = recorder.take();
  drawn.transform = plot::transform_of(drawn.figure, drawn.layout);
  return drawn;
}

void pan(Ui& ui, const Drawn& drawn, ImVec2 moved) {
  const plot::Rect& inside = drawn.layout.plot;
  const plot::Axis& x = drawn.figure.x;
  const plot::Axis& y = drawn.figure.y;
  ui.state.zoom.x_of(drawn.panel) =
      panned({x.low, x.high}, -static_cast<double>(moved.x) / inside.w);
  ui.state.zoom.y[index_of(drawn.panel)] =
      panned({y.low, y.high}, static_cast<double>(moved.y) / inside.h);
}

/// Whether the pointer is on the slider's cursor line, near enough to take hold of it.
bool on_cursor(const Ui& ui, const Drawn& drawn) {
  if (!drawn.figure.cursor || !drawn.layout.plot.contains(mouse())) return false;
  const double line = drawn.transform.to_pixel(drawn.figure.cursor->x, drawn.figure.y.low).x;
  return std::abs(mouse().x - line) <= grip * ui.theme.plot.scale;
}

void drag_cursor(Ui& ui, const Drawn& drawn) {
  const double x = drawn.transform.to_data_x(mouse().x);
  if (const auto repeat = repeat_at(x, drawn.panel, ui.state.view.x, ui.state.view.cursor)) {
    set_cursor(ui.state, *repeat, ui.now);
  }
}

/// What a press of the button and a move do to the panel; true while it moves something.
bool drag(Ui& ui, const Drawn& drawn, bool hovered) {
  std::optional<Panel>& held = ui.state.cursor_held;
  if (ImGui::IsItemActivated() && on_cursor(ui, drawn)) held = drawn.panel;
  if (!ImGui::IsItemActive()) {
    if (held == drawn.panel) held.reset();
    if (hovered && on_cursor(ui, drawn)) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    return false;
  }
  if (held == drawn.panel) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    // A click on a point that lies on the line does not move it.
    if (!ImGui::IsMouseDragging(ImGuiMouseButton_Left, 2)) return false;
    drag_cursor(ui, drawn);
    return true;
  }
  if (!ImGui::IsMouseDragging(ImGuiMouseButton_Left)) return false;
  pan(ui, drawn, ImGui::GetIO().MouseDelta);
  return true;
}

}  // namespace

Vec mouse() {
  const ImVec2 at = ImGui::GetIO().MousePos;
  return {static_cast<double>(at.x), static_cast<double>(at.y)};
}

const Drawn& draw_panel(Ui& ui, Panel panel, const plot::Rect& where,
                        const std::string& empty_text) {
  PanelLook look{figure_inputs(ui.state),
                 empty_text,
                 where,
                 ui.theme.plot,
                 {ui.fonts.version(), font_texture_number()}};
  const auto draw = [&](const PanelLook& now, KeptParts& parts) {
    return drawn_anew(panel, now, parts, ui.panels.series(), ui.fonts);
  };
  const Drawn& drawn = ui.panels.get(panel, std::move(look), draw);
  drawn.triangles.add_to(*ImGui::GetWindowDrawList());
  report(ui, drawn);
  return drawn;
}

bool interact(Ui& ui, const Drawn& drawn) {
  const plot::Rect& frame = drawn.layout.frame;
  const ImGuiIO& io = ImGui::GetIO();
  click_area(fmt::format("plot.{}", name_of(drawn.panel)), frame);
  const bool hovered = ImGui::IsItemHovered();
  const auto* legend = hovered ? legend_under(drawn, mouse()) : nullptr;
  if (legend != nullptr) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
      toggle_series(ui.state, drawn.figure.series[legend->series].id);
    }
    return false;
  }
  if (hovered && io.MouseWheel != 0) {
    zoom_at_pointer(ui, drawn, std::pow(wheel_step, static_cast<double>(io.MouseWheel)));
  }
  if (hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    maximise(ui.state, drawn.panel);
  } else if (drag(ui, drawn, hovered)) {
    return false;
  }
  return hovered && drawn.layout.plot.contains(mouse());
}

void vertical(Ui& ui, plot::Canvas& canvas, const Drawn& drawn, double x) {
  const plot::Rect& inside = drawn.layout.plot;
  const double pixel = drawn.transform.to_pixel(x, drawn.figure.y.low).x;
  if (pixel < inside.x || pixel > inside.right()) return;
  ui.map.plots[drawn.panel].cross_hair = pixel;
  const std::array<Vec, 2> line{{{pixel, inside.y}, {pixel, inside.bottom()}}};
  canvas.path(line, ui.theme.text_dim, 1, plot::Dash::dotted, false);
}

void horizontal(Ui& ui, plot::Canvas& canvas, const Drawn& drawn, double y) {
  const plot::Rect& inside = drawn.layout.plot;
  const double pixel = drawn.transform.to_pixel(drawn.figure.x.low, y).y;
  if (pixel < inside.y || pixel > inside.bottom()) return;
  const std::array<Vec, 2> line{{{inside.x, pixel}, {inside.right(), pixel}}};
  canvas.path(line, ui.theme.text_dim, 1, plot::Dash::dotted, false);
}

}  // namespace ui
