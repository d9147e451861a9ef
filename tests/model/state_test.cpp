// How the window's model reacts to intents and to the worker's events.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

#include "tests/model/fake_state.hpp"
#include "tests/text.hpp"
#include "ui/actions/events.hpp"
#include "ui/model/availability.hpp"
#include "ui/screen/progress.hpp"
#include "ui/screen/verdict_target.hpp"

using engine::FusionChoice;
using kernels::Dtype;

TEST_CASE("before devices are known, nothing can be started and the slider measures nothing") {
  ui::AppState state = ui::new_state();
  ui::toggle_run(state);
  ui::set_cursor(state, 64, 10);
  ui::tick(state, 11);
  CHECK(state.commands.empty());
  CHECK(ui::sessions_shown(state).empty());
  CHECK(ui::verdict_text(state).headline == "Looking for devices...");
}

TEST_CASE("the first device is chosen when none was remembered") {
  const ui::AppState state = fake::opened({"cuda:0", "cpu"});
  CHECK(state.spec.device == "cuda:0");
  CHECK(state.notices.empty());
}

TEST_CASE("a remembered device that is gone is named, and the first one taken") {
  ui::AppState state = ui::new_state();
  state.spec.device = "cuda:3";
  ui::apply(state, engine::DevicesOpened{{fake::summary("cpu")}, {}});
  CHECK(state.spec.device == "cpu");
  REQUIRE(state.notices.size() == 1);
  CHECK(state.notices[0].text.find("cuda:3") != std::string::npos);
}

TEST_CASE("the reason why a device cannot be used is said once") {
  ui::AppState state = ui::new_state();
  ui::apply(state, engine::DevicesOpened{{fake::summary("cpu")}, {{"cuda", "no driver"}}});
  REQUIRE(state.notices.size() == 1);
  CHECK(state.notices[0].text == "cuda: no driver");
  CHECK_FALSE(state.notices[0].warning);
}

TEST_CASE("a newcomer's first sweep starts by itself: fp32 fma, fused and unfused") {
  ui::AppState state = ui::new_state();
  state.worker.run_when_ready = true;
  ui::apply(state, engine::DevicesOpened{{fake::summary("cpu")}, {}});
  const auto sweeps = fake::take<ui::StartSweep>(state);
  REQUIRE(sweeps.size() == 1);
  CHECK(sweeps[0].spec.fusion == FusionChoice::both);
  CHECK(sweeps[0].spec.dtypes == std::vector{Dtype::fp32});
  CHECK(sweeps[0].spec.op == kernels::Op::fma);
}

TEST_CASE("Space starts and stops") {
  ui::AppState state = fake::opened();
  ui::toggle_run(state);
  CHECK(fake::take<ui::StartSweep>(state).size() == 1);
  state.worker.running.sweep_number = 1;
  ui::toggle_run(state);
  CHECK(fake::take<ui::StopWork>(state).size() == 1);
  ui::apply(state, engine::SweepFinished{1, engine::End::stopped, ""});
  CHECK_FALSE(state.worker.running.any());
}

TEST_CASE("the end of a replaced sweep does not end the one that replaced it") {
  ui::AppState state = fake::opened();
  ui::run(state);
  state.worker.running.sweep_number = 1;
  ui::run(state);
  state.worker.running.sweep_number = 2;
  ui::apply(state, engine::SweepFinished{1, engine::End::replaced, ""});
  CHECK(state.worker.running.sweep);
  ui::apply(state, engine::SweepFinished{2, engine::End::failed, "the device is gone"});
  CHECK_FALSE(state.worker.running.sweep);
  CHECK(state.notices.back().text == "the device is gone");
}

TEST_CASE("all labs run one after the other, with short settings, until they are stopped") {
  ui::AppState state = fake::opened();
  std::vector<const engine::Lab*> labs;
  for (const engine::Lab* lab : engine::labs())
    if (!lab->watches && ui::why_no_lab(ui::current_device(state), *lab).empty())
      labs.push_back(lab);
  REQUIRE(labs.size() > 2);
  ui::run_all_labs(state);
  for (std::size_t i = 0; i < labs.size(); ++i) {
    CAPTURE(i);
    const auto started = fake::take<ui::StartSweep>(state);
    REQUIRE(started.size() == 1);
    CHECK(started[0].spec == engine::tour_spec(*labs[i], state.spec.device));
    CHECK(ui::lab_on_screen(state).name == labs[i]->name);
    state.worker.running.sweep_number = i + 1;
    ui::apply(state, engine::Progress{i + 1, 1, 4, 2.0, "fp32"});
    CHECK(tests::contains(ui::progress_text(state),
                          fmt::format("lab {} of {}: 2 of 4", i + 1, labs.size())));
    CHECK(ui::seconds_left(state) >= 2 + static_cast<double>(labs.size() - i - 1));
    // A lab that fails does not end the tour.
    const engine::End end = i == 1 ? engine::End::failed : engine::End::complete;
    ui::apply(state, engine::SweepFinished{i + 1, end, "it failed"});
  }
  CHECK_FALSE(state.worker.running.any());
  CHECK(state.worker.tour.labs == 0);
  CHECK(fake::take<ui::StartSweep>(state).empty());

  ui::run_all_labs(state);
  state.worker.running.sweep_number = 20;
  ui::toggle_run(state);
  ui::apply(state, engine::SweepFinished{20, engine::End::stopped, ""});
  CHECK(fake::take<ui::StartSweep>(state).size() == 1);  // the first lab alone
  ui::run_all_labs(state);
  ui::run(state);  // by hand: the tour is over
  CHECK(state.worker.tour.labs == 0);
}

TEST_CASE("known roofs go along with a sweep, so that they are not measured again") {
  ui::AppState state = fake::opened();
  fake::measure(state, {});
  ui::run(state);
  CHECK(fake::take<ui::StartSweep>(state).at(0).known_roofs.size() == 3);
}

TEST_CASE("a slider that has rested for 100 ms asks for exactly its point") {
  ui::AppState state = fake::opened();
  ui::set_elements(state, 1 << 22, 9);
  ui::set_cursor(state, 48, 10);
  CHECK(ui::next_deadline(state) == 10.1);
  CHECK_FALSE(ui::tick(state, 10.05));
  ui::set_cursor(state, 50, 10.09);
  CHECK_FALSE(ui::tick(state, 10.15));
  CHECK(ui::tick(state, 10.2));
  const auto probes = fake::take<ui::StartProbe>(state);
  REQUIRE(probes.size() == 1);
  CHECK(probes[0].what.repeat == 50);
  CHECK(probes[0].what.elements == 1 << 22);
  CHECK_FALSE(ui::next_deadline(state));
}

TEST_CASE(
    "over opened files alone the slider measures nothing: it tells what their roofs predict") {
  ui::AppState state = fake::opened();
  engine::Session file = *ui::current_session(state);
  file.device.name = "Other GPU";
  file.roofs = fake::roofs();
  file.points.push_back(fake::point(16));
  state.documents.opened.push_back({"other.json", file});
  ui::set_elements(state, 1 << 20, 9);
  ui::set_cursor(state, 48, 10);
  ui::tick(state, 20);
  ui::probe(state);
  CHECK(fake::take<ui::StartProbe>(state).empty());
  CHECK_FALSE(state.worker.running.any());
  CHECK(ui::verdict_target(state).kind == ui::VerdictTarget::Kind::predicted);
  CHECK(ui::verdict_target(state).session == &*state.documents.opened.front().session);
  ui::set_cursor(state, 16, 21);
  CHECK(ui::verdict_target(state).kind == ui::VerdictTarget::Kind::probed);
  // Measuring here is a choice; then the slider is of this device.
  ui::run(state);
  CHECK(fake::take<ui::StartSweep>(state).size() == 1);
  fake::measure(state, {1});
  ui::set_cursor(state, 50, 22);
  ui::tick(state, 30);
  CHECK(fake::take<ui::StartProbe>(state).size() == 1);
}

TEST_CASE("a tooltip shows once the pointer has rested on its item") {
  ui::AppState state = fake::opened();
  state.look.tip = ui::Tip{.x = 1, .y = 2, .due = 10};
  CHECK(ui::next_deadline(state) == 10);
  CHECK_FALSE(ui::tick(state, 9.9));
  CHECK_FALSE(state.look.tip->shown);
  CHECK(ui::tick(state, 10));
  CHECK(state.look.tip->shown);
  CHECK_FALSE(ui::tick(state, 11));
  CHECK_FALSE(ui::next_deadline(state));
}

TEST_CASE("moving the slider on ends a probe that runs, but neither a sweep nor its own probe") {
  ui::AppState state = fake::opened();
  ui::set_cursor(state, 48, 10);
  CHECK(fake::take<ui::StopWork>(state).empty());
  REQUIRE(ui::tick(state, 10.2));
  CHECK(fake::take<ui::StartProbe>(state).size() == 1);
  ui::set_cursor(state, 50, 10.3);
  CHECK(fake::take<ui::StopWork>(state).size() == 1);
  ui::run(state);
  ui::set_cursor(state, 52, 10.4);
  CHECK(fake::take<ui::StopWork>(state).empty());
}

TEST_CASE("a probe belongs to the newest run, so that it does not fade") {
  ui::AppState state = fake::opened();
  engine::Point point = fake::point(8);
  point.run = 7;
  ui::apply(state, engine::PointMeasured{7, "cpu", point});
  ui::probe(state);
  CHECK(fake::take<ui::StartProbe>(state).at(0).run == 7);
}

TEST_CASE("the slider's point is measured again in the form that a control chooses") {
  ui::AppState state = fake::opened();
  const auto probes = [&](const auto& change) {
    state.worker.probe_due.reset();
    change();
    return state.worker.probe_due.has_value();
  };
  CHECK(probes([&] { ui::set_fusion(state, FusionChoice::unfused, 1); }));
  CHECK(probes([&] { ui::toggle_dtype(state, Dtype::fp64, 1); }));
  CHECK(probes([&] { ui::set_op(state, kernels::Op::add, 1); }));
  state.spec.lab = "fma";  // has no slider
  CHECK_FALSE(probes([&] { ui::set_fusion(state, FusionChoice::fused, 1); }));
}

TEST_CASE("the slider stays within 1 and 4096") {
  ui::AppState state = fake::opened();
  ui::set_cursor(state, 0, 1);
  CHECK(state.cursor_repeat == 1);
  ui::set_cursor(state, 1'000'000, 1);
  CHECK(state.cursor_repeat == kernels::max_repeat);
}

TEST_CASE(
    "a change starts a running sweep anew once the user has settled, and only a running one") {
  ui::AppState state = fake::opened();
  ui::set_fusion(state, FusionChoice::fused, 1);
  CHECK_FALSE(state.worker.restart_due);
  ui::run(state);
  fake::take<ui::StartSweep>(state);
  ui::set_fusion(state, FusionChoice::unfused, 2);
  ui::toggle_dtype(state, Dtype::fp64, 2.2);
  state.worker.probe_due.reset();
  CHECK_FALSE(ui::tick(state, 2.4));
  CHECK(ui::tick(state, 2.6));
  const auto sweeps = fake::take<ui::StartSweep>(state);
  REQUIRE(sweeps.size() == 1);
  CHECK(sweeps[0].spec.dtypes == std::vector{Dtype::fp64, Dtype::fp32});
}

TEST_CASE(
    "Space in the roofs view measures all roofs; measuring again searches their shapes anew") {
  ui::AppState state = fake::opened();
  fake::measure(state, {1});
  ui::show_lab(state, *engine::find_lab("roofs"));
  ui::toggle_run(state);
  auto sweeps = fake::take<ui::StartSweep>(state);
  REQUIRE(sweeps.size() == 1);
  CHECK(sweeps[0].spec.lab == "roofs");
  CHECK_FALSE(sweeps[0].spec.remeasure);
  CHECK(sweeps[0].known_roofs.empty());
  CHECK(state.worker.running.lab == "roofs");
  ui::measure_roofs(state, true);
  sweeps = fake::take<ui::StartSweep>(state);
  REQUIRE(sweeps.size() == 1);
  CHECK(sweeps[0].spec.remeasure);
  CHECK_FALSE(state.spec.remeasure);
  state.worker.running.sweep_number = 2;
  ui::apply(state, engine::SweepFinished{2, engine::End::complete, ""});
  CHECK_FALSE(ui::runs_lab_on_screen(state));
}

TEST_CASE("a control that changes the sweep leaves a running measurement of roofs alone") {
  ui::AppState state = fake::opened();
  ui::measure_roofs(state, false);
  fake::take<ui::StartSweep>(state);
  ui::set_fusion(state, FusionChoice::fused, 1);
  ui::tick(state, 10);
  CHECK(fake::take<ui::StartSweep>(state).empty());
  CHECK(state.worker.running.measures_roofs_of(state.spec.device));
}

TEST_CASE("a roof's check box decides whether the roofline draws it") {
  ui::AppState state = fake::opened();
  fake::measure(state, {1});
  const engine::Session& session = *ui::current_session(state);
  REQUIRE(ui::draws_roof(session, "DRAM copy", state.look.view));
  ui::toggle_roof(state, "DRAM copy");
  CHECK_FALSE(ui::draws_roof(session, "DRAM copy", state.look.view));
  ui::toggle_roof(state, "DRAM copy");
  CHECK(ui::draws_roof(session, "DRAM copy", state.look.view));
}

TEST_CASE("points of roofs are no points of a sweep: neither verdict nor counts speak of them") {
  ui::AppState state = fake::opened();
  fake::measure(state, {64});
  engine::Point tried = fake::point(8);
  tried.lab = "roofs";
  ui::apply(state, engine::PointMeasured{1, "cpu", tried});
  state.spec.elements = tried.what.elements;
  ui::set_cursor(state, 64, 1);
  CHECK(ui::verdict_target(state).kind == ui::VerdictTarget::Kind::probed);
  ui::set_cursor(state, 8, 1);
  CHECK(ui::verdict_target(state).kind == ui::VerdictTarget::Kind::predicted);
}

TEST_CASE("data of zeros reaches the sweep and the slider's point") {
  ui::AppState state = fake::opened();
  ui::set_data(state, kernels::Data::zeros, 1);
  CHECK(ui::cursor_case(state)->data == kernels::Data::zeros);
  CHECK(state.worker.probe_due);
  ui::run(state);
  CHECK(fake::take<ui::StartSweep>(state).at(0).spec.data == kernels::Data::zeros);
}

TEST_CASE("the roofs view shows the device's roofs, and a file's while nothing is measured") {
  ui::AppState state = fake::opened();
  state.documents.opened.push_back({"a.json", engine::Session{}});
  CHECK(ui::roofs_session(state) == ui::current_session(state));
  state.documents.opened.front().session.edit().roofs = fake::roofs();
  CHECK(ui::roofs_session(state) == &*state.documents.opened.front().session);
  fake::measure(state, {});
  CHECK(ui::roofs_session(state) == ui::current_session(state));
}
