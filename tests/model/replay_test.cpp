// A recorded session in the window: its device, its points as they come, and what is not kept.
#include "engine/worker/replay.hpp"

#include <doctest/doctest.h>

#include "tests/model/fake_state.hpp"
#include "ui/actions/actions.hpp"
#include "ui/actions/events.hpp"
#include "ui/autosave/autosave.hpp"
#include "ui/model/opened_spec.hpp"

namespace {

engine::Session recording() {
  engine::Session session;
  session.created = "2026-01-02T03:04:05Z";
  session.device = fake::summary("cpu").info;
  session.roofs = fake::roofs();
  for (const std::uint64_t repeat : {1, 2, 4}) {
    engine::Point point = fake::point(repeat);
    point.seconds.samples = {1};
    session.points.push_back(point);
  }
  return session;
}

/// A window that has opened a device and a file, and plays the file on a clock that the test sets.
struct Desk {
  ui::AppState state = fake::opened();
  double now = 0;
  std::optional<engine::Replay> worker;

  Desk() {
    state.documents.opened.push_back({"a.json", recording()});
    ui::replay(state, recording());
    auto asked = fake::take<ui::PlayRecording>(state);
    REQUIRE(asked.size() == 1);
    worker.emplace(std::move(asked[0].session), asked[0].speed, [this] { return now; });
    pass(0);
  }
  void pass(double seconds) {
    now += seconds;
    hear();
    for (const auto& sweep : fake::take<ui::StartSweep>(state)) {
      state.worker.running.sweep_number = worker->start(sweep);
    }
    hear();
  }
  void hear() {
    for (const engine::Event& event : worker->drain()) ui::apply(state, event);
  }
  std::size_t points() const { return ui::current_session(state)->points.size(); }
};

}  // namespace

TEST_CASE("a replay shows its device beside those that are here, and its points as they come") {
  Desk desk;
  CHECK(desk.state.worker.devices.size() == 2);
  CHECK(ui::current_device(desk.state)->recorded);
  CHECK(ui::current_device(desk.state)->info.name.ends_with("(recording)"));
  CHECK(ui::current_session(desk.state)->created == recording().created);
  CHECK(ui::current_session(desk.state)->roofs == recording().roofs);
  CHECK(desk.state.worker.running.sweep);
  CHECK(desk.points() == 0);
  desk.pass(1.5);
  CHECK(desk.points() == 1);
  CHECK(desk.state.worker.running.progress.done == 1);
  CHECK(desk.state.worker.running.progress.total == 3);
  desk.pass(2);
  CHECK(desk.points() == 3);
  CHECK_FALSE(desk.state.worker.running.sweep);
}

TEST_CASE("Run plays a recording from its beginning") {
  Desk desk;
  desk.pass(10);
  CHECK(desk.points() == 3);
  ui::run(desk.state);
  CHECK(desk.points() == 0);
  desk.pass(0);
  CHECK(desk.state.worker.running.sweep);
  desk.pass(1.5);
  CHECK(desk.points() == 1);
}

TEST_CASE("what is replayed is not unsaved, and the settings keep the user's own controls") {
  Desk desk;
  desk.pass(10);
  ui::tick(desk.state, 1000);
  CHECK(fake::take<ui::WriteAutosave>(desk.state).empty());
  CHECK(ui::unsaved(desk.state).empty());
  REQUIRE(desk.state.own_spec);
  CHECK(desk.state.own_spec->device == "cpu");
}

TEST_CASE("the lab that a replay plays is the one whose points come, whatever is on screen") {
  ui::AppState state = fake::opened();
  engine::Session several = recording();
  several.points.back().lab = "fma";
  engine::Replay worker(several, 1e9);
  ui::replay(state, several);
  for (const engine::Event& event : worker.drain()) ui::apply(state, event);
  const auto asked = fake::take<ui::StartSweep>(state);
  REQUIRE(asked.size() == 1);
  state.worker.running.sweep_number = worker.start(asked[0]);
  std::vector<std::string> labs;
  for (int tries = 0; tries < 1000 && state.worker.running.sweep; ++tries) {
    for (const engine::Event& event : worker.drain()) {
      ui::apply(state, event);
      if (std::holds_alternative<engine::PointMeasured>(event))
        labs.push_back(state.worker.running.lab);
    }
    worker.wait(std::chrono::milliseconds(1));
  }
  CHECK(labs == std::vector<std::string>{"intensity", "intensity", "fma"});
}

TEST_CASE("the palette offers to replay the sessions that are open") {
  ui::AppState state = fake::opened();
  state.documents.opened.push_back({"a.json", recording()});
  const auto all = ui::actions_of(state);
  const auto found = std::ranges::find(all, "Replay a.json", &ui::Action::title);
  REQUIRE(found != all.end());
  found->act(state, 1);
  CHECK(fake::take<ui::PlayRecording>(state).size() == 1);
  CHECK(state.documents.opened.empty());  // the recording takes its place
  ui::undo(state);
  CHECK(state.documents.opened.size() == 1);
}
