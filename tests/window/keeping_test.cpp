// What is kept against a crash, and what becomes of sessions that leave the screen.
#include "ui/keeping.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "engine/session_file.hpp"
#include "tests/window/kept_sessions.hpp"
#include "ui/recovery.hpp"

namespace fs = std::filesystem;

TEST_CASE("new points are kept seconds later, once, and at once when the sweep ends") {
  ui::AppState state = fake::opened();
  ui::run(state);
  ui::sweep_started(state, 1);
  fake::measure(state, {1});
  ui::tick(state, 100);
  REQUIRE(ui::next_deadline(state));
  CHECK(*ui::next_deadline(state) >= 100 + ui::rest_before_keeping);
  CHECK(*ui::next_deadline(state) < 101 + ui::rest_before_keeping);
  fake::measure(state, {2});
  ui::tick(state, 101);
  CHECK(fake::take<ui::KeepSession>(state).empty());
  ui::tick(state, 104);
  const auto kept = fake::take<ui::KeepSession>(state);
  REQUIRE(kept.size() == 1);
  CHECK(kept[0].name == "cpu");
  CHECK(kept[0].session.points.size() == 2);
  ui::tick(state, 200);
  CHECK_FALSE(ui::next_deadline(state));
  CHECK(fake::take<ui::KeepSession>(state).empty());
  fake::measure(state, {4});
  ui::apply(state, engine::SweepFinished{1, engine::End::complete, ""});
  ui::tick(state, 201);
  CHECK(fake::take<ui::KeepSession>(state).size() == 1);
}

TEST_CASE("a large session is kept more seldom than a small one") {
  ui::AppState state = fake::opened();
  fake::measure(state, {1});
  engine::Session& session = state.sessions.at("cpu").edit();
  session.points.resize(engine::max_points / 2, session.points.front());
  ui::tick(state, 100);
  CHECK(*ui::next_deadline(state) > 110);
}

TEST_CASE("roofs alone are not kept: they are measured again within seconds") {
  ui::AppState state = fake::opened();
  fake::measure(state, {});
  ui::tick(state, 100);
  CHECK_FALSE(ui::next_deadline(state));
  CHECK(ui::unsaved(state).empty());
}

TEST_CASE("what is saved or cleared is no longer kept; what is brought back is") {
  const fake::Folder folder;
  ui::AppState state = fake::opened();
  fake::sweep(state, {1, 2});
  CHECK(ui::unsaved(state).size() == 1);
  ui::show_save(state);
  fake::save_as(state, folder.path / "a.json");
  CHECK(ui::unsaved(state).empty());
  CHECK(fake::take<ui::DropSession>(state).at(0).name == "cpu");
  ui::clear(state);
  ui::undo(state);
  CHECK(ui::unsaved(state).empty());
  fake::sweep(state, {4});
  CHECK(ui::unsaved(state).size() == 1);
  fake::take<ui::DropSession>(state);
  ui::clear(state);
  CHECK(ui::unsaved(state).empty());
  CHECK(fake::take<ui::DropSession>(state).size() == 1);
  ui::undo(state);
  REQUIRE(ui::unsaved(state).size() == 1);
  CHECK(ui::unsaved(state)[0].asked_for);
  ui::tick(state, 10);
  CHECK(ui::next_deadline(state));
}

TEST_CASE("an opened session can be closed, and comes back to its place") {
  ui::AppState state = fake::opened();
  fake::measure(state, {1});
  for (const char* name : {"a.json", "b.json", "c.json"}) {
    state.opened.push_back({name, *ui::current_session(state)});
  }
  fake::recover(state);
  ui::close_opened(state, 1);
  ui::close_opened(state, 2);
  REQUIRE(state.opened.size() == 2);
  CHECK(state.opened[1].name == "c.json");
  const auto retired = fake::take<ui::RetireSession>(state);
  REQUIRE(retired.size() == 1);
  CHECK(retired[0].name == "opened-1");
  CHECK(retired[0].asked_for);
  CHECK(retired[0].session.points.size() == 2);
  ui::undo(state);
  CHECK(fake::take<ui::KeepSession>(state).at(0).name == "opened-1");
  ui::undo(state);
  REQUIRE(state.opened.size() == 4);
  CHECK(state.opened[1].name == "b.json");
  CHECK(state.opened[3].recovery == "opened-1");
  ui::close_opened(state, 99);
  CHECK(state.opened.size() == 4);
  CHECK(ui::current_session(state)->points.size() == 1);
}

TEST_CASE("a recovered session without points leaves nothing behind when it is closed") {
  ui::AppState state = fake::opened();
  fake::measure(state, {1});
  fake::recover(state);
  state.opened[0].session.edit().points.clear();
  ui::close_opened(state, 0);
  REQUIRE(state.commands.size() == 1);
  CHECK(fake::take<ui::DropSession>(state).at(0).name == "opened-1");
}

TEST_CASE("Clear deletes no recovered session: it becomes a last one") {
  ui::AppState state = fake::opened();
  fake::measure(state, {1});
  fake::recover(state);
  state.opened.push_back({"a.json", *ui::current_session(state)});
  ui::clear(state);
  const auto retired = fake::take<ui::RetireSession>(state);
  REQUIRE(retired.size() == 1);
  CHECK(retired[0].session.points.size() == 2);
}

TEST_CASE("the last session that was not saved can be opened, and is then kept as unsaved") {
  const fake::Folder folder;
  ui::AppState state = fake::opened();
  state.recovery_folder = folder.path.string();
  ui::RecoveryFolder(folder.path).retire("cpu", fake::measured({1, 2, 4}), false);
  ui::show_open(state);
  REQUIRE(state.dialog->recent.size() == 1);
  CHECK(state.dialog->recent[0].title.find("last session, not saved: cpu") == 0);
  ui::open_recent(state, 0);
  REQUIRE(state.opened.size() == 1);
  CHECK(ui::unsaved(state).at(0).session->points.size() == 3);
  CHECK(fake::take<ui::KeepSession>(state).size() == 1);
  CHECK(state.recent.empty());
}

TEST_CASE("the sweep of a start takes no user's session away, asked about or not") {
  ui::AppState state = fake::begun();
  ui::end_in_order(state);
  CHECK_FALSE(fake::take<ui::RetireSession>(state).at(0).asked_for);
  fake::sweep(state, {4});
  state.ask_before_closing = false;
  ui::close_window(state);
  CHECK(state.quit);
  ui::end_in_order(state);
  CHECK(fake::take<ui::RetireSession>(state).at(0).asked_for);

  const fake::Folder folder;
  ui::RecoveryFolder mine(folder.path);
  const fs::path own = mine.retire("cpu", fake::measured({1, 2, 4}), true);
  const fs::path plain = mine.retire("cpu", fake::measured({1}), false);
  CHECK(plain == mine.retire("cpu", fake::measured({2}), false));
  CHECK(plain.filename() == "last-cpu.json");
  CHECK(engine::load_session(own).points.size() == 3);
  const std::vector<ui::LastSession> last = ui::last_sessions(folder.path);
  REQUIRE(last.size() == 2);
  for (const ui::LastSession& one : last) {
    CHECK(one.title.find("last session, not saved: cpu, ") == 0);
    CHECK((one.path == own || one.path == plain));
  }
}
