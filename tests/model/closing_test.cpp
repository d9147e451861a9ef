// What closing the window asks, and what its answers keep.
#include <doctest/doctest.h>

#include <string>
#include <variant>

#include "engine/session/session_file.hpp"
#include "tests/model/kept_sessions.hpp"
#include "ui/actions/actions.hpp"
#include "ui/actions/events.hpp"
#include "ui/autosave/autosave.hpp"

TEST_CASE("closing asks about a sweep that the user started, and about nothing else") {
  ui::AppState untouched = fake::begun();
  CHECK(ui::unsaved(untouched).size() == 1);
  ui::close_window(untouched);
  CHECK(untouched.quit);
  CHECK_FALSE(untouched.dialogs.closing);

  ui::AppState probed = fake::begun();
  engine::Point probe = fake::point(7);
  probe.probe = true;
  probed.worker.running.by_user = true;
  ui::apply(probed, engine::PointMeasured{2, "cpu", probe});
  ui::close_window(probed);
  CHECK(probed.quit);

  ui::AppState swept = fake::begun();
  fake::sweep(swept, {4});
  ui::close_window(swept);
  CHECK_FALSE(swept.quit);
  CHECK(swept.dialogs.closing == ui::CloseAnswer::save);
  ui::answer_closing(swept, ui::CloseAnswer::cancel);
  CHECK_FALSE(swept.dialogs.closing);
  CHECK_FALSE(swept.quit);
  swept.dialogs.ask_before_closing = false;
  ui::close_window(swept);
  CHECK(swept.quit);
}

TEST_CASE("closing right after a sweep was cleared brings it back and asks") {
  ui::AppState state = fake::begun();
  fake::sweep(state, {4, 8});
  const std::size_t points = ui::unsaved(state)[0].session->points.size();
  ui::clear(state);
  CHECK(ui::unsaved(state).empty());
  ui::close_window(state);
  CHECK_FALSE(state.quit);
  CHECK(state.dialogs.closing == ui::CloseAnswer::save);
  REQUIRE(ui::unsaved(state).size() == 1);
  CHECK(ui::unsaved(state)[0].session->points.size() == points);
  ui::answer_closing(state, ui::CloseAnswer::discard);
  CHECK(state.quit);
}

TEST_CASE("a sweep that was cleared comes back though a saved file was closed after it") {
  ui::AppState state = fake::begun();
  fake::sweep(state, {4, 8});
  ui::clear(state);
  state.documents.opened.push_back({"saved.json", engine::Session{}});
  ui::close_opened(state, 0);
  ui::close_window(state);
  CHECK(state.dialogs.closing == ui::CloseAnswer::save);
  CHECK(ui::unsaved(state).size() == 1);
  CHECK(state.documents.opened.empty());
}

TEST_CASE("a sweep that was cleared before another one stays cleared") {
  ui::AppState state = fake::begun();
  fake::sweep(state, {4, 8});
  ui::clear(state);
  fake::sweep(state, {16});
  const std::size_t points = ui::unsaved(state)[0].session->points.size();
  ui::close_window(state);
  CHECK(state.dialogs.closing == ui::CloseAnswer::save);
  CHECK(ui::unsaved(state)[0].session->points.size() == points);
}

TEST_CASE("a sweep that starts anew because a knob was turned is the user's") {
  ui::AppState state = ui::new_state();
  state.worker.run_when_ready = true;
  ui::apply(state, engine::DevicesOpened{{fake::summary("cpu")}, {}});
  CHECK_FALSE(state.worker.running.by_user);
  ui::set_fusion(state, engine::FusionChoice::fused, 1);
  ui::tick(state, 2);
  CHECK(state.worker.running.by_user);
}

TEST_CASE("what nobody asked for is dropped at the end; what was recovered stays") {
  ui::AppState state = fake::begun();
  fake::recover(state);
  state.dialogs.ask_before_closing = false;
  ui::close_window(state);
  state.commands.clear();
  ui::end_in_order(state);
  REQUIRE(state.commands.size() == 1);
  CHECK(fake::take<ui::RemoveAutosave>(state).at(0).name == "cpu");
}

TEST_CASE("Discard removes the autosave files of what the question listed") {
  ui::AppState state = fake::begun();
  fake::sweep(state, {4});
  fake::recover(state);
  state.documents.sessions["cuda:0"] = fake::measured({1, 2, 8});
  ui::note_change(state, "cuda:0", false);
  state.commands.clear();
  ui::close_window(state);
  ui::answer_closing(state, ui::CloseAnswer::discard);
  CHECK(state.quit);
  const auto removed = fake::take<ui::RemoveAutosave>(state);
  REQUIRE(removed.size() == 2);
  CHECK(removed[0].name == "cpu");
  CHECK(removed[1].name == "opened-1");
}

TEST_CASE("a signal keeps for the next start what closing asks about, and drops the rest") {
  ui::AppState untouched = fake::begun();
  fake::recover(untouched);
  untouched.commands.clear();
  ui::end_at_once(untouched);
  REQUIRE(untouched.commands.size() == 2);
  CHECK(std::get<ui::RemoveAutosave>(untouched.commands[0]).name == "cpu");
  CHECK(std::get<ui::WriteAutosave>(untouched.commands[1]).name == "opened-1");
  ui::AppState swept = fake::begun();
  fake::sweep(swept, {4});
  swept.commands.clear();
  ui::end_at_once(swept);
  REQUIRE(swept.commands.size() == 1);
  CHECK(fake::take<ui::WriteAutosave>(swept).at(0).session.points.size() == 3);
  // Who took that command may have found the disk full.
  ui::end_at_once(swept);
  CHECK(fake::take<ui::WriteAutosave>(swept).size() == 1);
}

TEST_CASE("Save before closing goes through all that is not saved, and then closes") {
  const fake::Folder folder;
  ui::AppState state = fake::opened();
  fake::sweep(state, {1, 2});
  fake::recover(state);
  ui::close_window(state);
  ui::answer_closing(state, ui::CloseAnswer::save);
  fake::save_as(state, folder.path / "cpu.json");
  CHECK_FALSE(state.quit);
  REQUIRE(state.dialogs.closing);
  ui::answer_closing(state, ui::CloseAnswer::save);
  REQUIRE(state.dialogs.file);
  CHECK(state.dialogs.file->path.ends_with("ridgepoint-fake-recovered.json"));
  fake::save_as(state, folder.path / "old.json");
  CHECK(state.quit);
  CHECK(engine::load_session(folder.path / "cpu.json").points[1].what.repeat == 2);
  CHECK(engine::load_session(folder.path / "old.json").points[1].what.repeat == 8);
  CHECK(state.documents.opened.at(0).name == "old.json");
  CHECK(state.documents.opened.at(0).autosave.empty());
}

TEST_CASE("the question before closing takes the place of a dialog, the palette and the keys") {
  ui::AppState state = fake::opened();
  fake::sweep(state, {1});
  ui::show_open(state);
  ui::show_palette(state);
  state.dialogs.help = true;
  ui::close_window(state);
  CHECK(state.dialogs.closing);
  CHECK_FALSE(state.dialogs.file);
  CHECK_FALSE(state.dialogs.palette);
  CHECK_FALSE(state.dialogs.help);
}

TEST_CASE("a dialog that was cancelled closes nothing later") {
  const fake::Folder folder;
  ui::AppState state = fake::opened();
  fake::sweep(state, {1});
  ui::close_window(state);
  ui::answer_closing(state, ui::CloseAnswer::save);
  state.dialogs.file.reset();
  ui::show_save(state);
  fake::save_as(state, folder.path / "a.json");
  CHECK_FALSE(state.quit);
}

TEST_CASE("Save means what was recovered while nothing else is measured") {
  const fake::Folder folder;
  ui::AppState state = fake::opened();
  fake::recover(state);
  ui::show_save(state);
  fake::save_as(state, folder.path / "a.json");
  CHECK(engine::load_session(folder.path / "a.json").points.size() == 2);
  CHECK(fake::take<ui::RemoveAutosave>(state).at(0).name == "opened-1");
}
