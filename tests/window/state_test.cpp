// How the window's model reacts to intents and to the worker's events.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

#include "tests/window/fake_state.hpp"
#include "ui/availability.hpp"
#include "ui/inspection.hpp"
#include "ui/limits.hpp"
#include "ui/subject.hpp"

using engine::FusionChoice;
using engine::UnitsChoice;
using kernels::Dtype;
using kernels::Family;

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
  state.run_when_ready = true;
  ui::apply(state, engine::DevicesOpened{{fake::summary("cpu")}, {}});
  const auto sweeps = fake::take<ui::StartSweep>(state);
  REQUIRE(sweeps.size() == 1);
  CHECK(sweeps[0].request.spec.fusion == FusionChoice::both);
  CHECK(sweeps[0].request.spec.dtypes == std::vector{Dtype::fp32});
  CHECK(sweeps[0].request.spec.op == kernels::Op::fma);
}

TEST_CASE("Space starts and stops") {
  ui::AppState state = fake::opened();
  ui::toggle_run(state);
  CHECK(fake::take<ui::StartSweep>(state).size() == 1);
  ui::sweep_started(state, 1);
  ui::toggle_run(state);
  CHECK(fake::take<ui::StopWork>(state).size() == 1);
  ui::apply(state, engine::SweepFinished{1, engine::End::stopped, ""});
  CHECK_FALSE(state.running.any());
}

TEST_CASE("the end of a replaced sweep does not end the one that replaced it") {
  ui::AppState state = fake::opened();
  ui::run(state);
  ui::sweep_started(state, 1);
  ui::run(state);
  ui::sweep_started(state, 2);
  ui::apply(state, engine::SweepFinished{1, engine::End::replaced, ""});
  CHECK(state.running.sweep);
  ui::apply(state, engine::SweepFinished{2, engine::End::failed, "the device is gone"});
  CHECK_FALSE(state.running.sweep);
  CHECK(state.notices.back().text == "the device is gone");
}

TEST_CASE("known roofs go along with a sweep, so that they are not measured again") {
  ui::AppState state = fake::opened();
  fake::measure(state, {});
  ui::run(state);
  CHECK(fake::take<ui::StartSweep>(state).at(0).request.known_roofs.size() == 3);
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
  CHECK(probes[0].request.what.repeat == 50);
  CHECK(probes[0].request.what.elements == 1 << 22);
  CHECK_FALSE(ui::next_deadline(state));
}

TEST_CASE("a tooltip shows once the pointer has rested on its item") {
  ui::AppState state = fake::opened();
  state.tip = ui::Tip{.x = 1, .y = 2, .due = 10};
  CHECK(ui::next_deadline(state) == 10);
  CHECK_FALSE(ui::tick(state, 9.9));
  CHECK_FALSE(state.tip->shown);
  CHECK(ui::tick(state, 10));
  CHECK(state.tip->shown);
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
  CHECK(fake::take<ui::StartProbe>(state).at(0).request.run == 7);
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
  CHECK_FALSE(state.restart_due);
  ui::run(state);
  fake::take<ui::StartSweep>(state);
  ui::set_fusion(state, FusionChoice::unfused, 2);
  ui::toggle_dtype(state, Dtype::fp64, 2.2);
  CHECK_FALSE(ui::tick(state, 2.4));
  CHECK(ui::tick(state, 2.6));
  const auto sweeps = fake::take<ui::StartSweep>(state);
  REQUIRE(sweeps.size() == 1);
  CHECK(sweeps[0].request.spec.dtypes == std::vector{Dtype::fp64, Dtype::fp32});
}

TEST_CASE("matrix units bring the tile family and a type that they take") {
  ui::AppState state = fake::opened();
  ui::set_units(state, UnitsChoice::matrix, 1);
  CHECK(state.spec.family() == Family::tile);
  CHECK(state.spec.dtypes == std::vector{Dtype::bf16});
  CHECK(state.notices.back().text.find("bf16") != std::string::npos);
  CHECK(ui::cursor_case(state)->units == kernels::Units::matrix);
  CHECK(ui::cursor_case(state)->op == kernels::Op::mma);
  ui::set_family(state, Family::chain, 2);
  CHECK(state.spec.units == UnitsChoice::vector);
}

TEST_CASE("the last element type cannot be switched off") {
  ui::AppState state = fake::opened();
  ui::toggle_dtype(state, Dtype::fp32, 1);
  CHECK(state.spec.dtypes == std::vector{Dtype::fp32});
}

TEST_CASE("what cannot apply has a reason, and what can has none") {
  const engine::DeviceSummary device = fake::summary("cpu");
  engine::Spec spec;
  CHECK(ui::why_not_dtype(device, spec, Dtype::fp32).empty());
  CHECK_FALSE(ui::why_not_dtype(device, spec, Dtype::fp8).empty());
  CHECK(ui::why_not_units(device, UnitsChoice::both).empty());
  spec.kernel = Family::tile;
  CHECK(ui::why_not_dtype(device, spec, Dtype::bf16) == "the fake has no SIMD tiles");
  CHECK_FALSE(ui::why_not_op(device, spec, kernels::Op::fma).empty());
  CHECK(ui::matrix_units_name(device) == "AMX");
  CHECK(ui::matrix_units_name(fake::summary("cuda:0")) == "Tensor cores");
}

TEST_CASE("a device without matrix units switches them off and says why") {
  engine::DeviceSummary device = fake::summary("cpu");
  for (kernels::Kernel& row : device.kernels) {
    if (row.units == kernels::Units::matrix) {
      row.runs = false;
      row.why_not = "no AMX here";
    }
  }
  engine::Spec spec;
  spec.units = UnitsChoice::matrix;
  std::vector<std::string> changes;
  const engine::Spec fitted = ui::adapted(spec, device, changes);
  CHECK(fitted.units == UnitsChoice::vector);
  CHECK(changes.at(0) == "AMX off: no AMX here");
}

TEST_CASE("whatever is clicked, what is left can be swept") {
  ui::AppState state = fake::opened();
  const engine::DeviceSummary device = *ui::current_device(state);
  const auto check = [&] {
    CAPTURE(kernels::name_of(state.spec.family()));
    CAPTURE(kernels::name_of(state.spec.op));
    CHECK_NOTHROW(engine::expand(state.spec, device.info, device.free_bytes));
  };
  // Every way of three clicks: 14 controls, 2744 ways.
  std::vector<std::function<void()>> clicks;
  for (const Family family : {Family::chain, Family::tile}) {
    clicks.push_back([&, family] { ui::set_family(state, family, 1); });
  }
  for (const kernels::Op op : {kernels::Op::mul, kernels::Op::add, kernels::Op::fma}) {
    clicks.push_back([&, op] { ui::set_op(state, op, 1); });
  }
  for (const Dtype dtype : {Dtype::fp64, Dtype::fp32, Dtype::bf16}) {
    clicks.push_back([&, dtype] { ui::toggle_dtype(state, dtype, 1); });
  }
  for (const auto fusion : {FusionChoice::fused, FusionChoice::unfused, FusionChoice::both}) {
    clicks.push_back([&, fusion] { ui::set_fusion(state, fusion, 1); });
  }
  for (const auto units : {UnitsChoice::vector, UnitsChoice::matrix, UnitsChoice::both}) {
    clicks.push_back([&, units] { ui::set_units(state, units, 1); });
  }
  for (const auto& first : clicks) {
    for (const auto& second : clicks) {
      for (const auto& third : clicks) {
        state.spec = ui::new_state().spec;
        state.spec.device = "cpu";
        first();
        second();
        third();
        check();
      }
    }
  }
}

TEST_CASE(
    "Space in the roofs view measures all roofs; measuring again searches their shapes anew") {
  ui::AppState state = fake::opened();
  fake::measure(state, {1});
  ui::show(state, ui::Shown::roofs);
  ui::toggle_run(state);
  auto sweeps = fake::take<ui::StartSweep>(state);
  REQUIRE(sweeps.size() == 1);
  CHECK(sweeps[0].request.spec.experiment == "roofs");
  CHECK_FALSE(sweeps[0].request.spec.remeasure);
  CHECK(sweeps[0].request.known_roofs.empty());
  CHECK(state.running.roofs);
  ui::measure_roofs(state, true);
  sweeps = fake::take<ui::StartSweep>(state);
  REQUIRE(sweeps.size() == 1);
  CHECK(sweeps[0].request.spec.remeasure);
  CHECK(state.spec.experiment == "intensity");
  CHECK_FALSE(state.spec.remeasure);
  ui::sweep_started(state, 2);
  ui::apply(state, engine::SweepFinished{2, engine::End::complete, ""});
  CHECK_FALSE(state.running.roofs);
}

TEST_CASE("a control that changes the sweep leaves a running measurement of roofs alone") {
  ui::AppState state = fake::opened();
  ui::measure_roofs(state, false);
  fake::take<ui::StartSweep>(state);
  ui::set_fusion(state, FusionChoice::fused, 1);
  ui::tick(state, 10);
  CHECK(fake::take<ui::StartSweep>(state).empty());
  CHECK(state.running.roofs);
}

TEST_CASE("a roof's check box decides whether the roofline draws it") {
  ui::AppState state = fake::opened();
  fake::measure(state, {1});
  const engine::Session& session = *ui::current_session(state);
  REQUIRE(ui::draws_roof(session, "DRAM copy", state.view));
  ui::toggle_roof(state, "DRAM copy");
  CHECK_FALSE(ui::draws_roof(session, "DRAM copy", state.view));
  ui::toggle_roof(state, "DRAM copy");
  CHECK(ui::draws_roof(session, "DRAM copy", state.view));
}

TEST_CASE("points of roofs are no points of a sweep: neither verdict nor counts speak of them") {
  ui::AppState state = fake::opened();
  ui::NewestPoints newest;
  fake::measure(state, {64});
  engine::Point tried = fake::point(8);
  tried.experiment = "roofs";
  ui::apply(state, engine::PointMeasured{1, "cpu", tried});
  CHECK(ui::subject_of(state, newest).what.repeat == 64);
  ui::set_cursor(state, 8, 1);
  CHECK(ui::subject_of(state, newest).kind == ui::Subject::Kind::predicted);
}

TEST_CASE("what if: another device's data sheet is compared with, said, and put away again") {
  ui::AppState state = fake::opened();
  engine::Point point = fake::point(64);
  point.what.elements = std::uint64_t{1} << 26;
  ui::apply(state, engine::PointMeasured{1, "cpu", point});
  state.sheets = engine::datasheet_devices();
  REQUIRE(state.sheets.size() > 5);
  const auto says = [&] {
    const auto sentences = ui::verdict_text(state).verdict.sentences;
    return !sentences.empty() &&
           sentences.front().find("data sheet of " + state.sheets[5].name) != std::string::npos;
  };
  CHECK_FALSE(says());
  ui::set_what_if(state, 5);
  REQUIRE(state.view.what_if);
  CHECK(state.view.what_if->device.name == state.sheets[5].name);
  CHECK(says());
  kernels::Case mul{.op = kernels::Op::mul, .elements = std::uint64_t{1} << 26, .repeat = 4096};
  kernels::Case fma = mul;
  fma.op = kernels::Op::fma;
  // As many instructions, half of the FLOP.
  CHECK(ui::what_if_seconds(state.view, mul) == ui::what_if_seconds(state.view, fma));
  ui::set_what_if(state, std::nullopt);
  CHECK_FALSE(state.view.what_if);
  CHECK_FALSE(says());
}

TEST_CASE("what if: a tile on vector units is told of both units of the other device") {
  ui::AppState state = fake::opened();
  engine::Point point = fake::point(64);
  point.what.family = kernels::Family::tile;
  point.what.op = kernels::Op::mma;
  point.what.dtype = kernels::Dtype::bf16;
  point.what.elements = std::uint64_t{1} << 28;
  point.what.repeat = 1024;
  point.work = kernels::work_of(point.what);
  ui::apply(state, engine::PointMeasured{1, "cpu", point});
  state.sheets = engine::datasheet_devices();
  const auto h200 = std::ranges::find(state.sheets, "H200 SXM 141GB", &engine::SheetDevice::name);
  REQUIRE(h200 != state.sheets.end());
  ui::set_what_if(state, static_cast<std::size_t>(h200 - state.sheets.begin()));
  const auto both = ui::what_ifs(state.view, point.what);
  REQUIRE(both.size() == 2);
  CHECK(both[0].name == "H200 SXM 141GB, vector units");
  CHECK(both[1].name == "H200 SXM 141GB, matrix units");
  CHECK(both[1].seconds < both[0].seconds);
  const std::string said = ui::verdict_text(state).verdict.sentences.front();
  CHECK(said.starts_with("The data sheet predicts "));
  CHECK(said.find(" on H200 SXM 141GB, vector units and ") != std::string::npos);
  CHECK(said.ends_with(" on H200 SXM 141GB, matrix units."));
  kernels::Case on_matrix = point.what;
  on_matrix.units = kernels::Units::matrix;
  CHECK(ui::what_ifs(state.view, on_matrix).size() == 1);
  kernels::Case chain{.elements = std::uint64_t{1} << 28, .repeat = 1024};
  REQUIRE(ui::what_ifs(state.view, chain).size() == 1);
  CHECK(ui::what_ifs(state.view, chain).front().name == "H200 SXM 141GB");
}

TEST_CASE("over another device's file the verdict and the slider's point say whose they are") {
  ui::AppState state = fake::opened();
  engine::Session other = engine::new_session(state.devices.front().info);
  other.device.name = "Other GPU";
  for (const engine::Roof& roof : fake::roofs()) engine::add_roof(other, roof);
  engine::add_point(other, fake::point(64));
  state.opened.push_back({"other.json", other});
  CHECK(ui::verdict_text(state).place == "other.json, Other GPU");
  ui::set_cursor(state, 77, 0);
  CHECK(ui::verdict_text(state).place == "other.json, Other GPU");
  engine::Point probe = fake::point(77);
  probe.what = *ui::cursor_case(state);
  probe.work = kernels::work_of(probe.what);
  probe.probe = true;
  ui::apply(state, engine::PointMeasured{1, "cpu", probe});
  const std::string own = state.devices.front().info.name;
  CHECK(ui::verdict_text(state).place == "here, " + own);
  state.view.cursor = ui::cursor_case(state);  // as each frame does
  ui::SeriesCache series;
  const plot::Figure figure =
      ui::figure_on_screen(ui::figure_inputs(state), ui::Panel::runtime, series);
  const auto mark = std::ranges::find(figure.marks, plot::Mark::Kind::probe, &plot::Mark::kind);
  REQUIRE(mark != figure.marks.end());
  CHECK(mark->label.ends_with(" on " + own));
  ui::close_opened(state, 0);
  CHECK(ui::verdict_text(state).place.empty());
}

TEST_CASE(
    "an inspected point says how it was counted, why it stopped and how to measure it again") {
  ui::AppState state = fake::opened();
  engine::Point point = fake::point(32);
  point.seconds = {1e-3, 0.9e-3, 1.1e-3, {0.8e-3, 0.9e-3, 1e-3, 1e-3, 1.1e-3, 1.1e-3, 4e-3}, {6}};
  point.stop = engine::Stop::time_limit;
  point.limit = engine::Limit::spread;
  ui::apply(state, engine::PointMeasured{1, "cpu", point});
  ui::inspect(state, {0, 1});
  CHECK_FALSE(state.inspected);
  ui::inspect(state, {0, 0});
  REQUIRE(state.inspected);
  const auto fact = [&](const std::string& label) {
    const auto found = std::ranges::find(state.inspected->facts, label, &ui::Reading::label);
    return found == state.inspected->facts.end() ? std::string() : found->value;
  };
  CHECK(fact("Counted").find("elements × 32 ops × 2 = ") != std::string::npos);
  CHECK(fact("Moved").find("elements × 8 B × 1 launch = ") != std::string::npos);
  CHECK(fact("Interval") == "900.0 µs to 1.100 ms (95 %)");
  CHECK(fact("Runtime").empty());  // the median stands above, the interval here
  CHECK(fact("Samples") == "7, 1 of them outliers");
  CHECK(fact("Stopped") == "early: the spread puts the noise goal out of reach");
  CHECK(state.inspected->command.starts_with(
      "ridgepoint sweep --device cpu --kernel chain --op fma --dtype fp32 --fusion fused"));
  CHECK(state.inspected->command.find("--repeat 32") != std::string::npos);
  ui::clear(state);
  CHECK_FALSE(state.inspected);
}

TEST_CASE("a histogram counts every sample once") {
  const ui::Histogram histogram = ui::histogram_of({1, 1.1, 1.9, 2, 3}, 2);
  CHECK(histogram.low == 1);
  CHECK(histogram.high == 3);
  CHECK(histogram.counts == std::vector<std::size_t>{3, 2});
  CHECK(ui::histogram_of({2, 2, 2}, 8).counts == std::vector<std::size_t>{3});
  CHECK(ui::histogram_of({}, 8).counts.empty());
}

TEST_CASE("data of zeros reaches the sweep and the slider's point") {
  ui::AppState state = fake::opened();
  ui::set_data(state, kernels::Data::zeros, 1);
  CHECK(ui::cursor_case(state)->data == kernels::Data::zeros);
  CHECK(state.probe_due);
  ui::run(state);
  CHECK(fake::take<ui::StartSweep>(state).at(0).request.spec.data == kernels::Data::zeros);
}

TEST_CASE("the roofs view shows the device's roofs, and a file's while nothing is measured") {
  ui::AppState state = fake::opened();
  state.opened.push_back({"a.json", engine::Session{}});
  CHECK(ui::roofs_session(state) == ui::current_session(state));
  state.opened.front().session.edit().roofs = fake::roofs();
  CHECK(ui::roofs_session(state) == &*state.opened.front().session);
  fake::measure(state, {});
  CHECK(ui::roofs_session(state) == ui::current_session(state));
}
