// The controls follow the one opened file, until the user sets one or measures.
#include "ui/model/opened_spec.hpp"

#include <doctest/doctest.h>

#include <string>

#include "engine/session/session_file.hpp"
#include "kernels/families/family.hpp"
#include "tests/engine/made_results.hpp"
#include "tests/engine/made_up_lab.hpp"
#include "tests/model/fake_state.hpp"
#include "ui/actions/events.hpp"

using engine::FusionChoice;
using kernels::Dtype;

namespace {

/// A sweep of a device elsewhere: bf16, unfused, adds.
engine::Session opened_recording() {
  engine::Session session = engine::new_session(fake::summary("cpu").info);
  session.device.name = "Other";
  for (const std::uint64_t repeat : {1, 8}) {
    engine::Point point = fake::point(repeat, kernels::Fusion::unfused);
    point.what.dtype = Dtype::bf16;
    point.what.ops = kernels::Op::add;
    point.run = 2;
    engine::add_point(session, point);
  }
  engine::Point earlier = fake::point(1);
  earlier.run = 1;
  engine::add_point(session, earlier);
  session.runs = engine::runs_told_by(session);
  return session;
}

struct Files {
  fake::Folder folder;
  std::string one = (folder.path / "one.json").string();
  std::string two = (folder.path / "two.json").string();

  Files() {
    engine::save_session(opened_recording(), one);
    engine::save_session(opened_recording(), two);
  }
};

}  // namespace

TEST_CASE("opening one file sets the controls to its newest sweep, closing it sets them back") {
  const Files files;
  ui::AppState state = fake::opened();
  const engine::Spec own = state.spec;
  const std::size_t said = state.notices.size();
  ui::open_paths(state, {files.one});
  CHECK(state.spec.dtypes == std::vector{Dtype::bf16});
  CHECK(state.spec.fusion == FusionChoice::unfused);
  CHECK(state.spec.op == kernels::Op::add);
  CHECK(state.spec.elements == 1 << 20);
  CHECK(state.spec.device == own.device);
  CHECK(state.spec.repeats == own.repeats);
  CHECK(state.own_spec == own);             // what is kept for the next start
  CHECK(state.notices.size() == said + 1);  // that it is open
  ui::close_opened(state, 0);
  CHECK(state.spec == own);
  ui::undo(state);
  CHECK(state.spec.dtypes == std::vector{Dtype::bf16});
  ui::clear(state);
  CHECK(state.spec == own);
}

TEST_CASE("opening the session of a lab shows that lab, and closing it does not leave it") {
  const std::vector<const engine::Lab*> before(engine::labs().begin(), engine::labs().end());
  engine::use_labs({before.front(), &fake::few_ops});
  const Files files;
  ui::AppState state = fake::opened();
  engine::Session session = opened_recording();
  for (engine::Point& point : session.points) point.lab = fake::few_ops.name;
  session.runs.clear();
  engine::save_session(session, files.one);
  ui::open_paths(state, {files.one});
  CHECK(&ui::lab_on_screen(state) == &fake::few_ops);
  ui::close_opened(state, 0);
  CHECK(&ui::lab_on_screen(state) == &fake::few_ops);
  // Its points need no kernel that a user can choose.
  for (engine::Point& point : session.points)
    point.what = kernels::stream_case(kernels::Op::read, 1 << 20, kernels::Data::random);
  engine::save_session(session, files.one);
  ui::AppState other = fake::opened();
  ui::open_paths(other, {files.one});
  CHECK(&ui::lab_on_screen(other) == &fake::few_ops);
  engine::use_labs(before);
}

TEST_CASE("a file of roofs alone shows the roofs, and its controls are left alone") {
  const Files files;
  engine::Session roofs = engine::new_session(fake::summary("cpu").info);
  roofs.roofs = fake::roofs();
  engine::Point shape = fake::point(1);
  shape.what = kernels::stream_case(kernels::Op::read, 1 << 20, kernels::Data::random);
  shape.lab = "roofs";
  engine::add_point(roofs, shape);
  engine::save_session(roofs, files.one);
  ui::AppState state = fake::opened();
  const engine::Spec before = state.spec;
  ui::open_paths(state, {files.one});
  CHECK(state.spec.lab == "roofs");
  CHECK(state.spec.dtypes == before.dtypes);
  CHECK(state.spec.elements == before.elements);
}

TEST_CASE("a sweep that is opened after a file of roofs is what shows") {
  const Files files;
  engine::Session roofs = engine::new_session(fake::summary("cpu").info);
  roofs.roofs = fake::roofs();
  engine::save_session(roofs, files.one);
  const engine::Session sweep = opened_recording();
  engine::save_session(sweep, files.two);
  ui::AppState state = fake::opened();
  ui::open_paths(state, {files.one});
  CHECK(state.spec.lab == "roofs");
  ui::open_paths(state, {files.two});
  CHECK(state.spec.lab == sweep.runs.back().spec.lab);
}

TEST_CASE("of two files the first sets the controls, and the lab is one that both have points of") {
  const std::vector<const engine::Lab*> before(engine::labs().begin(), engine::labs().end());
  engine::use_labs({before.front(), &fake::few_ops});
  const Files files;
  engine::Session session = opened_recording();
  engine::Point newest = session.points.front();
  newest.lab = fake::few_ops.name;
  newest.run = 9;
  engine::add_point(session, newest);
  session.runs = engine::runs_told_by(session);
  engine::save_session(session, files.one);
  ui::AppState state = fake::opened();
  ui::open_paths(state, {files.one});
  CHECK(&ui::lab_on_screen(state) == &fake::few_ops);
  ui::AppState both = fake::opened();
  ui::open_paths(both, {files.one, files.two});
  CHECK(both.spec.fusion == FusionChoice::unfused);
  CHECK(both.spec.op == kernels::Op::add);
  CHECK(&ui::lab_on_screen(both) == before.front());
  engine::use_labs(before);
}

TEST_CASE("a file that is there before the devices are sets the controls once they are known") {
  ui::AppState state = ui::new_state();
  state.documents.opened.push_back({"one.json", opened_recording()});
  engine::DevicesOpened event;
  event.usable.push_back(fake::summary("cpu"));
  ui::apply(state, event);
  CHECK(state.spec.op == kernels::Op::add);
}

TEST_CASE("controls that the user has set, and those of a sweep, are left to the user") {
  const Files files;
  ui::AppState touched = fake::opened();
  ui::set_fusion(touched, FusionChoice::fused, 0);
  const engine::Spec chosen = touched.spec;
  ui::open_paths(touched, {files.one});
  CHECK(touched.spec == chosen);

  ui::AppState measured = fake::opened();
  fake::measure(measured, {1, 2});
  const engine::Spec swept = measured.spec;
  ui::open_paths(measured, {files.one});
  CHECK(measured.spec == swept);

  ui::AppState followed = fake::opened();
  ui::open_paths(followed, {files.one});
  ui::set_quality(followed, &engine::Spec::noise, 0.05);
  CHECK_FALSE(followed.own_spec);
  CHECK(followed.own_elements == fake::opened().spec.elements);  // for the next start
  ui::set_elements(followed, 1 << 20, 0);
  CHECK_FALSE(followed.own_elements);
  ui::close_opened(followed, 0);
  CHECK(followed.spec.op == kernels::Op::add);
}

TEST_CASE("a point at the slider is no sweep: closing the file still sets the controls back") {
  const Files files;
  ui::AppState state = fake::opened();
  const engine::Spec own = state.spec;
  ui::open_paths(state, {files.one});
  engine::Point probe = fake::point(16);
  probe.probe = true;
  ui::apply(state, engine::PointMeasured{1, "cpu", probe});
  ui::close_opened(state, 0);
  CHECK(state.spec.dtypes == own.dtypes);
  CHECK(state.spec.op == own.op);
}

TEST_CASE("what this device cannot run leaves the controls as they are") {
  const engine::Place device = fake::summary("cpu");
  const engine::Spec own;
  engine::Session other = opened_recording();
  for (engine::Point& point : other.points) point.what.dtype = Dtype::fp8;
  other.runs = engine::runs_told_by(other);
  CHECK_FALSE(ui::opened_spec(other, own, device));
  CHECK_FALSE(ui::opened_spec(engine::new_session(device.info), own, device));
  other = opened_recording();
  for (engine::Point& point : other.points) point.what.elements = std::uint64_t{1} << 60;
  other.runs = engine::runs_told_by(other);
  const auto spec = ui::opened_spec(other, own, device);
  REQUIRE(spec);
  CHECK(spec->elements == 0);  // more than the memory holds: the default
}

TEST_CASE("the controls take what a run was asked, beyond what its points tell") {
  const engine::Place device = fake::summary("cpu");
  engine::Spec own;
  own.noise = 0.05;
  own.more["path-length"] = "64";
  engine::Session session = opened_recording();
  session.runs.back().begin = "2026-11-21T09:00:00Z";  // a file with runs
  session.runs.back().spec.repeats = {1, 8, 64};
  session.runs.back().spec.noise = 0.2;
  session.runs.push_back({.number = 3, .begin = "2026-11-21T10:00:00Z", .why = "it failed"});
  const auto spec = ui::opened_spec(session, own, device);
  REQUIRE(spec);
  CHECK(spec->repeats == std::vector<std::uint64_t>{1, 8, 64});
  CHECK(spec->op == kernels::Op::add);
  CHECK(spec->noise == own.noise);
  CHECK(spec->more == own.more);
}

TEST_CASE("a lab's verdict is of what was measured, whatever the controls say by now") {
  engine::Spec asked;
  engine::set_knob(asked, "dtype", "fp32,fp64");
  const auto seconds = [](const engine::Point& point) {
    const bool wide = point.what.dtype == Dtype::fp64;
    return 1e-6 + point.work.flops / (wide ? 1e10 : 1e12);
  };
  test::Made made("matmul", seconds, {}, asked);
  made.session.roofs = fake::roofs();
  ui::AppState state = fake::opened();
  state.documents.opened.push_back({"a.json", made.session});
  state.spec.lab = "matmul";
  const engine::LabVerdict then = ui::lab_verdict(state);
  REQUIRE_FALSE(then.rows.empty());
  engine::set_knob(state.spec, "dtype", "fp64");
  const engine::LabVerdict now = ui::lab_verdict(state);
  CHECK(now.headline == then.headline);
  CHECK(now.rows.front().here->median == then.rows.front().here->median);
}

TEST_CASE("the window's session remembers what was asked and how it ended, past Clear and undo") {
  ui::AppState state = fake::opened();
  ui::run(state);
  state.worker.running.sweep_number = 7;
  const engine::Run run{.number = 7, .spec = state.spec, .begin = "2026-11-21T10:00:00Z"};
  ui::apply(state, engine::SweepStarted{7, "cpu", 1, run});
  engine::Point point = fake::point(1);
  point.run = 7;
  ui::apply(state, engine::PointMeasured{7, "cpu", point});
  ui::apply(state, engine::SweepFinished{7, engine::End::complete, "", false,
                                         "2026-11-21T10:00:12Z", "cpu"});
  const auto runs = [&] { return ui::current_session(state)->runs; };
  REQUIRE(runs().size() == 1);
  CHECK(runs()[0].spec == state.spec);
  CHECK(runs()[0].end == "2026-11-21T10:00:12Z");
  CHECK(runs()[0].why == "complete");
  ui::clear(state);
  CHECK(runs().empty());
  ui::undo(state);
  CHECK(runs().size() == 1);
}
