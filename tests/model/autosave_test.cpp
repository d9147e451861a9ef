// What is written against a crash, and when it is removed.
#include "ui/autosave/autosave.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/model/kept_sessions.hpp"
#include "ui/actions/events.hpp"

TEST_CASE("new points are kept seconds later, once, and at once when the sweep ends") {
  ui::AppState state = fake::opened();
  ui::run(state);
  state.worker.running.sweep_number = 1;
  fake::measure(state, {1});
  ui::tick(state, 100);
  REQUIRE(ui::next_deadline(state));
  CHECK(*ui::next_deadline(state) >= 100 + ui::rest_before_autosave);
  CHECK(*ui::next_deadline(state) < 101 + ui::rest_before_autosave);
  fake::measure(state, {2});
  ui::tick(state, 101);
  CHECK(fake::take<ui::WriteAutosave>(state).empty());
  ui::tick(state, 104);
  const auto kept = fake::take<ui::WriteAutosave>(state);
  REQUIRE(kept.size() == 1);
  CHECK(kept[0].name == "cpu");
  CHECK(kept[0].session.points.size() == 2);
  ui::tick(state, 200);
  CHECK_FALSE(ui::next_deadline(state));
  CHECK(fake::take<ui::WriteAutosave>(state).empty());
  fake::measure(state, {4});
  ui::apply(state, engine::SweepFinished{1, engine::End::complete, ""});
  ui::tick(state, 201);
  CHECK(fake::take<ui::WriteAutosave>(state).size() == 1);
}

TEST_CASE("a large session is kept more seldom than a small one") {
  ui::AppState state = fake::opened();
  fake::measure(state, {1});
  engine::Session& session = state.documents.sessions.at("cpu").edit();
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
  CHECK(fake::take<ui::RemoveAutosave>(state).at(0).name == "cpu");
  ui::clear(state);
  ui::undo(state);
  CHECK(ui::unsaved(state).empty());
  fake::sweep(state, {4});
  CHECK(ui::unsaved(state).size() == 1);
  fake::take<ui::RemoveAutosave>(state);
  ui::clear(state);
  CHECK(ui::unsaved(state).empty());
  CHECK(fake::take<ui::RemoveAutosave>(state).size() == 1);
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
    state.documents.opened.push_back({name, *ui::current_session(state)});
  }
  fake::recover(state);
  ui::close_opened(state, 1);
  ui::close_opened(state, 2);
  REQUIRE(state.documents.opened.size() == 2);
  CHECK(state.documents.opened[1].name == "c.json");
  CHECK(fake::take<ui::RemoveAutosave>(state).at(0).name == "opened-1");
  ui::undo(state);
  CHECK(fake::take<ui::WriteAutosave>(state).at(0).name == "opened-1");
  ui::undo(state);
  REQUIRE(state.documents.opened.size() == 4);
  CHECK(state.documents.opened[1].name == "b.json");
  CHECK(state.documents.opened[3].autosave == "opened-1");
  ui::close_opened(state, 99);
  CHECK(state.documents.opened.size() == 4);
  CHECK(ui::current_session(state)->points.size() == 1);
}

TEST_CASE("Clear removes the autosave file of a recovered session, and undo writes it again") {
  ui::AppState state = fake::opened();
  fake::measure(state, {1});
  fake::recover(state);
  state.documents.opened.push_back({"a.json", *ui::current_session(state)});
  state.commands.clear();
  ui::clear(state);
  const auto removed = fake::take<ui::RemoveAutosave>(state);
  REQUIRE(removed.size() == 2);
  CHECK(removed[1].name == "opened-1");
  ui::undo(state);
  CHECK(fake::take<ui::WriteAutosave>(state).at(0).session.points.size() == 2);
}
