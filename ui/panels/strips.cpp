// The strip above the plots: sessions of windows that did not close, an exercise, or the step of
// the tour.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include "kernels/units.hpp"
#include "ui/actions/intents.hpp"
#include "ui/autosave/autosave.hpp"
#include "ui/panels/panels.hpp"
#include "ui/screen/exercise.hpp"
#include "ui/screen/guide.hpp"
#include "ui/views/panel_view.hpp"

namespace ui {

using engine::Regime;

namespace {

constexpr float strip_line = 22;  // of words and buttons
constexpr float title_line = 24;  // with the buttons
constexpr float answer_line = 24;
constexpr float strip_button = 112;
constexpr float next_width = 84;
constexpr float strip_cross_width = 24;
constexpr float strip_gap = 6;
constexpr float bullet_room = 12;  // before the words of a hint, for its bullet
constexpr float before_buttons = 22;

/// The cross at the right end of the strip; true when it was clicked.
bool strip_cross(Ui& ui, const char* name, ImVec2 right_end, const char* help) {
  const float width = ui.theme.px(strip_cross_width);
  ImGui::SetCursorScreenPos({right_end.x - width, right_end.y});
  return button(ui, name, "×", {width, ui.theme.px(strip_line)}, {}, help);
}

/// Of fixed lines, a task, and its outcome, for which some lines are kept: what lies below stays.
float strip_height(const Ui& ui, float fixed, const std::string& task, const std::string& outcome,
                   float least_lines, float width) {
  constexpr float room_below = 8;
  const float lines = least_lines + (width < ui.theme.px(900) ? 1 : 0);
  return ui.theme.px(fixed) + wrapped_height(task, width) +
         std::max(lines * ImGui::GetTextLineHeight(), wrapped_height(outcome, width)) +
         3 * ImGui::GetStyle().ItemSpacing.y + ui.theme.px(room_below);
}

/// "recovered cpu 14:05, 12 points"
std::string recovered_words(const std::vector<OpenedFile>& recovered) {
  std::int64_t points = 0;
  for (const OpenedFile& file : recovered) points += std::ssize(file.session->points);
  const std::string what = recovered.size() == 1
                               ? recovered.front().name
                               : fmt::format("{} recovered sessions", recovered.size());
  return fmt::format("A window ended without saving: {}, {}", what,
                     units::counted(points, "point"));
}

/// What was measured, said in full.
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
  const float button_left = at.x + width - ui.theme.px(strip_button);
  const float answer = std::round(width * 0.42F);
  if (exercise.kind == engine::ExerciseKind::regime) {
    regime_row(ui, answer);
  } else {
    number_row(ui, exercise, words, answer);
  }
  const float left = at.x + answer + ui.theme.px(2 * strip_gap);
  const double room = button_left - left - ui.theme.px(strip_gap);
  const bool said = ui.state.dialogs.exercise->guess.has_value();
  ImGui::SetCursorScreenPos({left, at.y + ui.theme.px(3)});
  text_within(ui, words.said, room, text_size, said, said ? ui.theme.text : ui.theme.text_dim);
  ui.map.controls["exercise.said"] = {last_item(), true, words.said};
  tip_on_hover(ui, words.said);
  ImGui::SetCursorScreenPos({button_left, at.y});
  const ImVec2 size{ui.theme.px(strip_button), ui.theme.px(22)};
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
  const float all = right - ui.theme.px(strip_cross_width + strip_gap + strip_button);
  const float next = all - ui.theme.px(strip_gap + strip_button);
  text_within(ui, words.title, next - at.x, text_size, true, ui.theme.accent);
  ui.map.controls["exercise"] = {last_item(), true, words.title};
  const float line = ui.theme.px(strip_line);
  ImGui::SetCursorScreenPos({next, at.y});
  const bool goes_on = button(ui, "exercise.next", "Next (N)", {ui.theme.px(strip_button), line},
                              {}, "The next exercise.");
  ImGui::SetCursorScreenPos({all, at.y});
  const bool lists = button(ui, "exercise.all", "Exercises", {ui.theme.px(strip_button), line}, {},
                            "Choose another exercise.");
  const bool leaves =
      strip_cross(ui, "exercise.leave", {right, at.y}, "Leave the exercise (Escape).");
  ImGui::SetCursorScreenPos({at.x, at.y + ui.theme.px(title_line)});
  const std::size_t number = ui.state.dialogs.exercise->number;
  if (goes_on) start_exercise(ui.state, (number + 1) % ui.state.documents.exercises.size());
  if (lists) show_exercises(ui.state);
  if (leaves) leave_exercise(ui.state);
}

void draw_recovered(Ui& ui) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float right = at.x + ImGui::GetContentRegionAvail().x;
  const float open = ui.theme.px(64);
  const float left = right - ui.theme.px(strip_cross_width) - ui.theme.px(6) - open;
  const double room = left - at.x - ui.theme.px(bullet_room) - ui.theme.px(before_buttons);
  const std::string words = recovered_words(ui.state.documents.recovered);
  const std::string shown = elided(ui, words, room, ui.theme.pixels(small_size), false);
  // Behind a bullet, with no face: what has one is a button.
  const plot::Rect place{at.x, at.y, room, ui.theme.pixels(strip_line)};
  const double middle = place.y + place.h / 2;
  ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), ui.fonts);
  canvas.dot({place.x + ui.theme.pixels(3), middle}, ui.theme.pixels(2), ui.theme.accent);
  text_at(ui, {place.x + ui.theme.pixels(bullet_room), middle}, shown, small_size, false,
          ui.theme.accent);
  ui.map.controls["recovered"] = {place, true, shown};
  ImGui::SetCursorScreenPos({left, at.y});
  if (button(ui, "recovered.open", "Open", {open, ui.theme.px(strip_line)}, {},
             words + ". Open shows them beside this session."))
    open_recovered(ui.state);
  if (strip_cross(ui, "recovered.close", {right, at.y}, "Not now: the next start offers it again."))
    ui.state.documents.recovered.clear();
}

void draw_exercise(Ui& ui) {
  const float width = full_width();
  // A click may end it, or begin another one: this frame shows what it began with.
  const engine::Exercise exercise = *current_exercise(ui.state);
  const ExerciseText words = exercise_text(ui.state);
  title_row(ui, words, width);
  if (current_exercise(ui.state) == nullptr || current_exercise(ui.state)->name != exercise.name)
    return;
  wrapped(ui, words.question, width, ui.theme.text);
  answer_row(ui, exercise, words, width);
  const std::string outcome = outcome_of(words);
  const bool fails = !words.result.empty() && words.why.empty();
  wrapped(ui, outcome, width, fails ? ui.theme.warning : ui.theme.text);
  ui.map.controls["exercise.result"] = {last_item(), !words.result.empty(), outcome};
}

void draw_guide(Ui& ui, const GuideText& words) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = full_width();
  const float right = at.x + width;
  const float next = right - ui.theme.px(strip_cross_width + 6 + next_width);
  text_within(ui, words.title, next - at.x, text_size, true, ui.theme.accent);
  ui.map.controls["tour"] = {last_item(), true, words.title};
  ImGui::SetCursorScreenPos({next, at.y});
  const bool is_last = ui.state.dialogs.guide->step == guide_steps.back();
  const GuideOutcome outcome = words.result.outcome;
  const bool is_done = outcome == GuideOutcome::done;
  const float line = ui.theme.px(strip_line);
  // What a click changes is seen in the next frame: this one says what it was given.
  const bool goes_on =
      coloured_button(ui, "tour.next",
                      is_last   ? "End (N)"
                      : is_done ? "Next (N)"
                                : "Skip (N)",
                      {ui.theme.px(next_width), line}, is_done ? ui.theme.run : ui.theme.control,
                      is_done ? ui.theme.run_hover : ui.theme.control_hover, {},
                      is_last ? "End the tour." : "Go on to the next step.");
  const bool leaves =
      strip_cross(ui, "tour.leave", {right, at.y},
                  "Leave the tour (Escape). Ctrl+P finds it again: Start the tour.");
  ImGui::SetCursorScreenPos({at.x, at.y + ui.theme.px(title_line)});
  wrapped(ui, words.task, width, ui.theme.text);
  wrapped(ui, words.result.sentence, width,
          is_done                                ? ui.theme.text
          : outcome == GuideOutcome::cannot_tell ? ui.theme.warning
                                                 : ui.theme.text_dim);
  if (goes_on) next_guide_step(ui.state);
  if (leaves) leave_guide(ui.state);
}

/// A strip taken from the upper end of the plots, or of the roofs.
plot::Rect cut_strip(plot::Rect& area, float wanted) {
  const double height = std::min<double>(area.h, wanted);
  const plot::Rect strip{area.x, area.y, area.w, height};
  area.y += height;
  area.h -= height;
  return strip;
}

}  // namespace

void draw_strip(Ui& ui, plot::Rect& middle) {
  const ImVec2 padding{14, 4};
  const float width = static_cast<float>(middle.w) - 2 * ui.theme.px(padding.x);
  if (!ui.state.documents.recovered.empty()) {
    panel(ui, "recovered strip", cut_strip(middle, ui.theme.px(28)), padding,
          ui.theme.plot.background, draw_recovered);
  } else if (current_exercise(ui.state) != nullptr) {
    const ExerciseText text = exercise_text(ui.state);
    const float height =
        strip_height(ui, title_line + answer_line, text.question, outcome_of(text), 2, width);
    panel(ui, "exercise strip", cut_strip(middle, height), padding, ui.theme.panel, draw_exercise);
  } else if (ui.state.dialogs.guide) {
    const GuideText text = guide_text(ui.state);
    const float height = strip_height(ui, title_line, text.task, text.result.sentence, 1, width);
    panel(ui, "tour strip", cut_strip(middle, height), padding, ui.theme.panel,
          [&](Ui& inside) { draw_guide(inside, text); });
  }
}

}  // namespace ui
