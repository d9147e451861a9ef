#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/labs/lab.hpp"
#include "engine/roofs/roof_facts.hpp"
#include "kernels/units.hpp"
#include "ui/figures/point_facts.hpp"
#include "ui/screen/hover.hpp"
#include "ui/views/panel_view.hpp"
#include "ui/views/views.hpp"

namespace ui {

using engine::Session;

namespace {

struct Parts {
  plot::Rect table, levels, shapes;
};

/// Beside each other where the window is wide, else the table above the other two.
Parts parts_of(const Ui& ui, const plot::Rect& all, std::size_t rows) {
  const auto px = [&](float at_scale_1) { return ui.theme.pixels(at_scale_1); };
  const double gap = px(18);
  if (all.w > px(1500)) {
    const double table = std::round(std::clamp(all.w * 0.5, px(860), px(1100)));
    const double levels = std::round((all.h - gap) * 0.55);
    const double x = all.x + table + gap, w = all.w - table - gap;
    return {{all.x, all.y, table, all.h},
            {x, all.y, w, levels},
            {x, all.y + levels + gap, w, all.h - levels - gap}};
  }
  const double wanted = static_cast<double>(rows + 1) * px(22) + px(4);
  const double table = std::round(std::min(wanted, std::max(all.h * 0.54, all.h - px(330))));
  const double y = all.y + table + px(10), h = all.h - table - px(10);
  const double levels = std::round(all.w * 0.54);
  return {{all.x, all.y, all.w, table},
          {all.x - px(6), y, levels, h},
          {all.x + levels + gap, y, all.w - levels - gap, h}};
}

/// The point of the level curves nearest to the pointer, within reach.
const engine::Point* nearest_level(const Session& session, const Drawn& drawn, double reach) {
  const engine::Point* nearest = nullptr;
  for (const engine::Point* point : level_curve(session)) {
    const plot::Vec data = *place_of(drawn.chart, {*point, session, {}});
    const plot::Vec at = drawn.transform.to_pixel(data.x, data.y);
    const double distance = std::hypot(at.x - mouse().x, at.y - mouse().y);
    if (distance > reach || !drawn.layout.plot.contains(at)) continue;
    reach = distance;
    nearest = point;
  }
  return nearest;
}

std::vector<Reading> level_readings(const Session& session, const engine::Point& point) {
  const double rate = point.bytes_per_second();
  std::vector<Reading> rows{{"level", roof_tried_for(session.device, point)},
                            {"bandwidth", units::bytes_per_second(rate)},
                            {engine::per_clock_title(session.device),
                             per_clock_text(rate, "B", point.conditions, session.device)},
                            {"shape", kernels::text_of(point.what.shape)},
                            {"samples", std::to_string(point.seconds.samples.size())},
                            {"note", flags_of(session, point)}};
  std::erase_if(rows, [](const Reading& row) { return row.value.empty(); });
  return rows;
}

void levels_hover(Ui& ui, const Session& session, const Drawn& drawn) {
  ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), ui.fonts);
  const double reach = snap_radius * ui.theme.plot.scale;
  if (const engine::Point* point = nearest_level(session, drawn, reach)) {
    const plot::Vec data = *place_of(drawn.chart, {*point, session, {}});
    vertical(ui, canvas, drawn, data.x);
    horizontal(ui, canvas, drawn, data.y);
    const std::string title = fmt::format("read, {}", units::bytes(working_set_of(*point)));
    draw_read_out(ui, title, level_readings(session, *point), mouse(), drawn.layout.frame);
    return;
  }
  const double x = drawn.transform.to_data_x(mouse().x);
  const double y = drawn.transform.to_data_y(mouse().y);
  vertical(ui, canvas, drawn, x);
  horizontal(ui, canvas, drawn, y);
  draw_read_out(ui, {},
                {{drawn.figure.x.title, on_axis(drawn.figure.x, x)},
                 {drawn.figure.y.title, on_axis(drawn.figure.y, y)}},
                mouse(), drawn.layout.frame);
}

}  // namespace

void draw_roofs(Ui& ui) {
  const plot::Rect all = rest_of_window();
  const Session* session = roofs_session(ui.state);
  const std::vector<RoofRow> rows =
      session != nullptr ? roof_rows(*session) : std::vector<RoofRow>{};
  if (rows.empty()) {
    placeholder(ui, all,
                ui.state.worker.looking ? "Looking for devices..."
                                        : "No roof is known yet: press Space to measure all.");
    return;
  }
  const auto found = std::ranges::find(rows, ui.state.look.selected_roof, &RoofRow::name);
  const RoofRow& selected = found != rows.end() ? *found : rows.front();
  const Parts parts = parts_of(ui, all, rows.size());
  roof_table(ui, *session, rows, selected, parts.table);
  shape_list(ui, *session, selected, parts.shapes);
  ui.state.look.pointed_series.clear();
  KeptPanel& kept = prepare_panel(ui, figure_inputs(ui.state), charts_on_screen(ui.state).front());
  const Drawn& drawn = draw_panel(ui, kept, parts.levels, plot::Legend::own);
  if (interact(ui, drawn)) levels_hover(ui, *session, drawn);
}

}  // namespace ui
