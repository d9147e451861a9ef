#include "ui/panels/plots.hpp"

#include <fmt/format.h>

#include <vector>

#include "engine/units.hpp"
#include "ui/hover.hpp"
#include "ui/inspection.hpp"
#include "ui/limits.hpp"
#include "ui/panels/panel_view.hpp"
#include "ui/panels/read_out.hpp"
#include "ui/panels/splitters.hpp"

namespace ui {

using engine::Session;
using plot::Vec;

namespace {

struct Frame {
  std::vector<const Session*> sessions;
  std::vector<const Drawn*> panels;
};

/// Said once, not four times.
std::string empty_text(const AppState& state, Panel panel) {
  if (panel == Panel::speedup) {
    return "Nothing to compare yet: measure fused and unfused, with the same elements.";
  }
  if (panel != state.maximised.value_or(panels_on_screen(state).front())) return {};
  return state.running.sweep ? "Measuring the roofs and the first point..."
                             : "Press Space to measure this device.";
}

void point_cross_hair(Ui& ui, plot::Canvas& canvas, const Frame& frame, const Drawn& under,
                      const Hovered& at) {
  const Session& session = *frame.sessions[at.session];
  const engine::Point& point = session.points[at.point];
  for (const Drawn* drawn : frame.panels) {
    const Vec data = place_of(point, drawn->panel, ui.state.view.x);
    vertical(ui, canvas, *drawn, data.x);
    horizontal(ui, canvas, *drawn, data.y);
    const Vec pixel = drawn->transform.to_pixel(data.x, data.y);
    if (drawn->layout.plot.contains(pixel)) {
      canvas.dot(pixel, 3 * ui.theme.plot.scale, ui.theme.text);
    }
  }
  std::vector<Reading> rows = readings_of(session, point);
  for (const WhatIf& there : what_ifs(ui.state.view, point.what)) {
    rows.push_back(
        {"on " + there.name, fmt::format("{} (predicted)", units::seconds(there.seconds))});
  }
  if (const OpenedFile* file = file_of(ui.state, session)) rows.push_back({"file", file->name});
  // The inspector says more, and would lie below it.
  if (!ui.state.inspected) draw_read_out(ui, series_name(point), rows, mouse(), under.layout.frame);
}

/// Through a place of the panel `under`; its x in the others, too, where they have it.
void cross_hair(Ui& ui, plot::Canvas& canvas, const Frame& frame, const Drawn& under, Vec at) {
  for (const Drawn* drawn : frame.panels) {
    const auto carried =
        carried_x(at.x, under.panel, drawn->panel, ui.state.view.x, ui.state.view.cursor);
    if (carried) vertical(ui, canvas, *drawn, *carried);
  }
  horizontal(ui, canvas, under, at.y);
}

void free_cross_hair(Ui& ui, plot::Canvas& canvas, const Frame& frame, const Drawn& under) {
  const Vec at{under.transform.to_data_x(mouse().x), under.transform.to_data_y(mouse().y)};
  cross_hair(ui, canvas, frame, under, at);
  draw_read_out(ui, {},
                {{under.figure.x.title, on_axis(under.figure.x, at.x)},
                 {under.figure.y.title, on_axis(under.figure.y, at.y)}},
                mouse(), under.layout.frame);
}

std::optional<FigurePoint> nearest_speedup(const Drawn& under, double reach) {
  if (under.panel != Panel::speedup) return std::nullopt;
  return nearest_drawn(under.figure, under.transform, mouse(), reach);
}

/// Of a quotient of two points; the other panels get its place on their axes.
void speedup_cross_hair(Ui& ui, plot::Canvas& canvas, const Frame& frame, const Drawn& under,
                        const FigurePoint& point) {
  cross_hair(ui, canvas, frame, under, point.at());
  canvas.dot(under.transform.to_pixel(point.at().x, point.at().y), 3 * ui.theme.plot.scale,
             ui.theme.text);
  draw_read_out(ui, point.series->name, speedup_readings(under.figure, point), mouse(),
                under.layout.frame);
}

/// Rings around the points that the results table has chosen, or the pointer is on there.
void ring_chosen(Ui& ui, const Frame& frame) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ResultsTable& table = ui.state.results;
  const auto ring = [&](const Hovered& at) {
    if (at.session >= frame.sessions.size()) return;
    const auto& points = frame.sessions[at.session]->points;
    if (at.point >= points.size() || points[at.point].status != engine::Status::ok) return;
    for (const Drawn* drawn : frame.panels) {
      const Vec data = place_of(points[at.point], drawn->panel, ui.state.view.x);
      const Vec pixel = drawn->transform.to_pixel(data.x, data.y);
      if (drawn->layout.plot.contains(pixel)) {
        list.AddCircle(vec_of(pixel), ui.theme.px(8), colour_of(ui.theme.text), 0, ui.theme.px(2));
      }
    }
  };
  if (ui.state.below != Below::results) return;
  for (const Hovered& at : table.selected) ring(at);
  if (table.pointed) ring(*table.pointed);
}

void hover(Ui& ui, const Frame& frame, const Drawn* under, const plot::Rect& all) {
  ui.state.hovered.reset();
  if (under == nullptr) return;
  const FigureInputs inputs = figure_inputs(ui.state);
  const PointMap& points = ui.panels.points(*under, inputs.sessions, inputs.view);
  const double reach = snap_radius * ui.theme.plot.scale;
  ui.state.hovered = points.nearest(mouse(), reach);
  ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), ui.fonts);
  // A click on one point: neither the end of a drag, which pans, nor of a double click, after which
  // another point may lie under the pointer.
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    ui.state.pressed = ui.state.hovered;
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) ui.state.pressed.reset();
  }
  const ImVec2 dragged = ImGui::GetMouseDragDelta(ImGuiMouseButton_Left);
  const bool clicked = ImGui::IsMouseReleased(ImGuiMouseButton_Left) && dragged.x == 0 &&
                       dragged.y == 0 && ui.state.pressed == ui.state.hovered;
  if (clicked && ui.state.hovered) {
    inspect(ui.state, *ui.state.hovered);
    if (ui.state.inspected) ui.state.inspected->at_left = mouse().x > all.x + all.w / 2;
  }
  if (ui.state.hovered) {
    point_cross_hair(ui, canvas, frame, *under, *ui.state.hovered);
  } else if (const auto point = nearest_speedup(*under, reach)) {
    speedup_cross_hair(ui, canvas, frame, *under, *point);
  } else {
    free_cross_hair(ui, canvas, frame, *under);
  }
}

void nothing_yet(Ui& ui, const plot::Rect& where) {
  ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), ui.fonts);
  const double size = static_cast<double>(ui.theme.px(title_size));
  const char* words = ui.state.looking ? "Looking for devices..." : "No device can be measured.";
  canvas.text({where.x + where.w / 2, where.y + where.h / 2}, words, size, ui.theme.text_dim,
              plot::Align::centre, 0, false);
}

/// Each panel in its cell, or the maximised one over all of them.
void draw_panels(Ui& ui, const plot::Rect& all, const Places& places, Frame& frame) {
  if (const auto only = ui.state.maximised) {
    frame.panels.push_back(&draw_panel(ui, *only, all, empty_text(ui.state, *only)));
    return;
  }
  const Grid grid = grid_of(ui.state.division, static_cast<double>(ui.theme.scale), all);
  const std::vector<Panel> panels = panels_on_screen(ui.state);
  const bool in_rows = panels.size() == grid.rows.size();
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const plot::Rect& where = in_rows ? grid.rows[i] : grid.cells[i];
    frame.panels.push_back(&draw_panel(ui, panels[i], where, empty_text(ui.state, panels[i])));
  }
  if (!in_rows) splitter(ui, Splitter::column, grid.column_splitter, places);
  for (std::size_t i = 0; i < grid.row_splitters.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    splitter(ui, Splitter::row, grid.row_splitters[i], places);
    ImGui::PopID();
  }
}

}  // namespace

void draw_plots(Ui& ui, const Places& places) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size = ImGui::GetContentRegionAvail();
  const plot::Rect all{at.x, at.y, size.x, size.y};
  Frame frame;
  frame.sessions = sessions_shown(ui.state);
  if (frame.sessions.empty()) {
    nothing_yet(ui, all);
    return;
  }
  draw_panels(ui, all, places, frame);
  const Drawn* under = nullptr;
  for (const Drawn* drawn : frame.panels) {
    if (interact(ui, *drawn)) under = drawn;
  }
  ring_chosen(ui, frame);
  hover(ui, frame, under, all);
}

}  // namespace ui
