#include <fmt/format.h>

#include <array>
#include <string>

#include "ui/actions/intents.hpp"
#include "ui/screen/exercise.hpp"
#include "ui/screen/hover.hpp"
#include "ui/views/panel_view.hpp"

namespace ui {

using engine::ExerciseKind;
using plot::Vec;

namespace {

/// Which axis of a chart has the answer of an exercise.
enum class Along : std::uint8_t { none, x, y };

Along axis_of(const engine::Exercise& exercise, const engine::Chart& chart) {
  const engine::Metric* x = chart.x_metric();
  if (exercise.kind == ExerciseKind::knee && x != nullptr && x->key == "repeat") return Along::x;
  if (exercise.kind == ExerciseKind::rate && chart.y == engine::metrics::flops) return Along::y;
  return Along::none;
}

struct Line {
  double value = 0;
  std::string words;
  plot::Colour colour;
  plot::Dash dash = plot::Dash::solid;
  bool first = true;  ///< its words stand in the first row
};

void draw_line(Ui& ui, const Drawn& drawn, Along along, const Line& line) {
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

}  // namespace

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

bool draw_guess(Ui& ui, const Drawn& drawn, bool in_words) {
  const engine::Exercise* exercise = current_exercise(ui.state);
  if (exercise == nullptr) return false;
  const Along along = axis_of(*exercise, drawn.shown.chart);
  const auto& said = ui.state.dialogs.exercise->guess;
  if (along == Along::none || !said) return false;
  draw_line(ui, drawn, along,
            {std::get<double>(*said), in_words ? "you: " + text_of(*exercise, *said) : "",
             ui.theme.accent, plot::Dash::dashed});
  const ExerciseText words = exercise_text(ui.state);
  if (!words.measured || !words.measured->value) return true;
  draw_line(ui, drawn, along,
            {std::get<double>(*words.measured->value),
             in_words ? "measured: " + text_of(*exercise, *words.measured->value) : "",
             measured_colour(ui.theme), plot::Dash::solid, false});
  return true;
}

}  // namespace ui
