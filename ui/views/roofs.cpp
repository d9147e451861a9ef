// The roofs of a device: their table, the shapes that were tried, and the memory levels.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/labs/lab.hpp"
#include "engine/roofs/roof_facts.hpp"
#include "engine/verdict/precision.hpp"
#include "kernels/units.hpp"
#include "ui/actions/intents.hpp"
#include "ui/figures/point_facts.hpp"
#include "ui/figures/roof_rows.hpp"
#include "ui/screen/hover.hpp"
#include "ui/views/panel_view.hpp"
#include "ui/views/views.hpp"

namespace ui {

using engine::Session;

namespace {

/// Where the columns of the roofs' table lie, from the left edge.
struct Columns {
  double name, measured, spread, stated, share, per_clock, shape, end;
  double gap;
};

Columns columns_at(const Ui& ui, double width) {
  const auto px = [&](float at_scale_1) { return ui.theme.pixels(at_scale_1); };
  // Wide windows give every column some air; the rest belongs to the shape.
  const double air = std::clamp((width - px(788)) / 12, 0.0, px(24));
  Columns at{};
  at.gap = px(14);
  at.name = px(28);
  at.measured = at.name + px(104) + std::min(3 * air, px(46));  // "bf16 mul+add, zeros"
  at.spread = at.measured + px(104) + air;
  at.stated = at.spread + px(74) + air;  // "±12.3 %"
  at.share = at.stated + px(100) + air;
  at.per_clock = at.share + px(96) + air;
  at.shape = at.per_clock + px(94) + air;
  at.end = width - px(6);
  return at;
}

plot::Colour row_colour(const Ui& ui, const RoofRow& row) {
  if (row.measured == nullptr) return ui.theme.text_dim;
  return ui.theme.text;
}

void heading_of_roofs(Ui& ui, const Columns& at, const engine::Session& session,
                      const plot::Rect& row) {
  const auto cell = [&](double x, double end, const std::string& words, bool right) {
    text_at(ui, {row.x + (right ? end : x), row.y + row.h / 2}, words, small_size, false,
            ui.theme.text_dim, right ? plot::Align::right : plot::Align::left);
  };
  cell(at.name, 0, "Roof", false);
  cell(0, at.spread - at.gap, "measured", true);
  cell(0, at.stated - at.gap, "95 %", true);
  cell(0, at.share - at.gap, std::string(engine::stated_title(session.device)), true);
  cell(0, at.per_clock - at.gap, "of peak", true);
  cell(0, at.shape - at.gap, engine::per_clock_title(session.device), true);
  const double size = ui.theme.pixels(small_size);
  cell(at.shape, 0, elided(ui, "fastest shape", at.end - at.shape, size, false), false);
}

/// The whole story of one roof, for its tooltip.
std::string story_of(const RoofRow& row) {
  std::string story;
  if (const engine::Roof* roof = row.measured) {
    story = fmt::format("Measured: {}", measured_text(row));
    if (engine::reach_of(*roof) > 0) {
      story += ", 95 % interval " + interval_text(row);
    }
    if (roof->best > 0) {
      story += fmt::format(", median of {} rounds; best {}", roof->rounds.size(),
                           engine::rate_text(roof->best, row.kind, row.integer()));
    }
    if (roof->conditions.clock_hz) {
      story += fmt::format(", at {}", units::hertz(*roof->conditions.clock_hz));
    }
    if (!roof->cite.empty()) story += "\n" + roof->cite;
    if (const std::string shape = shape_text(row); !shape.empty()) story += "\nShape: " + shape;
  } else {
    story = "Not measured yet.";
  }
  if (row.stated > 0) {
    story += fmt::format("\n\nDatasheet: {}\n{}", stated_text(row), row.stated_note);
  }
  return story;
}

void check_box(Ui& ui, const engine::Session& session, const RoofRow& row, const plot::Rect& at) {
  const double size = ui.theme.pixels(14);
  const plot::Rect box{at.x + ui.theme.pixels(4), std::round(at.y + (at.h - size) / 2), size, size};
  const bool enabled = row.can_be_drawn();
  const bool drawn = enabled && draws_roof(session, row.name, ui.state.look.view);
  const std::string name = "draw." + row.name;
  const bool clicked = click_area(name, {box.x - 2, box.y - 2, size + 4, size + 4});
  report_row(ui, name, drawn ? "drawn" : "");
  tip_on_hover(ui, !enabled ? "Launches have no line in a roofline."
                   : drawn  ? "Drawn in the roofline; click to leave it out."
                            : "Not drawn in the roofline; click to draw it.");
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const plot::Colour face = drawn ? ui.theme.chosen : ui.theme.control;
  if (enabled) {
    fill_rect(list, box, face, ui.theme.px(3));
  }
  if (drawn) {
    ImGuiCanvas canvas(list, ui.fonts);
    const std::array<plot::Vec, 3> tick{{{box.x + 0.22 * size, box.y + 0.52 * size},
                                         {box.x + 0.43 * size, box.y + 0.73 * size},
                                         {box.x + 0.8 * size, box.y + 0.28 * size}}};
    canvas.path(tick, ui.theme.text, 1.6 * ui.theme.plot.scale, plot::Dash::solid, false);
  }
  if (clicked && enabled) toggle_roof(ui.state, row.name);
}

void share_cell(Ui& ui, const RoofRow& row, const plot::Rect& at, const Columns& columns) {
  const double right = columns.per_clock - columns.gap;
  const double words = ui.theme.pixels(46);
  draw_cell(ui, at, {right - words, words, share_text(row), row_colour(ui, row), false, true});
  if (!(row.share() > 0)) return;
  const double left = at.x + columns.share;
  const double width = columns.per_clock - columns.share - columns.gap - words - ui.theme.pixels(4);
  const double half = ui.theme.pixels(2);
  const double y = at.y + at.h / 2;
  const auto bar = [&](double length, plot::Colour colour) {
    fill_rect(*ImGui::GetWindowDrawList(), {left, y - half, length, 2 * half}, colour,
              static_cast<float>(half));
  };
  bar(width, ui.theme.control);
  bar(std::max(2 * half, width * std::min(row.share(), 1.0)), ui.theme.plot.series_colours[0]);
}

void roof_row(Ui& ui, const engine::Session& session, const RoofRow& row, bool selected,
              const plot::Rect& at) {
  const Columns columns = columns_at(ui, at.w);
  const double from = columns.name - ui.theme.pixels(4);
  const std::string name = "roof." + row.name;
  if (click_area(name, {at.x + from, at.y, at.w - from, at.h - 1}))
    ui.state.look.selected_roof = row.name;
  report_row(ui, name, selected ? "chosen" : "");
  const bool hot = ImGui::IsItemHovered();
  if (selected || hot) {
    fill_rect(*ImGui::GetWindowDrawList(), {at.x + from, at.y, at.w - from, at.h - 1},
              selected ? ui.theme.control_hover : ui.theme.control, ui.theme.px(4));
  }
  tip_on_hover(ui, story_of(row));
  const plot::Colour colour = row_colour(ui, row);
  const auto number = [&](double begin, double end, const std::string& text, bool bold) {
    draw_cell(ui, at, {begin, end - begin - columns.gap, text, colour, bold, true});
  };
  draw_cell(ui, at,
            {columns.name, columns.measured - columns.name - 4, row.name, colour, selected});
  number(columns.measured, columns.spread, measured_text(row), true);
  number(columns.spread, columns.stated, spread_text(row), false);
  number(columns.stated, columns.share, stated_text(row), false);
  share_cell(ui, row, at, columns);
  number(columns.per_clock, columns.shape, per_clock_text(row, session.device), false);
  draw_cell(ui, at,
            {columns.shape, columns.end - columns.shape, shape_text(row), ui.theme.text_dim});
  check_box(ui, session, row, at);
}

void shape_row(Ui& ui, const engine::Session& session, const RoofRow& roof,
               const std::vector<const engine::Point*>& tried, std::size_t place,
               const plot::Rect& at) {
  const engine::Point &point = *tried[place], &fastest = *tried.front();
  const double rate = rate_of(point, roof.kind);
  const double best = rate_of(fastest, roof.kind);
  const double share = best > 0 ? rate / best : 0;
  const auto px = [&](float at_scale_1) { return ui.theme.pixels(at_scale_1); };
  const std::string name = fmt::format("shape.{}", place);
  click_area(name, {at.x, at.y, at.w, at.h - 1});
  const std::string shape = tried_text(point);
  std::string words = &point == &fastest ? shape : difference_text(point, fastest);
  report_row(ui, name, shape);
  std::string story = shape;
  if (roof.measured != nullptr && roofs_own(tried, *roof.measured) == &point) {
    words = "the roof: " + words;  // in front, where narrow lists keep it
    story += "\nThe roof was measured again, for longer than the shapes that were tried.";
  }
  if (!point.why.empty()) story += "\n" + point.why;
  if (!point.note.empty()) story += "\n" + point.note;
  if (const std::string flags = flags_of(session, point); !flags.empty()) story += "\n" + flags;
  tip_on_hover(ui, story);
  if (share > 0) {
    plot::Colour tint = ui.theme.plot.series_colours[0];
    tint.a = place == 0 ? 0.3F : 0.14F;
    fill_rect(*ImGui::GetWindowDrawList(), {at.x, at.y + 1, at.w * share, at.h - 2}, tint,
              ui.theme.px(3));
  }
  const plot::Colour colour = rate > 0 ? ui.theme.text : ui.theme.text_disabled;
  const double rate_width = px(92), share_width = px(48), end = at.w - px(8);
  const double room = end - rate_width - share_width - px(14);
  draw_cell(ui, at, {px(6), room, words, colour, place == 0});
  draw_cell(ui, at,
            {end - share_width - rate_width, rate_width,
             engine::rate_text(rate, roof.kind, roof.integer()), colour, place == 0, true});
  draw_cell(ui, at,
            {end - share_width, share_width, share > 0 ? units::percent(share) : "-",
             ui.theme.text_dim, false, true});
}

/// The roofs beside what the datasheet states, each of which can be drawn or left out.
void roof_table(Ui& ui, const engine::Session& session, const std::vector<RoofRow>& rows,
                const RoofRow& selected, const plot::Rect& where) {
  const double height = ui.theme.pixels(row_height);
  const double bar = ImGui::GetStyle().ScrollbarSize;
  const double needed = static_cast<double>(rows.size()) * height;
  const bool scrolls = needed > where.h - height;
  heading_of_roofs(ui, columns_at(ui, where.w - (scrolls ? bar : 0)), session,
                   {where.x, where.y, where.w, height});
  list_rows(ui, "roof rows", {where.x, where.y + height, where.w, where.h - height}, rows.size(),
            [&](std::size_t i, const plot::Rect& at) {
              roof_row(ui, session, rows[i], rows[i].name == selected.name, at);
            });
}

/// Every shape that was tried for a roof, fastest first.
void shape_list(Ui& ui, const engine::Session& session, const RoofRow& selected,
                const plot::Rect& where) {
  const std::vector<const engine::Point*> tried = tried_for(session, selected.name);
  const double height = ui.theme.pixels(row_height);
  const auto measured = std::ranges::count(tried, engine::Status::ok, &engine::Point::status);
  const plot::Rect title{where.x, where.y, where.w, height};
  const std::string words =
      tried.empty()
          ? fmt::format(
                "{}: no tries in this session{}", selected.name,
                file_of(ui.state, session) != nullptr ? "" : "; Measure all roofs records them")
          : fmt::format("{}: {} measured, fastest first", selected.name, measured);
  draw_cell(ui, title, {0, where.w, words, ui.theme.text, true});
  list_rows(
      ui, "shape rows", {where.x, where.y + height, where.w, where.h - height}, tried.size(),
      [&](std::size_t i, const plot::Rect& at) { shape_row(ui, session, selected, tried, i, at); });
}

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
  const double reach = snap_radius * ui.theme.plot.scale;
  if (const auto nearest = ui.panels.points(drawn).nearest(mouse(), reach)) {
    const engine::Point& point = session.points[nearest->point];
    const plot::Vec data = *place_of(drawn.chart, {point, session, {}});
    cross_lines(ui, drawn, data.x, data.y);
    const std::string title = fmt::format("read, {}", units::bytes(working_set_of(point)));
    draw_read_out(ui, title, level_readings(session, point), drawn.layout.frame);
    return;
  }
  const double x = drawn.transform.to_data_x(mouse().x);
  const double y = drawn.transform.to_data_y(mouse().y);
  cross_lines(ui, drawn, x, y);
  draw_read_out(ui, {},
                {{drawn.figure.x.title, on_axis(drawn.figure.x, x)},
                 {drawn.figure.y.title, on_axis(drawn.figure.y, y)}},
                drawn.layout.frame);
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
