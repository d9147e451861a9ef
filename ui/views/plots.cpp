#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "kernels/units.hpp"
#include "ui/actions/intents.hpp"
#include "ui/screen/exercise.hpp"
#include "ui/screen/hover.hpp"
#include "ui/screen/limits.hpp"
#include "ui/views/panel_view.hpp"
#include "ui/views/views.hpp"

namespace ui {

using engine::ExerciseKind;
using engine::Session;
using plot::Vec;

namespace {

struct Frame {
  FigureInputs inputs;
  std::vector<const Session*> sessions;
  std::vector<const Drawn*> panels;
};

/// Where a point lies in a panel, in pixels of it; nothing outside its axes.
struct Spot {
  Vec data, pixel;
};
std::optional<Spot> spot_of(const Drawn& drawn, const Session& session,
                            const engine::Point& point) {
  const auto place = place_of(drawn.shown.chart, {point, session, {}});
  if (!place) return {};
  return Spot{{place->x, place->y}, drawn.transform.to_pixel(place->x, place->y)};
}

void point_cross_hair(Ui& ui, const Frame& frame, const Drawn& under, const Hovered& at) {
  const Session& session = *frame.sessions[at.session];
  const engine::Point& point = session.points[at.point];
  for (const Drawn* drawn : frame.panels) {
    const auto spot = spot_of(*drawn, session, point);
    if (!spot) continue;
    cross_lines(ui, *drawn, spot->data.x, spot->data.y);
    if (drawn->layout.plot.contains(spot->pixel)) cross_dot(ui, spot->pixel);
  }
  std::vector<Reading> rows = readings_of(under.shown.chart, session, point);
  for (const WhatIf& there : what_ifs(ui.state.look.view, session, point.what)) {
    rows.push_back(
        {"on " + there.name, fmt::format("{} {}", there.how(), units::seconds(there.seconds))});
  }
  if (const OpenedFile* file = file_of(ui.state, session)) rows.push_back({"file", file->name});
  // The inspector says more, and would lie below it.
  if (!ui.state.look.inspected) draw_read_out(ui, point_name(point), rows, under.layout.frame);
}

/// Through a place of the panel `under`; its x in the others, too, where they have it.
void cross_hair(Ui& ui, const Frame& frame, const Drawn& under, Vec at) {
  for (const Drawn* drawn : frame.panels) {
    const auto carried =
        carried_x(at.x, under.shown.chart, drawn->shown.chart, ui.state.look.view.cursor);
    cross_lines(ui, *drawn, carried, drawn == &under ? std::optional(at.y) : std::nullopt);
  }
}

void free_cross_hair(Ui& ui, const Frame& frame, const Drawn& under) {
  const Vec at{under.transform.to_data_x(mouse().x), under.transform.to_data_y(mouse().y)};
  cross_hair(ui, frame, under, at);
  draw_read_out(ui, {},
                {{under.figure.x.title, on_axis(under.figure.x, at.x)},
                 {under.figure.y.title, on_axis(under.figure.y, at.y)}},
                under.layout.frame);
}

/// Of a quotient of two points; the other panels get its place on their axes.
void quotient_cross_hair(Ui& ui, const Frame& frame, const Drawn& under, const FigurePoint& point) {
  cross_hair(ui, frame, under, point.at());
  cross_dot(ui, under.transform.to_pixel(point.at().x, point.at().y));
  draw_read_out(ui, point.series->name, readings_of(under.chart.y, under.figure, point),
                under.layout.frame);
}

/// Rings around the inspected point, and those that the results table has chosen or points at.
void ring_chosen(Ui& ui, const Frame& frame) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ResultsTable& table = ui.state.look.results;
  const auto ring = [&](const Hovered& at) {
    if (at.session >= frame.sessions.size()) return;
    const auto& points = frame.sessions[at.session]->points;
    if (at.point >= points.size() || points[at.point].status != engine::Status::ok) return;
    for (const Drawn* drawn : frame.panels) {
      const auto spot = spot_of(*drawn, *frame.sessions[at.session], points[at.point]);
      if (spot && drawn->layout.plot.contains(spot->pixel)) {
        list.AddCircle(vec_of(spot->pixel), ui.theme.px(8), colour_of(ui.theme.text), 0,
                       ui.theme.px(2));
      }
    }
  };
  for (std::size_t i = 0; ui.state.look.inspected && i < frame.sessions.size(); ++i) {
    const auto& points = frame.sessions[i]->points;
    const auto found =
        std::ranges::find(points, ui.state.look.inspected->point_id, &engine::Point::id);
    if (found != points.end() && frame.sessions[i]->created == ui.state.look.inspected->created)
      ring({i, static_cast<std::size_t>(found - points.begin())});
  }
  if (ui.state.look.below != Below::results) return;
  for (const Hovered& at : table.selected) ring(at);
  if (table.pointed) ring(*table.pointed);
}

void draw_hover(Ui& ui, const Frame& frame, const Drawn* under, const plot::Rect& all) {
  ui.state.look.hovered.reset();
  const ImGuiIO& io = ImGui::GetIO();
  bool& keys_move = ui.state.look.keys_move;
  if (io.MouseDelta.x != 0 || io.MouseDelta.y != 0 || ImGui::IsMouseDown(ImGuiMouseButton_Left))
    keys_move = false;
  if (under == nullptr || keys_move) return;
  const PointMap& points = ui.panels.points(*under);
  const double reach = snap_radius * ui.theme.plot.scale;
  ui.state.look.hovered = points.nearest(mouse(), reach);
  // A click on one point: neither the end of a drag, which pans, nor of a double click, after which
  // another point may lie under the pointer.
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left))
    press_point(ui.state, ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left));
  const ImVec2 dragged = ImGui::GetMouseDragDelta(ImGuiMouseButton_Left);
  if (ImGui::IsMouseReleased(ImGuiMouseButton_Left) && dragged.x == 0 && dragged.y == 0)
    click_point(ui.state, mouse().x > all.x + all.w / 2);
  if (ui.state.look.hovered) {
    point_cross_hair(ui, frame, *under, *ui.state.look.hovered);
  } else if (const auto point =
                 under->chart.versus.empty()
                     ? std::nullopt
                     : nearest_drawn(under->figure, under->transform, mouse(), reach)) {
    quotient_cross_hair(ui, frame, *under, *point);
  } else if (const auto solid =
                 solid_at(under->figure, under->chart.y, under->transform, mouse())) {
    draw_read_out(ui, solid->name, solid->readings, under->layout.frame);
  } else {
    free_cross_hair(ui, frame, *under);
  }
}

/// Which axis of a chart has the answer of an exercise.
enum class Along : std::uint8_t { none, x, y };

Along axis_of(const engine::Exercise& exercise, const engine::Chart& chart) {
  const engine::Metric* x = chart.x_metric();
  if (exercise.kind == ExerciseKind::knee && x != nullptr && x->key == "repeat") return Along::x;
  if (exercise.kind == ExerciseKind::rate && chart.y == engine::metrics::flops) return Along::y;
  return Along::none;
}

struct GuessLine {
  double value = 0;
  std::string words;
  plot::Colour colour;
  plot::Dash dash = plot::Dash::solid;
  bool first = true;  ///< its words stand in the first row
};

void draw_guess_line(Ui& ui, const Drawn& drawn, Along along, const GuessLine& line) {
  const plot::Rect& inside = drawn.layout.plot;
  const bool x = along == Along::x;
  const plot::Axis& axis = x ? drawn.figure.x : drawn.figure.y;
  if (line.value < axis.low || line.value > axis.high) return;
  const Vec at = drawn.transform.to_pixel(x ? line.value : drawn.figure.x.low,
                                          x ? drawn.figure.y.low : line.value);
  const std::array<Vec, 2> ends =
      x ? std::array<Vec, 2>{{{at.x, inside.y}, {at.x, inside.bottom()}}}
        : std::array<Vec, 2>{{{inside.x, at.y}, {inside.right(), at.y}}};
  ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), ui.fonts);
  canvas.path(ends, line.colour, ui.theme.pixels(2), line.dash, false);
  if (line.words.empty()) return;
  const double size = ui.theme.pixels(small_size), pad = ui.theme.pixels(6);
  const double wide = canvas.text_extent(line.words, size, true).x + pad;
  const bool left = x && at.x + wide > inside.right();
  const double row = line.first ? 1 : 2.5;
  const Vec words = x ? Vec{at.x + (left ? -pad : pad), inside.y + row * size}
                      : Vec{inside.x + pad + (line.first ? 0 : inside.w / 2), at.y - 0.7 * size};
  // What lies below would be read with the words.
  const double begin = words.x - (left ? wide - pad : 0);
  fill_rect(*ImGui::GetWindowDrawList(), {begin - pad / 2, words.y - 0.6 * size, wide, 1.2 * size},
            ui.theme.plot.background, ui.theme.px(2));
  canvas.text(words, line.words, size, line.colour, left ? plot::Align::right : plot::Align::left,
              0, true);
}

/// While an exercise waits for a guess, the mouse on a panel does nothing but place it; true then.
bool place_guess(Ui& ui, const Drawn& drawn) {
  if (!hides_points(ui.state)) return false;
  click_area(fmt::format("plot.{}", drawn.chart.id), drawn.layout.frame);
  const Along along = axis_of(*current_exercise(ui.state), drawn.shown.chart);
  const Vec at = mouse();
  if (along == Along::none || !ImGui::IsItemActive() || !drawn.layout.plot.contains(at))
    return true;
  const double value =
      along == Along::x ? drawn.transform.to_data_x(at.x) : drawn.transform.to_data_y(at.y);
  guess(ui.state, value);
  return true;
}

/// Guess and measured value as lines in a panel that has them on an axis; false in others.
bool draw_guess(Ui& ui, const Drawn& drawn, bool in_words) {
  const engine::Exercise* exercise = current_exercise(ui.state);
  if (exercise == nullptr) return false;
  const Along along = axis_of(*exercise, drawn.shown.chart);
  const auto& said = ui.state.dialogs.exercise->guess;
  if (along == Along::none || !said) return false;
  draw_guess_line(ui, drawn, along,
                  {std::get<double>(*said), in_words ? "you: " + text_of(*exercise, *said) : "",
                   ui.theme.accent, plot::Dash::dashed});
  const ExerciseText words = exercise_text(ui.state);
  if (!words.measured || !words.measured->value) return true;
  draw_guess_line(ui, drawn, along,
                  {std::get<double>(*words.measured->value),
                   in_words ? "measured: " + text_of(*exercise, *words.measured->value) : "",
                   measured_colour(ui.theme), plot::Dash::solid, false});
  return true;
}

/// Whether charts in type that large would have to leave out their titles or labels.
bool is_cramped(const Ui& ui, const Grid& grid) {
  constexpr double least_width = 24, least_height = 14;  // em
  const double em = ui.theme.plot.font_size * ui.theme.plot.scale;
  return std::ranges::any_of(grid.cells, [&](const plot::Rect& cell) {
    return cell.w < least_width * em || cell.h < least_height * em;
  });
}

/// Of the charts on screen.
const LegendStrip& legend_of_panels(Ui& ui, const std::vector<KeptPanel*>& panels) {
  PanelCache::ChartStates states;
  for (const KeptPanel* panel : panels)
    states.emplace_back(panel->drawn.chart.id, panel->made, panel->cursor, panel->drawn.figure.y);
  return ui.panels.legend.get(std::move(states), [&] {
    std::vector<ChartOnScreen> charts;
    for (const KeptPanel* panel : panels)
      charts.push_back({panel->drawn.shown, panel->drawn.figure});
    LegendStrip strip = legend_of(ui.state, charts);
    const auto& reveal = ui.state.look.view.reveal;
    const bool slides = !reveal || reveal->slider;
    for (const KeptPanel* panel : panels) {
      const plot::Overlay overlay = slides ? panel->drawn.overlay : plot::Overlay{};
      for (const plot::Key& key : keys_of(panel->drawn.figure, overlay))
        if (std::ranges::find(strip.keys, key) == strip.keys.end()) strip.keys.push_back(key);
    }
    std::ranges::stable_sort(strip.keys, {}, &plot::Key::sign);
    return strip;
  });
}

/// Draws the legend at the upper end of the area, which it takes from it.
void cut_legend(Ui& ui, const std::vector<KeptPanel*>& panels, plot::Rect& all) {
  const double inset = ui.theme.pixels(8);
  const double height =
      draw_legend(ui, legend_of_panels(ui, panels), {all.x + inset, all.y}, all.w - 2 * inset);
  all.y += height;
  all.h = std::max(0.0, all.h - height);
}

/// Each chart in its cell, or the maximised one over all of them.
void draw_panels(Ui& ui, plot::Rect all, Places places, Frame& frame) {
  const std::vector<engine::Chart>& charts = ui.panels.charts.get(
      {std::string(lab_on_screen(ui.state).name), shows_apart(ui.state), frame.inputs.sessions},
      [&] {
        return hides_points(ui.state) ? charts_on_screen(ui.state) : charts_to_export(ui.state, {});
      });
  const auto only = std::ranges::find_if(
      charts, [&](const engine::Chart& chart) { return ui.state.look.maximised == chart.id; });
  std::vector<KeptPanel*> panels;
  for (auto chart = charts.begin(); chart != charts.end(); ++chart)
    if (only == charts.end() || chart == only)
      panels.push_back(&prepare_panel(ui, frame.inputs, *chart));
  cut_legend(ui, panels, all);
  const bool presents = ui.state.look.presenting.has_value();
  const Division division = presents ? Division() : ui.state.look.division;
  places.plots = all;  // what the splitters divide
  const Grid grid = grid_of(division, ui.theme.scale, all, charts.size());
  if (only != charts.end() || (presents && is_cramped(ui, grid))) {
    frame.panels.push_back(&draw_panel(ui, *panels.front(), all));
    return;
  }
  for (std::size_t i = 0; i < panels.size(); ++i)
    frame.panels.push_back(&draw_panel(ui, *panels[i], grid.cells[i]));
  if (presents) return;
  splitter(ui, Splitter::column, grid.column_splitter, places);
  for (std::size_t i = 0; i < grid.row_splitters.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    splitter(ui, Splitter::row, grid.row_splitters[i], places);
    ImGui::PopID();
  }
}

}  // namespace

void draw_plots(Ui& ui, const Places& places) {
  const plot::Rect all = rest_of_window();
  Frame frame;
  frame.sessions = sessions_on_screen(ui.state);
  if (frame.sessions.empty()) {
    placeholder(ui, all,
                ui.state.worker.looking ? "Looking for devices..." : "No device can be measured.");
    return;
  }
  frame.inputs = figure_inputs(ui.state);
  if (hides_points(ui.state)) frame.sessions.clear();
  draw_panels(ui, all, places, frame);
  if (ui.state.look.presenting) return;  // a picture, which the pointer does not change
  bool in_words = true;                  // once is enough
  for (const Drawn* drawn : frame.panels)
    if (draw_guess(ui, *drawn, in_words)) in_words = false;
  const Drawn* under = nullptr;
  for (const Drawn* drawn : frame.panels) {
    if (place_guess(ui, *drawn)) continue;
    if (interact(ui, *drawn)) under = drawn;
  }
  ring_chosen(ui, frame);
  draw_hover(ui, frame, under, all);
}

}  // namespace ui
