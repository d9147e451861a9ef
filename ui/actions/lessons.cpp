// What teaches: the tour of the window, and the exercises.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "engine/labs/lab.hpp"
#include "ui/actions/actions.hpp"
#include "ui/actions/intents.hpp"
#include "ui/model/availability.hpp"
#include "ui/model/opened_spec.hpp"
#include "ui/screen/exercise.hpp"

namespace ui {

using engine::Exercise;
using engine::Regime;

namespace {

void begin_step(AppState& state, GuideStep step) {
  state.dialogs.guide = Guide{step, state.spec, state.cursor_repeat};
}

constexpr std::array regimes{Regime::overhead, Regime::bandwidth, Regime::compute};

/// The ops per element that it asks of, where it is one number.
std::optional<std::uint64_t> ops_of(const Exercise& exercise) {
  for (const auto& [axis, size] : exercise.of.sizes)
    if (axis == "repeat") return size;
  const auto& repeats = exercise.spec.repeats;
  return repeats.size() == 1 ? std::optional(repeats.front()) : std::nullopt;
}

/// The controls as the exercise wants them; how precisely is measured stays as the user has it.
void set_up(AppState& state, const Exercise& exercise) {
  state.worker.restart_due.reset();  // it was for other controls
  keep_own_spec(state);
  const engine::Spec before = state.spec;
  state.spec = exercise.spec;
  state.spec.device = before.device;
  state.spec.noise = before.noise;
  state.spec.max_time = before.max_time;
  state.spec.time = before.time;
  state.chosen_dtypes.clear();
  state.cursor_repeat = ops_of(exercise).value_or(state.cursor_repeat);
  adapt_to_device(state);
  show_lab(state, *engine::find_lab(exercise.spec.lab));
}

/// What decides a result: the knobs that the lab reads, and not how precisely it is measured.
engine::Spec decisive(const engine::Spec& spec, const engine::Place& place) {
  engine::Spec read = engine::read_by(engine::lab_of(spec), engine::suited(spec, place));
  const engine::Spec usual;
  read.device = place.info.id;
  read.noise = usual.noise;
  read.max_time = usual.max_time;
  read.time = usual.time;
  return read;
}

}  // namespace

void start_guide(AppState& state) {
  leave_exercise(state);
  hide_comparison(state);
  const auto has_slider = [](const engine::Lab* lab) { return !lab->slider.empty(); };
  const auto lab = std::ranges::find_if(engine::labs(), has_slider);
  if (lab != engine::labs().end()) show_lab(state, **lab);
  begin_step(state, guide_steps.front());
}

void next_guide_step(AppState& state) {
  if (!state.dialogs.guide) return;
  const auto now = std::ranges::find(guide_steps, state.dialogs.guide->step);
  if (now + 1 == guide_steps.end()) return leave_guide(state);
  begin_step(state, now[1]);
}

void leave_guide(AppState& state) { state.dialogs.guide.reset(); }

void start_exercise(AppState& state, std::size_t number) {
  if (number >= state.documents.exercises.size()) return;
  state.dialogs.guide.reset();
  const auto& now = state.dialogs.exercise;
  Exercising next{.before = state.spec,
                  .own_before = state.own_spec,
                  .set_up_before = state.set_up,
                  .x_before = state.look.view.x,
                  .cursor_before = state.cursor_repeat};
  if (now) next = *now;
  next.number = number;
  next.guess.reset();
  next.asked = false;
  next.answer.reset();
  state.look.view.hidden.clear();  // they would not be measured
  state.dialogs.exercise = std::move(next);
  state.look.zoom = {};
  set_x_axis(state, XAxis::repeat);  // in which a knee is placed
  set_up(state, state.documents.exercises[number]);
}

void guess(AppState& state, const engine::Guess& said) {
  const Exercise* exercise = current_exercise(state);
  if (exercise == nullptr || state.dialogs.exercise->asked) return;
  const bool wants_regime = exercise->kind == engine::ExerciseKind::regime;
  if (std::holds_alternative<Regime>(said) != wants_regime) return;
  state.dialogs.exercise->guess = said;
  if (const double* value = std::get_if<double>(&said)) {
    const engine::GuessRange range = range_of(exercise->kind);
    state.dialogs.exercise->guess = std::clamp(*value, range.low, range.high);
  }
}

void step_guess(AppState& state, int direction) {
  const Exercise* exercise = current_exercise(state);
  if (exercise == nullptr) return;
  const auto& before = state.dialogs.exercise->guess;
  if (exercise->kind == engine::ExerciseKind::regime) {
    const auto last = static_cast<std::ptrdiff_t>(regimes.size()) - 1;
    std::ptrdiff_t at = direction > 0 ? -1 : last + 1;
    if (before) at = std::ranges::find(regimes, std::get<Regime>(*before)) - regimes.begin();
    guess(state,
          regimes[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(at + direction, 0, last))]);
    return;
  }
  const engine::GuessRange range = range_of(exercise->kind);
  guess(state, before ? std::get<double>(*before) * std::pow(range.step, direction)
                      : std::sqrt(range.low * range.high));
}

void measure_exercise(AppState& state) {
  const Exercise* exercise = current_exercise(state);
  if (exercise == nullptr || !exercise_text(state).why_not.empty()) return;
  set_up(state, *exercise);
  const engine::Session* session = current_session(state);
  std::uint64_t newest = 0;
  if (session != nullptr)
    for (const engine::Run& one : session->runs) newest = std::max(newest, one.number);
  state.dialogs.exercise->asked = true;
  state.dialogs.exercise->answer.reset();
  state.dialogs.exercise->measured = state.spec;
  state.dialogs.exercise->device = state.spec.device;
  state.dialogs.exercise->after_run = newest;
  state.look.below = Below::claim;
  run(state);
}

void answer_exercise(AppState& state, bool complete) {
  const Exercise* exercise = current_exercise(state);
  if (exercise == nullptr) return;
  Exercising& now = *state.dialogs.exercise;
  const engine::Session* session = measured_on(state, now.device);
  const auto place = std::ranges::find(state.worker.devices, now.device,
                                       [](const engine::Place& one) { return one.info.id; });
  if (!now.asked || now.answer || session == nullptr || place == state.worker.devices.end()) return;
  const std::string& lab = now.measured.lab;
  const std::uint64_t newest = engine::newest_run(*session, lab).value_or(0);
  const engine::Run* run = newest > now.after_run ? engine::run_of(*session, newest) : nullptr;
  const bool asked = run != nullptr && engine::find_lab(run->spec.lab) != nullptr &&
                     decisive(run->spec, *place) == decisive(now.measured, *place);
  engine::MeasuredAnswer answer{{}, {}, "the controls were changed; measure again."};
  if (run == nullptr || asked) answer = engine::answer_of(*exercise, *session, now.after_run);
  if (answer.value || complete) now.answer = std::move(answer);
}

void leave_exercise(AppState& state) {
  if (!state.dialogs.exercise) return;
  const Exercising left = *std::exchange(state.dialogs.exercise, std::nullopt);
  set_x_axis(state, left.x_before);
  state.cursor_repeat = left.cursor_before;
  state.worker.restart_due.reset();  // it was for other controls
  const std::string device = state.spec.device;
  state.spec = left.before;
  state.spec.device = device;
  state.own_spec = left.own_before;
  state.set_up = left.set_up_before;
  state.chosen_dtypes.clear();
  adapt_to_device(state);
  show_apart(state, false);
}

void show_exercises(AppState& state) { type_in_palette(state, "exercise:"); }

}  // namespace ui
