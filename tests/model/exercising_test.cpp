// An exercise in the window: the user answers first, then the machine.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/model/fake_state.hpp"
#include "ui/actions/actions.hpp"
#include "ui/screen/exercise.hpp"
#include "ui/screen/limits.hpp"
#include "ui/widgets/ui_map.hpp"

using engine::Exercise;
using engine::ExerciseKind;
using engine::Guess;
using engine::Regime;

namespace {

Exercise exercise_of(const char* title, ExerciseKind kind) {
  Exercise exercise;
  exercise.name = exercise.title = title;
  exercise.question = "How?";
  exercise.why = "So.";
  exercise.kind = kind;
  engine::set_knob(exercise.spec, "repeat", "1,8");
  exercise.of.sizes = {{"repeat", 1}};
  return exercise;
}

ui::AppState with_exercises() {
  ui::AppState state = fake::opened();
  fake::measure(state, {});
  state.documents.exercises = {exercise_of("what bounds it", ExerciseKind::regime),
                               exercise_of("how fast", ExerciseKind::rate)};
  return state;
}

/// As the worker does it: a run with a sound point, and its end.
void answer(ui::AppState& state, std::uint64_t number = 7) {
  engine::Run run;
  run.number = number;
  run.spec = state.spec;
  engine::SweepStarted started;
  started.sweep = 1;
  started.device = state.spec.device;
  started.run = run;
  state.worker.running.sweep_number = 1;
  ui::apply(state, started);
  engine::Point point = fake::point(1);
  point.run = number;
  point.seconds.samples = std::vector<double>(10, point.seconds.median);
  ui::apply(state, engine::PointMeasured{1, state.spec.device, point});
  engine::SweepFinished finished{.sweep = 1, .end = engine::End::complete, .why = {}};
  finished.device = state.spec.device;
  ui::apply(state, finished);
}

}  // namespace

TEST_CASE("the palette lists the exercises, and starting one sets the controls and hides points") {
  ui::AppState state = with_exercises();
  state.spec.max_time = 0.5;
  ui::start_guide(state);
  ui::show_exercises(state);
  const auto rows = ui::palette_rows(state);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].title == "Exercise: what bounds it");
  ui::run_from_palette(state, 0);
  REQUIRE(ui::current_exercise(state) != nullptr);
  CHECK_FALSE(state.dialogs.guide);  // one at a time
  CHECK(state.spec.repeats == std::vector<std::uint64_t>{1, 8});
  CHECK(state.spec.max_time == 0.5);
  CHECK(ui::hides_points(state));
  CHECK(ui::figure_inputs(state).sessions.empty());
  CHECK(fake::take<ui::StartSweep>(state).empty());  // nothing is measured before the answer
}

TEST_CASE("nothing is measured before the user has said something") {
  ui::AppState state = with_exercises();
  ui::start_exercise(state, 0);
  CHECK(ui::exercise_text(state).why_not == "Say first what you expect.");
  ui::measure_exercise(state);
  CHECK(fake::take<ui::StartSweep>(state).empty());
  CHECK(ui::hides_points(state));
}

TEST_CASE("arrows choose a regime, Enter measures, and the sentence tells both") {
  ui::AppState state = with_exercises();
  ui::start_exercise(state, 0);
  ui::press(state, {ui::Key::right}, 0);
  CHECK(state.dialogs.exercise->guess == Guess(Regime::overhead));
  ui::press(state, {ui::Key::left}, 0);
  CHECK(state.dialogs.exercise->guess == Guess(Regime::overhead));
  ui::press(state, {ui::Key::right}, 0);
  ui::press(state, {ui::Key::right}, 0);
  ui::press(state, {ui::Key::right}, 0);
  CHECK(state.dialogs.exercise->guess == Guess(Regime::compute));
  ui::press(state, {ui::Key::enter}, 0);
  CHECK(fake::take<ui::StartSweep>(state).size() == 1);
  CHECK_FALSE(ui::hides_points(state));
  CHECK(ui::exercise_text(state).measuring);
  CHECK(ui::exercise_text(state).result.empty());
  ui::guess(state, Regime::bandwidth);  // too late
  CHECK(state.dialogs.exercise->guess == Guess(Regime::compute));
  answer(state);
  CHECK(ui::exercise_text(state).result ==
        "You said compute-bound; measured here: bandwidth-bound. Your answer is wrong.");
  CHECK(ui::exercise_text(state).why == "So.");
  // What is measured afterwards is another question.
  state.spec.elements = 64;
  state.worker.running.sweep = true;
  CHECK_FALSE(ui::exercise_text(state).measuring);
  answer(state, 8);
  CHECK(ui::exercise_text(state).why == "So.");
  const auto map = nlohmann::json::parse(ui::ui_map_text({}, state));
  CHECK(map.at("state").at("exercise").at("said") == "You say: compute-bound");
}

TEST_CASE("a number is stepped by arrows from the middle, and stays within its limits") {
  ui::AppState state = with_exercises();
  ui::start_exercise(state, 1);
  const engine::GuessRange range = engine::range_of(ExerciseKind::rate);
  ui::step_guess(state, 1);
  const double first = std::get<double>(*state.dialogs.exercise->guess);
  CHECK(first == doctest::Approx(std::sqrt(range.low * range.high)));
  ui::step_guess(state, 1);
  CHECK(std::get<double>(*state.dialogs.exercise->guess) == doctest::Approx(first * range.step));
  ui::guess(state, 1e30);
  CHECK(std::get<double>(*state.dialogs.exercise->guess) == range.high);
  ui::guess(state, Regime::compute);  // no number
  CHECK(std::get<double>(*state.dialogs.exercise->guess) == range.high);
}

TEST_CASE("an exercise says why this machine cannot answer it") {
  ui::AppState state = ui::new_state();
  state.documents.exercises = {exercise_of("what bounds it", ExerciseKind::regime)};
  state.worker.looking = false;
  ui::start_exercise(state, 0);
  ui::guess(state, Regime::compute);
  CHECK(ui::exercise_text(state).why_not.find("no device") != std::string::npos);
  ui::measure_exercise(state);
  CHECK_FALSE(state.dialogs.exercise->asked);
}

TEST_CASE("a run that ends without the point leaves the exercise without an answer") {
  ui::AppState state = with_exercises();
  ui::start_exercise(state, 0);
  ui::guess(state, Regime::compute);
  ui::measure_exercise(state);
  state.worker.running.sweep = false;
  const ui::ExerciseText text = ui::exercise_text(state);
  CHECK(text.result.find("this machine cannot tell") != std::string::npos);
  CHECK(text.why.empty());
}

TEST_CASE("a run with other controls than the exercise's is no answer to it") {
  ui::AppState state = with_exercises();
  ui::start_exercise(state, 0);
  ui::guess(state, Regime::compute);
  ui::measure_exercise(state);
  state.spec.elements = 64;
  answer(state);
  CHECK(ui::exercise_text(state).result.find("the controls were changed") != std::string::npos);
}

TEST_CASE("leaving an exercise puts the controls back to how they stood before the first one") {
  ui::AppState state = with_exercises();
  const engine::Spec before = state.spec;
  ui::set_x_axis(state, ui::XAxis::both);
  state.cursor_repeat = 32;
  ui::start_exercise(state, 0);
  CHECK(state.cursor_repeat == 1);  // of which it asks
  ui::start_exercise(state, 1);
  CHECK(state.spec != before);
  CHECK(state.look.view.x == ui::XAxis::repeat);
  ui::start_guide(state);
  CHECK(ui::current_exercise(state) == nullptr);
  CHECK(state.spec == before);
  CHECK(state.cursor_repeat == 32);
  CHECK(state.look.view.x == ui::XAxis::both);
}

TEST_CASE("N goes on to the next exercise, and the exercise can be left") {
  ui::AppState state = with_exercises();
  ui::start_exercise(state, 0);
  ui::press(state, {ui::Key{'N'}}, 0);
  CHECK(state.dialogs.exercise->number == 1);
  ui::leave_exercise(state);
  CHECK_FALSE(ui::hides_points(state));
  CHECK(ui::current_exercise(state) == nullptr);
}
