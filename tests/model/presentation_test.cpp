// Presenting the charts step by step: what each step shows, and that nothing is measured meanwhile.
#include "ui/screen/presentation.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/labs/lab.hpp"
#include "tests/figures/sample_sessions.hpp"
#include "tests/model/kept_sessions.hpp"
#include "ui/actions/actions.hpp"
#include "ui/actions/events.hpp"

namespace {

/// A window that shows a sweep of fp32 and bf16, fused and unfused.
ui::AppState with_a_sweep() {
  ui::AppState state = fake::opened();
  state.documents.opened.push_back({"cpu.json", test::cpu_session()});
  state.look.view.cursor = ui::cursor_case(state);
  return state;
}

std::vector<ui::Revealed> kinds_of(const ui::AppState& state) {
  std::vector<ui::Revealed> kinds;
  for (const ui::RevealStep& step : state.look.presenting->steps) kinds.push_back(step.what);
  return kinds;
}

plot::Figure roofline_of(const ui::AppState& state) {
  return ui::figure_on_screen(state, test::chart("roofline"));
}

std::vector<std::string> series_in(const plot::Figure& figure) {
  std::vector<std::string> names;
  for (const plot::Series& series : figure.series) names.push_back(series.name);
  return names;
}

bool measures(const ui::AppState& state) {
  return std::ranges::any_of(state.commands, [](const ui::Command& command) {
    return std::holds_alternative<ui::StartSweep>(command) ||
           std::holds_alternative<ui::StartProbe>(command);
  });
}

}  // namespace

TEST_CASE("a presentation begins with the axes, then come roofs, unfused, fused, and the verdict") {
  ui::AppState state = with_a_sweep();
  ui::press(state, {ui::Key::f11}, 1);
  REQUIRE(state.look.presenting);
  using enum ui::Revealed;
  CHECK(kinds_of(state) ==
        std::vector<ui::Revealed>{axes, roofs, series, series, series, series, verdict});
  CHECK(series_in(roofline_of(state)).empty());
  CHECK(roofline_of(state).roofs.empty());
  CHECK(roofline_of(state).marks.empty());
  CHECK(roofline_of(state).regions.empty());
  ui::press(state, {ui::Key::right}, 1);
  CHECK(series_in(roofline_of(state)).empty());
  CHECK_FALSE(roofline_of(state).roofs.empty());
  std::vector<std::string> newest;
  for (std::size_t shown = 1; shown <= 4; ++shown) {
    ui::press(state, {ui::Key::right}, 1);
    const std::vector<std::string> names = series_in(roofline_of(state));
    REQUIRE(names.size() == shown);
    for (const std::string& name : names)
      if (std::ranges::find(newest, name) == newest.end()) newest.push_back(name);
  }
  REQUIRE(newest.size() == 4);
  CHECK(newest[0].find("unfused") != std::string::npos);
  CHECK(newest[1].find("unfused") != std::string::npos);
  CHECK(newest[2].find("unfused") == std::string::npos);
  CHECK(newest[3].find("unfused") == std::string::npos);
}

TEST_CASE("the last step of a presentation shows what the window shows, and the verdict in words") {
  ui::AppState state = with_a_sweep();
  const plot::Figure before = roofline_of(state);
  ui::present(state);
  CHECK_FALSE(state.look.view.reveal->slider);
  CHECK(ui::headline_of(state).verdict.empty());
  ui::press(state, {ui::Key::end}, 1);
  const plot::Figure after = roofline_of(state);
  CHECK(series_in(after) == series_in(before));
  CHECK(after.roofs == before.roofs);
  CHECK(after.marks == before.marks);
  CHECK(state.look.view.reveal->slider);
  CHECK_FALSE(ui::headline_of(state).verdict.empty());
  ui::press(state, {ui::Key::home}, 1);
  CHECK(series_in(roofline_of(state)).empty());
  ui::press(state, {ui::Key::f11}, 1);
  CHECK_FALSE(state.look.presenting);
  CHECK_FALSE(state.look.view.reveal);
  CHECK(series_in(roofline_of(state)) == series_in(before));
}

TEST_CASE("the axes stand still while a presentation reveals what they show") {
  ui::AppState state = with_a_sweep();
  const plot::Figure before = roofline_of(state);
  ui::present(state);
  for (int step = 0; step < 8; ++step) {
    CAPTURE(step);
    for (const engine::Chart& chart : ui::charts_presented(state)) {
      const plot::Figure figure = ui::figure_on_screen(state, chart);
      CHECK(figure.empty_text.empty());
    }
    const plot::Figure now = roofline_of(state);
    CHECK(now.x == before.x);
    CHECK(now.y == before.y);
    ui::step_presentation(state, 1);
  }
  ui::step_presentation(state, -ui::all_steps);
  CHECK(state.look.presenting->step == 0);
}

TEST_CASE("a series that is still to come has no best point, no knee and no prediction yet") {
  ui::AppState state = with_a_sweep();
  ui::present(state);
  ui::step_presentation(state, 1);
  for (const char* id : {"runtime", "flops", "bandwidth"}) {
    CAPTURE(id);
    const plot::Figure figure = ui::figure_on_screen(state, test::chart(id));
    CHECK(std::ranges::none_of(figure.marks, [](const plot::Mark& mark) {
      return mark.kind == plot::Mark::Kind::best || mark.kind == plot::Mark::Kind::knee;
    }));
  }
}

TEST_CASE("every lab can be presented to its end, whatever it has measured") {
  for (const engine::Lab* lab : engine::labs()) {
    CAPTURE(lab->name);
    ui::AppState state = with_a_sweep();
    ui::show_lab(state, *lab);
    ui::present(state);
    REQUIRE(state.look.presenting);
    const std::size_t steps = state.look.presenting->steps.size();
    CHECK(steps > 0);
    ui::step_presentation(state, ui::all_steps);
    CHECK(state.look.presenting->step + 1 == steps);
    CHECK_FALSE(state.look.view.reveal->series);
    CHECK(ui::headline_of(state).title == lab->question);
    ui::present(state);
  }
}

TEST_CASE("nothing in a presentation starts to measure, whatever key is pressed") {
  ui::AppState state = fake::opened();
  fake::measure(state, {1, 8, 64});
  ui::set_cursor(state, 8, 1);  // its point is due
  ui::present(state);
  state.commands.clear();
  ui::tick(state, 1000);
  const std::uint64_t cursor = state.cursor_repeat;
  std::vector<ui::Key> keys{ui::Key::enter, ui::Key::tab,     ui::Key::left,     ui::Key::right,
                            ui::Key::up,    ui::Key::down,    ui::Key::home,     ui::Key::end,
                            ui::Key::f1,    ui::Key::page_up, ui::Key::page_down};
  for (char key = ' '; key <= 'Z'; ++key) keys.push_back(static_cast<ui::Key>(key));
  for (const ui::Key key : keys) {
    for (const bool with_ctrl : {false, true}) {
      if (with_ctrl && (key == ui::Key{'Q'} || key == ui::Key{'W'})) continue;
      ui::press(state, {key, with_ctrl}, 1001);
      ui::tick(state, 2000);
      CAPTURE(ui::name_of(ui::KeyPress{key, with_ctrl}));
      CHECK_FALSE(measures(state));
      REQUIRE(state.look.presenting);
    }
  }
  ui::run(state);
  ui::probe(state);
  ui::measure_roofs(state, true);
  CHECK_FALSE(measures(state));
  CHECK_FALSE(state.worker.running.any());
  CHECK(state.cursor_repeat == cursor);
  CHECK_FALSE(state.dialogs.palette);
  ui::present(state);
  ui::press(state, {ui::Key{' '}}, 3000);
  CHECK(measures(state));
}

TEST_CASE("a tour waits while charts are presented, and goes on afterwards") {
  ui::AppState state = fake::opened();
  ui::run_all_labs(state);
  state.worker.running.sweep_number = 7;
  const std::string lab = state.spec.lab;
  state.commands.clear();
  ui::present(state);
  ui::apply(state, engine::SweepFinished{7, engine::End::complete, ""});
  CHECK_FALSE(measures(state));
  CHECK(state.spec.lab == lab);
  ui::present(state);
  CHECK(measures(state));
  CHECK(state.spec.lab != lab);
}

TEST_CASE("what is measured while charts are presented is in the last step") {
  ui::AppState state = fake::opened();
  fake::sweep(state, {1, 8});
  ui::present(state);
  ui::step_presentation(state, ui::all_steps);
  engine::Point other = fake::point(16);
  other.what.dtype = kernels::Dtype::fp64;
  other.work = kernels::work_of(other.what);
  ui::apply(state, engine::PointMeasured{1, "cpu", other});
  CHECK(series_in(roofline_of(state)).size() == 2);
}

TEST_CASE("the title of a presentation is the lab's question until the user types one") {
  ui::AppState state = with_a_sweep();
  ui::present(state);
  CHECK(ui::headline_of(state).title == ui::lab_on_screen(state).question);
  ui::press(state, {ui::Key{'T'}}, 1);
  CHECK(state.look.presenting->types_title);
  state.look.title = ui::as_title("Why fuse?\x1b[2J");
  CHECK(ui::headline_of(state).title == "Why fuse?\\x1b[2J");
  state.look.title = ui::as_title(std::string(199, 'x') + "µ and more");
  CHECK(state.look.title == std::string(199, 'x'));
  state.look.title = ui::as_title("");
  CHECK(ui::headline_of(state).title == ui::lab_on_screen(state).question);
}

TEST_CASE("closing the window while charts are presented asks as it does without") {
  ui::AppState state = fake::opened();
  fake::sweep(state, {1, 8});
  ui::present(state);
  ui::press(state, {ui::Key{'Q'}, true}, 1);
  CHECK(state.dialogs.closing);
  CHECK_FALSE(state.look.presenting);
}
