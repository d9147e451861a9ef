#include "ui/screen/exercise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "ui/actions/intents.hpp"
#include "ui/panels/panels.hpp"
#include "ui/views/panel_view.hpp"

namespace ui {

namespace {

constexpr float title_line = 24;  // with the buttons
constexpr float answer_line = 24;
constexpr float button_width = 112;
constexpr float leave_width = 24;
constexpr float beside = 6;
constexpr float room_below = 8;

using engine::Regime;

/// What was measured, said in full; two lines are kept free for it, so that the charts stand still.
std::string outcome_of(const ExerciseText& words) {
  if (words.measuring) return "Measuring...";
  return words.why.empty() ? words.result : words.result + " " + words.why;
}

/// Where the measured value lies on the slider, with its interval.
void mark_measured(Ui& ui, const plot::Rect& slider, const engine::GuessRange& range,
                   const engine::Interval& here) {
  const double pad = ui.theme.pixels(8);
  const auto x = [&](double value) {
    const double share = std::log(value / range.low) / std::log(range.high / range.low);
    return slider.x + pad + std::clamp(share, 0.0, 1.0) * (slider.w - 2 * pad);
  };
  const double half = ui.theme.pixels(1.5F);
  const plot::Rect reach{
      x(here.low.value_or(here.median)) - half, slider.y,
      x(here.high.value_or(here.median)) - x(here.low.value_or(here.median)) + 2 * half, slider.h};
  fill_rect(*ImGui::GetWindowDrawList(), reach, measured_colour(ui.theme), ui.theme.px(1));
}

void number_row(Ui& ui, const engine::Exercise& exercise, const ExerciseText& words, float width) {
  const Exercising& now = *ui.state.dialogs.exercise;
  const engine::GuessRange range = range_of(exercise.kind);
  const double said = now.guess ? std::get<double>(*now.guess) : std::sqrt(range.low * range.high);
  double value = said;
  const SliderRange slider{range.low, range.high, text_of(exercise, range.low),
                           text_of(exercise, range.high)};
  const bool moved = log_slider(ui, "exercise.slider", value, slider, width,
                                now.guess ? ui.theme.accent : ui.theme.control,
                                now.asked ? "You have said it." : "");
  const plot::Rect at = ui.map.controls.at("exercise.slider").rect;
  if (words.measured && words.measured->interval)
    mark_measured(ui, at, range, *words.measured->interval);
  if (moved) guess(ui.state, value);
}

void regime_row(Ui& ui, float width) {
  const Exercising& now = *ui.state.dialogs.exercise;
  std::vector<Choice> choices;
  constexpr std::array regimes{Regime::overhead, Regime::bandwidth, Regime::compute};
  for (const Regime regime : regimes) {
    const bool chosen = now.guess && std::get<Regime>(*now.guess) == regime;
    choices.push_back({std::string(name_of(regime)),
                       chosen,
                       {},
                       now.asked && !chosen ? "You have said another one." : ""});
  }
  if (const auto clicked = segments(ui, "exercise", choices, width, 22))
    guess(ui.state, regimes[*clicked]);
}

/// The answer on the left, what was said in the middle, the button at the right.
void answer_row(Ui& ui, const engine::Exercise& exercise, const ExerciseText& words, float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float button_left = at.x + width - ui.theme.px(button_width);
  const float answer = std::round(width * 0.42F);
  if (exercise.kind == engine::ExerciseKind::regime) {
    regime_row(ui, answer);
  } else {
    number_row(ui, exercise, words, answer);
  }
  const float left = at.x + answer + ui.theme.px(2 * beside);
  const double room = static_cast<double>(button_left - left - ui.theme.px(beside));
  const bool said = ui.state.dialogs.exercise->guess.has_value();
  ImGui::SetCursorScreenPos({left, at.y + ui.theme.px(3)});
  text_within(ui, words.said, room, text_size, said, said ? ui.theme.text : ui.theme.text_dim);
  ui.map.controls["exercise.said"] = {last_item(), true, words.said};
  tip_on_hover(ui, words.said);
  ImGui::SetCursorScreenPos({button_left, at.y});
  const ImVec2 size{ui.theme.px(button_width), ui.theme.px(22)};
  const bool again = ui.state.dialogs.exercise->asked;
  if (coloured_button(ui, "exercise.measure", again ? "Measure again" : "Measure", size,
                      ui.theme.run, ui.theme.run_hover, words.why_not,
                      "Measure it on this machine (Enter)."))
    measure_exercise(ui.state);
  ImGui::SetCursorScreenPos({at.x, at.y + ui.theme.px(answer_line)});
}

void title_row(Ui& ui, const ExerciseText& words, float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float right = at.x + width;
  const float all = right - ui.theme.px(leave_width + beside + button_width);
  const float next = all - ui.theme.px(beside + button_width);
  text_within(ui, words.title, static_cast<double>(next - at.x), text_size, true, ui.theme.accent);
  ui.map.controls["exercise"] = {last_item(), true, words.title};
  const float line = ui.theme.px(22);
  ImGui::SetCursorScreenPos({next, at.y});
  const bool goes_on = button(ui, "exercise.next", "Next (N)", {ui.theme.px(button_width), line},
                              {}, "The next exercise.");
  ImGui::SetCursorScreenPos({all, at.y});
  const bool lists = button(ui, "exercise.all", "Exercises", {ui.theme.px(button_width), line}, {},
                            "Choose another exercise.");
  ImGui::SetCursorScreenPos({right - ui.theme.px(leave_width), at.y});
  const bool leaves = button(ui, "exercise.leave", "×", {ui.theme.px(leave_width), line}, {},
                             "Leave the exercise (Escape).");
  ImGui::SetCursorScreenPos({at.x, at.y + ui.theme.px(title_line)});
  const std::size_t number = ui.state.dialogs.exercise->number;
  if (goes_on) start_exercise(ui.state, (number + 1) % ui.state.documents.exercises.size());
  if (lists) show_exercises(ui.state);
  if (leaves) leave_exercise(ui.state);
}

}  // namespace

float exercise_height(const Ui& ui, float width) {
  const ExerciseText words = exercise_text(ui.state);
  const float lines = width < ui.theme.px(900) ? 3 : 2;
  const float reserved = lines * ImGui::GetTextLineHeight();
  return ui.theme.px(title_line + answer_line) + wrapped_height(words.question, width) +
         std::max(reserved, wrapped_height(outcome_of(words), width)) +
         3 * ImGui::GetStyle().ItemSpacing.y + ui.theme.px(room_below);
}

void draw_exercise(Ui& ui) {
  const float width = full_width();
  // A click may end it, or begin another one: this frame shows what it began with.
  const engine::Exercise exercise = *current_exercise(ui.state);
  const ExerciseText words = exercise_text(ui.state);
  title_row(ui, words, width);
  if (current_exercise(ui.state) == nullptr || current_exercise(ui.state)->name != exercise.name)
    return;
  wrapped(ui, words.question, width, 1e6F, ui.theme.text);
  answer_row(ui, exercise, words, width);
  const std::string outcome = outcome_of(words);
  const bool fails = !words.result.empty() && words.why.empty();
  wrapped(ui, outcome, width, 1e6F, fails ? ui.theme.warning : ui.theme.text);
  ui.map.controls["exercise.result"] = {last_item(), !words.result.empty(), outcome};
}

}  // namespace ui
