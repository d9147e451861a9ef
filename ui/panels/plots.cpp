#include "ui/panels/plots.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "engine/units.hpp"
#include "ui/hover.hpp"
#include "ui/intents.hpp"
#include "ui/limits.hpp"
#include "ui/panels/read_out.hpp"

namespace ui {

using engine::Session;
using plot::Vec;

namespace {

constexpr double wheel_step = 0.85;  // range left after one notch
constexpr double snap_radius = 14;   // pixels at scale 1

/// One panel as drawn in this frame.
struct Drawn {
  Panel panel = Panel::roofline;
  plot::Figure figure;
  plot::Layout layout;
  plot::Transform transform;
};

struct Frame {
  std::vector<const Session*> sessions;
  std::array<Drawn, panel_count> panels;
};

Vec mouse() {
  const ImVec2 at = ImGui::GetIO().MousePos;
  return {static_cast<double>(at.x), static_cast<double>(at.y)};
}

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

Drawn draw_panel(Ui& ui, Panel panel, const plot::Rect& where) {
  Drawn drawn;
  drawn.panel = panel;
  drawn.figure = figure_on_screen(ui.state, panel);
  if (!drawn.figure.empty_text.empty()) drawn.figure.empty_text = empty_text(ui.state, panel);
  ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), ui.fonts);
  canvas.push_clip(where);
  drawn.layout = plot::draw(drawn.figure, where, ui.theme.plot, canvas);
  canvas.pop_clip();
  drawn.transform = plot::transform_of(drawn.figure, drawn.layout);
  return drawn;
}

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

void pan(Ui& ui, const Drawn& drawn, ImVec2 moved) {
  const plot::Rect& inside = drawn.layout.plot;
  const plot::Axis& x = drawn.figure.x;
  const plot::Axis& y = drawn.figure.y;
  ui.state.zoom.x_of(drawn.panel) =
      panned({x.low, x.high}, -static_cast<double>(moved.x) / inside.w);
  ui.state.zoom.y[index_of(drawn.panel)] =
      panned({y.low, y.high}, static_cast<double>(moved.y) / inside.h);
}

/// Mouse on one panel; true while the pointer is inside its axes.
bool interact(Ui& ui, const Drawn& drawn) {
  const plot::Rect& frame = drawn.layout.frame;
  const ImGuiIO& io = ImGui::GetIO();
  ImGui::SetCursorScreenPos(vec_of({frame.x, frame.y}));
  const std::string id = fmt::format("plot.{}", name_of(drawn.panel));
  ImGui::InvisibleButton(id.c_str(), vec_of({frame.w, frame.h}));
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
    fit_panel(ui.state.zoom, drawn.panel);
  } else if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left)) {
    pan(ui, drawn, io.MouseDelta);
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

void point_cross_hair(Ui& ui, plot::Canvas& canvas, const Frame& frame, const Hovered& at) {
  const Session& session = *frame.sessions[at.session];
  const engine::Point& point = session.points[at.point];
  for (const Drawn& drawn : frame.panels) {
    const Vec data = place_of(point, drawn.panel, ui.state.view.x);
    vertical(ui, canvas, drawn, data.x);
    horizontal(ui, canvas, drawn, data.y);
    const Vec pixel = drawn.transform.to_pixel(data.x, data.y);
    if (drawn.layout.plot.contains(pixel)) {
      canvas.dot(pixel, 3 * ui.theme.plot.scale, ui.theme.text);
    }
  }
  std::vector<Reading> rows = readings_of(session, point);
  if (const OpenedFile* file = file_of(ui.state, session)) rows.push_back({"file", file->name});
  draw_read_out(ui, series_name(point), rows, mouse());
}

void free_cross_hair(Ui& ui, plot::Canvas& canvas, const Frame& frame, const Drawn& under) {
  const double x = under.transform.to_data_x(mouse().x);
  const double y = under.transform.to_data_y(mouse().y);
  for (const Drawn& drawn : frame.panels) {
    const auto carried =
        carried_x(x, under.panel, drawn.panel, ui.state.view.x, ui.state.view.cursor);
    if (carried) vertical(ui, canvas, drawn, *carried);
  }
  horizontal(ui, canvas, under, y);
  draw_read_out(ui, {},
                {{under.figure.x.title, on_axis(under.figure.x, x)},
                 {under.figure.y.title, on_axis(under.figure.y, y)}},
                mouse());
}

void hover(Ui& ui, const Frame& frame, const Drawn* under) {
  ui.state.hovered.reset();
  if (under == nullptr) return;
  ui.state.hovered = nearest_point(frame.sessions, under->panel, ui.state.view, under->transform,
                                   mouse(), snap_radius * ui.theme.plot.scale);
  ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), ui.fonts);
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
  const Drawn* under = nullptr;
  for (std::size_t i = 0; i < all_panels.size(); ++i) {
    frame.panels[i] = draw_panel(ui, all_panels[i], cell(all, i, ui.theme.plot.scale * 6));
    report(ui, frame.panels[i]);
  }
  for (const Drawn& drawn : frame.panels) {
    if (interact(ui, drawn)) under = &drawn;
  }
  hover(ui, frame, under);
}

}  // namespace ui
