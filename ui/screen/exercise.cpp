#include "ui/screen/exercise.hpp"

#include <fmt/format.h>

#include "engine/labs/lab.hpp"
#include "ui/model/availability.hpp"

namespace ui {

using engine::Exercise;
using engine::ExerciseKind;

namespace {

std::string how_to_say(const Exercise& exercise) {
  switch (exercise.kind) {
    case ExerciseKind::knee:
      return "Click into a chart, drag the slider, or press the left and right arrows.";
    case ExerciseKind::rate:
      return "Click into the roofline, drag the slider, or press the left and right arrows.";
    case ExerciseKind::factor:
      return "Drag the slider, or press the left and right arrows.";
    case ExerciseKind::regime:
      break;
  }
  return "Choose one, or press the left and right arrows.";
}

/// Of the run that was started for it, once that has ended.
void add_answer(const AppState& state, const Exercise& exercise, ExerciseText& text) {
  const Exercising& now = *state.dialogs.exercise;
  text.measuring = !now.answer && (state.worker.running.sweep || state.worker.restart_due);
  if (text.measuring) text.why_not = "It is being measured.";
  if (text.measuring) return;
  text.measured =
      now.answer.value_or(engine::MeasuredAnswer{{}, {}, "nothing was measured; measure again."});
  text.result = engine::distance_in_words(exercise, *now.guess, *text.measured);
  if (text.measured->value) text.why = exercise.why;
}

}  // namespace

const Exercise* current_exercise(const AppState& state) {
  const auto& now = state.dialogs.exercise;
  const auto& all = state.documents.exercises;
  return now && now->number < all.size() ? &all[now->number] : nullptr;
}

bool hides_points(const AppState& state) {
  return current_exercise(state) != nullptr && !state.dialogs.exercise->asked;
}

std::string why_not_exercise(const AppState& state, const Exercise& exercise) {
  const engine::Place* device = current_device(state);
  if (!state.worker.looking && device == nullptr)
    return "This machine has no device that can be measured.";
  if (device != nullptr && device->recorded)
    return "A recording measures nothing: choose another device.";
  return why_no_lab(device, *engine::find_lab(exercise.spec.lab));
}

ExerciseText exercise_text(const AppState& state) {
  const Exercise& exercise = *current_exercise(state);
  const Exercising& now = *state.dialogs.exercise;
  ExerciseText text;
  text.title = fmt::format("Exercise {} of {}: {}", now.number + 1,
                           state.documents.exercises.size(), exercise.title);
  text.question = exercise.question;
  text.said =
      now.guess ? "You say: " + engine::text_of(exercise, *now.guess) : how_to_say(exercise);
  text.why_not = why_not_exercise(state, exercise);
  if (text.why_not.empty() && !now.guess) text.why_not = "Say first what you expect.";
  if (now.asked) add_answer(state, exercise, text);
  return text;
}

}  // namespace ui
