// Sessions, verdict and notices of the window's model, and the model with a worker.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/labs/lab.hpp"
#include "engine/worker/sweeper.hpp"
#include "tests/model/fake_state.hpp"
#include "ui/actions/events.hpp"
#include "ui/model/availability.hpp"
#include "ui/screen/limits.hpp"
#include "ui/screen/progress.hpp"
#include "ui/screen/verdict_target.hpp"

namespace {

/// Hands commands to the worker and events to the state until nothing is left to do.
void drive(ui::AppState& state, engine::Worker& worker) {
  while (true) {
    for (ui::Command& command : std::exchange(state.commands, {})) {
      if (auto* start = std::get_if<ui::StartSweep>(&command)) {
        state.worker.running.sweep_number = worker.start(*start);
      } else if (const auto* forget = std::get_if<ui::ForgetRoofs>(&command)) {
        worker.forget_roofs(forget->device);
      }
    }
    if (!state.worker.looking && !state.worker.running.any()) return;
    REQUIRE(worker.wait(std::chrono::seconds(60)));
    for (const engine::Event& event : worker.drain()) ui::apply(state, event);
  }
}

}  // namespace

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
  state.documents.opened.push_back({"a.json", *ui::current_session(state)});
  ui::clear(state);
  CHECK(ui::current_session(state)->points.empty());
  CHECK(engine::bandwidth_roof(*ui::current_session(state), engine::RoofSource::measured) ==
        nullptr);
  CHECK(ui::sessions_shown(state).size() == 1);
}

TEST_CASE("what Clear took comes back, before what was measured since") {
  ui::AppState state = fake::opened();
  ui::undo(state);
  fake::measure(state, {1, 2});
  const std::size_t roofs = ui::current_session(state)->roofs.size();
  state.documents.opened.push_back({"a.json", *ui::current_session(state)});
  ui::clear(state);
  engine::Point since = fake::point(4);
  since.run = 9;
  ui::apply(state, engine::PointMeasured{9, "cpu", since});
  ui::undo(state);
  const engine::Session& session = *ui::current_session(state);
  REQUIRE(session.points.size() == 3);
  CHECK(session.points.back().what.repeat == 4);
  CHECK(session.roofs.size() == roofs);
  CHECK(state.documents.opened.size() == 1);
  ui::undo(state);
  CHECK(ui::current_session(state)->points.size() == 3);
}

TEST_CASE("after clear, the worker measures roofs anew that it knew before") {
  fake::Clock clock;
  fake::Script script;
  script.clock = &clock;
  std::atomic<int> measured = 0;
  script.prepare = [&](const kernels::Case& what) {
    measured += what.family == kernels::Family::launch ? 1 : 0;  // runs beside no point
  };
  engine::Sweeper sweeper(fake::machine_with(script), [] {}, clock.timing(), {});
  ui::AppState state = ui::new_state();
  state.spec.repeats = {1};
  state.spec.elements = 1 << 20;
  drive(state, sweeper);
  const auto measured_by_a_sweep = [&] {
    measured = 0;
    ui::run(state);
    drive(state, sweeper);
    return measured.load();
  };
  CHECK(measured_by_a_sweep() > 0);
  CHECK(measured_by_a_sweep() == 0);
  ui::clear(state);
  CHECK(measured_by_a_sweep() > 0);
}

TEST_CASE("a point that a full session has no room for is said once, and clear makes room") {
  ui::AppState state = fake::opened();
  ui::apply(state, engine::PointMeasured{1, "cpu", fake::point(1)});
  engine::Session& session = state.documents.sessions.at("cpu").edit();
  session.points.resize(engine::max_points, session.points.front());
  const std::size_t before = state.notices.size();
  for (const std::uint64_t repeat : {2, 3}) {
    ui::apply(state, engine::PointMeasured{2, "cpu", fake::point(repeat)});
  }
  REQUIRE(state.notices.size() == before + 1);
  CHECK(state.notices.back().text.find("save it and start a new one") != std::string::npos);
  ui::clear(state);
  ui::apply(state, engine::PointMeasured{3, "cpu", fake::point(4)});
  CHECK(session.points.size() == 1);
  CHECK(session.left_out == 0);
}

TEST_CASE("the roofs shown are named with their device and file, and can be chosen") {
  ui::AppState state = fake::opened();
  engine::Session file = *ui::current_session(state);
  file.device.name = "Other";
  file.roofs = fake::roofs();
  state.documents.opened.push_back({"a.json", file});
  CHECK(ui::roofs_choices(state).size() == 2);
  CHECK(ui::roofs_choice(state)->title == "Other, a.json");
  // The file in which all roofs were measured comes before one of a sweep.
  engine::Point shape = fake::point(1);
  shape.lab = "roofs";
  engine::add_point(file, shape);
  state.documents.opened.push_back({"b.json", file});
  CHECK(ui::roofs_choice(state)->title == "Other, b.json");
  state.documents.opened.pop_back();
  ui::measure_roofs(state, false);
  CHECK(ui::roofs_choice(state)->title == "Fake");
  ui::show_roofs_of(state, 1);
  CHECK(ui::roofs_session(state) == &*state.documents.opened[0].session);
  ui::show_lab(state, *engine::find_lab("roofs"));
  CHECK(ui::sessions_on_screen(state) ==
        std::vector<const engine::Session*>{&*state.documents.opened[0].session});
  ui::clear(state);
  CHECK(ui::roofs_choice(state)->title == "Fake");
}

TEST_CASE("an export from the roofs view shows the roofs of the session on screen") {
  ui::AppState state = fake::opened();
  fake::measure(state, {1, 2});
  engine::Session file = *ui::current_session(state);
  file.device.name = "Other";
  state.documents.opened.push_back({"a.json", file});
  ui::show_lab(state, *engine::find_lab("roofs"));
  ui::show_roofs_of(state, 1);
  const plot::Page page = ui::page_on_screen(state, {});
  REQUIRE(page.figures.size() == 2);
  CHECK(page.figures[0].title == "Roofline");
  CHECK(page.figures[1].title == "Memory levels");
  CHECK(page.title.find("Other") == 0);
}

TEST_CASE("a session measured stays in sight once it has roofs, until another is chosen") {
  ui::AppState state = fake::opened();
  engine::Session file = *ui::current_session(state);
  file.roofs = fake::roofs();
  state.documents.opened.push_back({"a.json", file});
  fake::measure(state, {});
  CHECK(ui::roofs_choice(state)->number == 0);
  ui::show_roofs_of(state, 1);
  CHECK(ui::roofs_choice(state)->number == 1);
}

TEST_CASE("progress names the device that is measured when another one is chosen") {
  ui::AppState state = fake::opened({"cuda:0", "cpu"});
  ui::measure_roofs(state, false);
  state.worker.running.sweep_number = 7;
  ui::apply(state, engine::Progress{7, 11, 34, 5, "roof L2"});
  CHECK(ui::progress_text(state) == "12 of 34: roof L2");
  CHECK(ui::stop_text(state) == "Stop");
  ui::set_device(state, "cpu", 1);
  CHECK(ui::progress_text(state) == "cuda:0, 12 of 34: roof L2");
  CHECK(ui::stop_text(state) == "Stop cuda:0");
  CHECK(ui::why_no_search(state) == "Measuring the roofs of cuda:0.");
  CHECK(state.worker.running.measures_roofs_of("cuda:0"));
  CHECK_FALSE(state.worker.running.measures_roofs_of("cpu"));
}

TEST_CASE("a chosen series that no session on screen has points of is said to be unswept") {
  ui::AppState state = fake::opened();
  state.spec.fusion = engine::FusionChoice::fused;
  const std::string fused = "Press Space to measure fp32 fused";
  CHECK(ui::unswept_text(state) == fused);
  engine::Point slider = fake::point(7);
  slider.probe = true;
  ui::apply(state, engine::PointMeasured{1, "cpu", slider});
  CHECK(ui::unswept_text(state) == fused);
  engine::Point skipped = fake::point(8);
  skipped.status = engine::Status::skipped;
  skipped.why = "no time";
  ui::apply(state, engine::PointMeasured{1, "cpu", skipped});
  CHECK(ui::unswept_text(state).empty());
  state.spec.fusion = engine::FusionChoice::both;
  CHECK(ui::unswept_text(state) == "Press Space to measure fp32 unfused");
  state.spec.dtypes = {kernels::Dtype::fp32, kernels::Dtype::fp64};
  const std::string three = ui::unswept_text(state);
  for (const char* name : {"fp32 unfused", "fp64 fused", "fp64 unfused"})
    CHECK(three.find(name) != std::string::npos);
  state.spec.dtypes = {kernels::Dtype::fp32};
  engine::Session file;
  file.device.name = "another";
  file.points.push_back(fake::point(1, kernels::Fusion::unfused));
  state.documents.opened.push_back({"b.json", file});
  CHECK(ui::unswept_text(state) == "Press Space to measure fp32 unfused");
  file.device = ui::current_device(state)->info;
  state.documents.opened.push_back({"a.json", std::move(file)});
  CHECK(ui::unswept_text(state).empty());
  state.spec.dtypes = {kernels::Dtype::fp64};
  CHECK(ui::unswept_text(state) == "Press Space to measure fp64 fused, fp64 unfused");
  ui::AppState reader = fake::opened();
  reader.documents.opened = state.documents.opened;
  reader.spec.dtypes = {kernels::Dtype::fp64};
  CHECK(ui::unswept_text(reader).empty());  // a recording is whole as it is
}

TEST_CASE("a probe on one device leaves the sweep of another the one that is busy") {
  ui::AppState state = fake::opened({"cuda:0", "cpu"});
  ui::measure_roofs(state, false);
  state.worker.running.sweep_number = 7;
  ui::set_device(state, "cpu", 1);
  ui::probe(state);
  state.worker.running.probe_number = 8;
  CHECK(state.worker.running.busy_device() == "cuda:0");
  ui::apply(state, engine::SweepFinished{7, engine::End::complete, "", false});
  CHECK(state.worker.running.busy_device() == "cpu");
  CHECK(ui::progress_text(state) == "measuring the slider's point");
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
  state.documents.opened.push_back({"a.json", file});
  REQUIRE(ui::sessions_shown(state).size() == 1);
  CHECK(ui::sessions_shown(state)[0] == &*state.documents.opened[0].session);
  CHECK(ui::is_view_only(state));
  fake::measure(state, {1});
  CHECK_FALSE(ui::is_view_only(state));
  REQUIRE(ui::sessions_shown(state).size() == 2);
  CHECK(ui::sessions_shown(state)[0] == ui::current_session(state));
}

TEST_CASE("the verdict is of the hovered point, else the slider's, else the slider's prediction") {
  using Kind = ui::VerdictTarget::Kind;
  ui::AppState state = fake::opened();
  CHECK(ui::verdict_target(state).kind == Kind::predicted);
  fake::measure(state, {1, 2});
  CHECK(ui::verdict_target(state).kind == Kind::predicted);
  CHECK(ui::verdict_target(state).what.repeat == state.cursor_repeat);
  state.spec.elements = 1 << 20;
  ui::set_cursor(state, 500, 1);
  CHECK(ui::verdict_target(state).kind == Kind::predicted);
  CHECK(ui::verdict_text(state).regime == "compute-bound");
  engine::Point probe = fake::point(500);
  probe.probe = true;
  ui::apply(state, engine::PointMeasured{2, "cpu", probe});
  CHECK(ui::verdict_target(state).kind == Kind::probed);
  CHECK(ui::verdict_text(state).measured);
  state.look.hovered = ui::Hovered{0, 0};
  CHECK(ui::verdict_target(state).kind == Kind::hovered);
  CHECK(ui::verdict_text(state).regime == "bandwidth-bound");
  state.look.hovered = ui::Hovered{0, 99};
  CHECK(ui::verdict_target(state).kind == Kind::probed);
}

TEST_CASE("a measured point that no roof explains still has a verdict in words") {
  ui::AppState state = fake::opened();
  fake::measure(state, {1, 2});
  state.spec.elements = 1 << 20;
  ui::set_cursor(state, 500, 1);
  CHECK(ui::verdict_text(state).scope.size() == 3);
  engine::Point probe = fake::point(500);
  probe.probe = true;
  probe.seconds.median *= 10;
  ui::apply(state, engine::PointMeasured{2, "cpu", probe});
  const ui::VerdictText verdict = ui::verdict_text(state);
  CHECK(verdict.verdict.regime == engine::Regime::unknown);
  CHECK(verdict.regime == "no clear limit");
  CHECK_FALSE(verdict.headline.empty());
  CHECK(verdict.measured);
  // The scope stays, and what stood in its place is said beside it.
  REQUIRE(verdict.scope.size() == 3);
  CHECK_FALSE(verdict.scope[0].measured.empty());
  CHECK(verdict.verdict.sentences.at(0) == verdict.headline);
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
  CHECK(ui::verdict_text(state).verdict.sentences.at(0).find("would be free") != std::string::npos);
}

TEST_CASE("without measured roofs nothing is predicted") {
  const ui::AppState state = fake::opened();
  CHECK(ui::verdict_text(state).regime.empty());
  CHECK(ui::verdict_text(state).headline.find("Space") != std::string::npos);
}

TEST_CASE("notices are not repeated, and old ones go") {
  ui::AppState state = ui::new_state();
  for (int i = 0; i < 1000; ++i) ui::notify(state, "note " + std::to_string(i));
  ui::notify(state, "note 999");
  CHECK(state.notices.size() <= 500);
  CHECK(state.notices.back().text == "note 999");
  CHECK(state.notices[state.notices.size() - 2].text == "note 998");
}

TEST_CASE("the model drives a worker from the first device to the last point") {
  fake::Clock clock;
  fake::Script script;
  script.clock = &clock;
  engine::Sweeper sweeper(fake::machine_with(script), [] {}, clock.timing(), {});
  ui::AppState state = ui::new_state();
  state.worker.run_when_ready = true;
  state.spec.repeats = {1, 8, 64};
  state.spec.elements = 1 << 20;
  drive(state, sweeper);
  CHECK(ui::current_session(state)->points.size() == 6);
  CHECK(engine::bandwidth_roof(*ui::current_session(state), engine::RoofSource::measured) !=
        nullptr);
  CHECK_FALSE(ui::verdict_text(state).regime.empty());
}
