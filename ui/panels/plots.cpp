#include "ui/panels/plots.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "engine/units.hpp"
#include "ui/hover.hpp"
#include "ui/inspection.hpp"
#include "ui/panels/panel_view.hpp"
#include "ui/panels/read_out.hpp"

namespace ui {

using engine::Session;
using plot::Vec;

namespace {

struct Frame {
  std::vector<const Session*> sessions;
  std::array<Drawn*, sweep_panels.size()> panels;
};

plot::Rect cell(plot::Rect all, std::size_t index, double gap) {
  const double w = std::floor((all.w - gap) / 2);
  const double h = std::floor((all.h - gap) / 2);
  return {all.x + static_cast<double>(index % 2) * (w + gap),
          all.y + static_cast<double>(index / 2) * (h + gap), w, h};
}

/// Said once, not four times.
std::string empty_text(const AppState& state, Panel panel) {
  if (panel != Panel::roofline) return {};
  return state.running.sweep ? "Measuring the roofs and the first point..."
                             : "Press Space to measure this device.";
}

void point_cross_hair(Ui& ui, plot::Canvas& canvas, const Frame& frame, const Hovered& at) {
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
  if (const auto there = what_if_seconds(ui.state.view, point.what)) {
    rows.push_back({"on " + ui.state.view.what_if->device.name,
                    fmt::format("{} (predicted)", units::seconds(*there))});
  }
  if (const OpenedFile* file = file_of(ui.state, session)) rows.push_back({"file", file->name});
  draw_read_out(ui, series_name(point), rows, mouse());
}

void free_cross_hair(Ui& ui, plot::Canvas& canvas, const Frame& frame, const Drawn& under) {
  const double x = under.transform.to_data_x(mouse().x);
  const double y = under.transform.to_data_y(mouse().y);
  for (const Drawn* drawn : frame.panels) {
    const auto carried =
        carried_x(x, under.panel, drawn->panel, ui.state.view.x, ui.state.view.cursor);
    if (carried) vertical(ui, canvas, *drawn, *carried);
  }
  horizontal(ui, canvas, under, y);
  draw_read_out(ui, {},
                {{under.figure.x.title, on_axis(under.figure.x, x)},
                 {under.figure.y.title, on_axis(under.figure.y, y)}},
                mouse());
}

void hover(Ui& ui, const Frame& frame, Drawn* under) {
  ui.state.hovered.reset();
  if (under == nullptr) return;
  if (!under->points) {
    under->points.emplace(frame.sessions, under->panel, ui.state.view, under->transform);
  }
  ui.state.hovered = under->points->nearest(mouse(), snap_radius * ui.theme.plot.scale);
  ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), ui.fonts);
  // A click, not the end of a drag, which pans.
  const ImVec2 dragged = ImGui::GetMouseDragDelta(ImGuiMouseButton_Left);
  const bool clicked =
      ImGui::IsMouseReleased(ImGuiMouseButton_Left) && dragged.x == 0 && dragged.y == 0;
  if (clicked && ui.state.hovered) inspect_hovered(ui.state);
  if (ui.state.hovered) {
    point_cross_hair(ui, canvas, frame, *ui.state.hovered);
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

}  // namespace

void draw_plots(Ui& ui) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size = ImGui::GetContentRegionAvail();
  const plot::Rect all{at.x, at.y, size.x, size.y};
  Frame frame;
  frame.sessions = sessions_shown(ui.state);
  if (frame.sessions.empty()) {
    nothing_yet(ui, all);
    return;
  }
  Drawn* under = nullptr;
  for (std::size_t i = 0; i < sweep_panels.size(); ++i) {
    const Panel panel = sweep_panels[i];
    frame.panels[i] =
        &draw_panel(ui, panel, cell(all, i, ui.theme.plot.scale * 6), empty_text(ui.state, panel));
  }
  for (Drawn* drawn : frame.panels) {
    if (interact(ui, *drawn)) under = drawn;
  }
  hover(ui, frame, under);
}

}  // namespace ui
