// Sessions, verdict and notices of the window's model, and the model with a worker.
#include <doctest/doctest.h>

#include <chrono>
#include <string>

#include "engine/sweeper.hpp"
#include "tests/window/fake_state.hpp"
#include "ui/subject.hpp"

TEST_CASE("each device keeps its own session while another is chosen") {
  ui::AppState state = fake::opened({"cuda:0", "cpu"});
  fake::measure(state, {1, 2});
  ui::set_device(state, "cpu", 1);
  CHECK(ui::current_session(state)->points.empty());
  ui::apply(state, engine::PointMeasured{2, "cuda:0", fake::point(4)});
  ui::set_device(state, "cuda:0", 2);
  CHECK(ui::current_session(state)->points.size() == 3);
}

TEST_CASE("clear forgets points, opened files and measured roofs") {
  ui::AppState state = fake::opened();
  fake::measure(state, {1, 2});
  state.opened.push_back({"a.json", *ui::current_session(state)});
  ui::clear(state);
  CHECK(ui::current_session(state)->points.empty());
  CHECK(engine::bandwidth_roof(*ui::current_session(state), engine::RoofSource::measured) ==
        nullptr);
  CHECK(ui::sessions_shown(state).size() == 1);
}

TEST_CASE("clear during a sweep keeps the roofs that it is read against") {
  ui::AppState state = fake::opened();
  fake::measure(state, {1, 2});
  ui::run(state);
  ui::clear(state);
  CHECK(ui::current_session(state)->points.empty());
  CHECK(engine::bandwidth_roof(*ui::current_session(state), engine::RoofSource::measured) !=
        nullptr);
}

TEST_CASE("an opened file is shown alone until the device has points of its own") {
  ui::AppState state = fake::opened();
  engine::Session file = *ui::current_session(state);
  file.points.push_back(fake::point(16));
  state.opened.push_back({"a.json", file});
  REQUIRE(ui::sessions_shown(state).size() == 1);
  CHECK(ui::sessions_shown(state)[0] == &state.opened[0].session);
  fake::measure(state, {1});
  REQUIRE(ui::sessions_shown(state).size() == 2);
  CHECK(ui::sessions_shown(state)[0] == ui::current_session(state));
}

TEST_CASE(
    "the verdict follows: newest point, slider's prediction, its measured point, hovered point") {
  using Kind = ui::Subject::Kind;
  ui::AppState state = fake::opened();
  CHECK(ui::subject_of(state).kind == Kind::predicted);
  fake::measure(state, {1, 2});
  CHECK(ui::subject_of(state).kind == Kind::newest);
  CHECK(ui::subject_of(state).what.repeat == 2);
  state.spec.elements = 1 << 20;
  ui::set_cursor(state, 500, 1);
  CHECK(ui::subject_of(state).kind == Kind::predicted);
  CHECK(ui::verdict_text(state).regime == "compute-bound");
  engine::Point probe = fake::point(500);
  probe.probe = true;
  ui::apply(state, engine::PointMeasured{2, "cpu", probe});
  CHECK(ui::subject_of(state).kind == Kind::probed);
  CHECK(ui::verdict_text(state).measured);
  state.hovered = ui::Hovered{0, 0};
  CHECK(ui::subject_of(state).kind == Kind::hovered);
  CHECK(ui::verdict_text(state).regime == "bandwidth-bound");
  state.hovered = ui::Hovered{0, 99};
  CHECK(ui::subject_of(state).kind == Kind::probed);
}

TEST_CASE("a point that was skipped says why, beside its prediction") {
  ui::AppState state = fake::opened();
  fake::measure(state, {1, 2});
  state.spec.elements = 1 << 20;
  ui::set_cursor(state, 4096, 1);
  engine::Point skipped = fake::point(4096);
  skipped.probe = true;
  skipped.status = engine::Status::skipped;
  skipped.why = "it would take 3 s, the limit is 2 s";
  ui::apply(state, engine::PointMeasured{2, "cpu", skipped});
  const ui::VerdictText verdict = ui::verdict_text(state);
  CHECK_FALSE(verdict.measured);
  CHECK(verdict.verdict.advice.at(0) == "Not measured: it would take 3 s, the limit is 2 s");
  ui::set_cursor(state, 8, 2);
  CHECK(ui::verdict_text(state).verdict.sentences.at(0).find("cost nothing") != std::string::npos);
}

TEST_CASE("without measured roofs nothing is predicted") {
  const ui::AppState state = fake::opened();
  CHECK(ui::verdict_text(state).regime.empty());
  CHECK(ui::verdict_text(state).headline.find("Space") != std::string::npos);
}

TEST_CASE("notices are not repeated, and old ones go") {
  ui::AppState state = ui::new_state();
  for (int i = 0; i < 100; ++i) ui::notify(state, "note " + std::to_string(i));
  ui::notify(state, "note 99");
  CHECK(state.notices.size() <= 20);
  CHECK(state.notices.back().text == "note 99");
  CHECK(state.notices[state.notices.size() - 2].text == "note 98");
}

TEST_CASE("the model drives a worker from the first device to the last point") {
  fake::Clock clock;
  fake::Script script;
  script.clock = &clock;
  engine::Sweeper sweeper(
      fake::machine_with(script), [] {}, clock.timing(), {});
  ui::AppState state = ui::new_state();
  state.run_when_ready = true;
  state.spec.repeats = {1, 8, 64};
  state.spec.elements = 1 << 20;
  while (state.looking || state.running.any()) {
    REQUIRE(sweeper.wait(std::chrono::seconds(60)));
    for (const engine::Event& event : sweeper.drain()) ui::apply(state, event);
    for (ui::StartSweep& start : fake::take<ui::StartSweep>(state)) {
      ui::sweep_started(state, sweeper.start(start.request));
    }
  }
  CHECK(ui::current_session(state)->points.size() == 6);
  CHECK(engine::bandwidth_roof(*ui::current_session(state), engine::RoofSource::measured) !=
        nullptr);
  CHECK_FALSE(ui::verdict_text(state).regime.empty());
}
