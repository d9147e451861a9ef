// What is kept against a crash, what closing the window asks, what is opened again: the model, and
// the folder of recovery files.
#include "ui/keeping.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "engine/session_file.hpp"
#include "tests/window/fake_state.hpp"
#include "ui/recovery.hpp"
#include "ui/settings.hpp"

namespace fs = std::filesystem;

namespace {

/// Points of a sweep that the user started.
void sweep(ui::AppState& state, const std::vector<std::uint64_t>& repeats) {
  ui::run(state);
  ui::sweep_started(state, 1);
  fake::measure(state, repeats);
  ui::apply(state, engine::SweepFinished{1, engine::End::complete, ""});
}

/// Points of the sweep with which the window begins.
ui::AppState begun() {
  ui::AppState state = ui::new_state();
  state.run_when_ready = true;
  ui::apply(state, engine::DevicesOpened{{fake::summary("cpu")}, {}});
  ui::sweep_started(state, 1);
  fake::measure(state, {1, 2});
  ui::apply(state, engine::SweepFinished{1, engine::End::complete, ""});
  return state;
}

/// Adds a session as if an earlier window had left it.
void recover(ui::AppState& state, const std::string& name = "opened-1") {
  engine::Session session = *ui::current_session(state);
  session.points = {fake::point(4), fake::point(8)};
  state.opened.push_back({"recovered cpu 14:05", session, name});
}

void save_as(ui::AppState& state, const fs::path& path) {
  REQUIRE(state.dialog);
  ui::set_path(*state.dialog, path.string());
  ui::confirm_dialog(state);
}

void write(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

engine::Session measured(const std::vector<std::uint64_t>& repeats) {
  ui::AppState state = fake::opened();
  fake::measure(state, repeats);
  return *ui::current_session(state);
}

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

/// Number of a process that has ended: our own children are numbered later.
constexpr const char* ended = "1999999999";

}  // namespace

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
  sweep(state, {1, 2});
  CHECK(ui::unsaved(state).size() == 1);
  ui::show_save(state);
  save_as(state, folder.path / "a.json");
  CHECK(ui::unsaved(state).empty());
  CHECK(fake::take<ui::DropSession>(state).at(0).name == "cpu");
  ui::clear(state);
  ui::undo(state);
  CHECK(ui::unsaved(state).empty());
  sweep(state, {4});
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

TEST_CASE("closing asks about a sweep that the user started, and about nothing else") {
  ui::AppState untouched = begun();
  CHECK(ui::unsaved(untouched).size() == 1);
  ui::close_window(untouched);
  CHECK(untouched.quit);
  CHECK_FALSE(untouched.closing);

  ui::AppState probed = begun();
  engine::Point probe = fake::point(7);
  probe.probe = true;
  probed.running.by_user = true;
  ui::apply(probed, engine::PointMeasured{2, "cpu", probe});
  ui::close_window(probed);
  CHECK(probed.quit);

  ui::AppState swept = begun();
  sweep(swept, {4});
  ui::close_window(swept);
  CHECK_FALSE(swept.quit);
  CHECK(swept.closing == ui::CloseAnswer::save);
  ui::answer_closing(swept, ui::CloseAnswer::cancel);
  CHECK_FALSE(swept.closing);
  CHECK_FALSE(swept.quit);
  swept.ask_before_closing = false;
  ui::close_window(swept);
  CHECK(swept.quit);
}

TEST_CASE("a sweep that starts anew because a knob was turned is the user's") {
  ui::AppState state = ui::new_state();
  state.run_when_ready = true;
  ui::apply(state, engine::DevicesOpened{{fake::summary("cpu")}, {}});
  CHECK_FALSE(state.running.by_user);
  ui::set_fusion(state, engine::FusionChoice::fused, 1);
  ui::tick(state, 2);
  CHECK(state.running.by_user);
}

TEST_CASE("what nobody asked for becomes the last session; what was discarded does not") {
  ui::AppState state = begun();
  ui::close_window(state);
  fake::take<ui::KeepSession>(state);
  ui::end_in_order(state);
  const auto retired = fake::take<ui::RetireSession>(state);
  REQUIRE(retired.size() == 1);
  CHECK(retired[0].session.points.size() == 2);

  sweep(state, {4});
  recover(state);
  fake::take<ui::KeepSession>(state);
  state.quit = false;
  ui::close_window(state);
  ui::answer_closing(state, ui::CloseAnswer::discard);
  CHECK(state.quit);
  CHECK(fake::take<ui::DropSession>(state).size() == 2);
  ui::end_in_order(state);
  CHECK(fake::take<ui::RetireSession>(state).empty());
}

TEST_CASE("Discard takes what the question listed, and no other device's session") {
  ui::AppState state = begun();
  sweep(state, {4});
  state.sessions["cuda:0"] = measured({1, 2, 8});
  ui::note_change(state, "cuda:0", false);
  ui::close_window(state);
  ui::answer_closing(state, ui::CloseAnswer::discard);
  ui::end_in_order(state);
  const auto retired = fake::take<ui::RetireSession>(state);
  REQUIRE(retired.size() == 1);
  CHECK(retired[0].name == "cuda-0");
  CHECK(retired[0].session.points.size() == 3);
}

TEST_CASE("a signal keeps for the next start what closing asks about, and retires the rest") {
  ui::AppState untouched = begun();
  recover(untouched);
  untouched.commands.clear();
  ui::end_at_once(untouched);
  REQUIRE(untouched.commands.size() == 2);
  CHECK(std::get<ui::KeepSession>(untouched.commands[1]).name == "opened-1");
  CHECK(fake::take<ui::RetireSession>(untouched).size() == 1);
  ui::AppState swept = begun();
  sweep(swept, {4});
  swept.commands.clear();
  ui::end_at_once(swept);
  REQUIRE(swept.commands.size() == 1);
  CHECK(fake::take<ui::KeepSession>(swept).at(0).session.points.size() == 3);
  // Who took that command may have found the disk full.
  ui::end_at_once(swept);
  CHECK(fake::take<ui::KeepSession>(swept).size() == 1);
}

TEST_CASE("Save before closing goes through all that is not saved, and then closes") {
  const fake::Folder folder;
  ui::AppState state = fake::opened();
  sweep(state, {1, 2});
  recover(state);
  ui::close_window(state);
  ui::answer_closing(state, ui::CloseAnswer::save);
  save_as(state, folder.path / "cpu.json");
  CHECK_FALSE(state.quit);
  REQUIRE(state.closing);
  ui::answer_closing(state, ui::CloseAnswer::save);
  REQUIRE(state.dialog);
  CHECK(state.dialog->path.ends_with("ridgepoint-cpu-recovered.json"));
  save_as(state, folder.path / "old.json");
  CHECK(state.quit);
  CHECK(engine::load_session(folder.path / "cpu.json").points[1].what.repeat == 2);
  CHECK(engine::load_session(folder.path / "old.json").points[1].what.repeat == 8);
  CHECK(state.opened.at(0).name == "old.json");
  CHECK(state.opened.at(0).recovery.empty());
}

TEST_CASE("the question before closing takes the place of a dialog that is open") {
  ui::AppState state = fake::opened();
  sweep(state, {1});
  ui::show_open(state);
  state.help = true;
  ui::close_window(state);
  CHECK(state.closing);
  CHECK_FALSE(state.dialog);
  CHECK_FALSE(state.help);
}

TEST_CASE("a dialog that was cancelled closes nothing later") {
  const fake::Folder folder;
  ui::AppState state = fake::opened();
  sweep(state, {1});
  ui::close_window(state);
  ui::answer_closing(state, ui::CloseAnswer::save);
  state.dialog.reset();
  ui::show_save(state);
  save_as(state, folder.path / "a.json");
  CHECK_FALSE(state.quit);
}

TEST_CASE("Save means what was recovered while nothing else is measured") {
  const fake::Folder folder;
  ui::AppState state = fake::opened();
  recover(state);
  ui::show_save(state);
  save_as(state, folder.path / "a.json");
  CHECK(engine::load_session(folder.path / "a.json").points.size() == 2);
  CHECK(fake::take<ui::DropSession>(state).at(0).name == "opened-1");
}

TEST_CASE("an opened session can be closed, and comes back to its place") {
  ui::AppState state = fake::opened();
  fake::measure(state, {1});
  for (const char* name : {"a.json", "b.json", "c.json"}) {
    state.opened.push_back({name, *ui::current_session(state)});
  }
  recover(state);
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

TEST_CASE("Clear deletes no recovered session: it becomes a last one") {
  ui::AppState state = fake::opened();
  fake::measure(state, {1});
  recover(state);
  state.opened.push_back({"a.json", *ui::current_session(state)});
  ui::clear(state);
  const auto retired = fake::take<ui::RetireSession>(state);
  REQUIRE(retired.size() == 1);
  CHECK(retired[0].session.points.size() == 2);
}

TEST_CASE("files that are dropped are opened, and each bad one says what is wrong with it") {
  const fake::Folder folder;
  ui::AppState state = fake::opened();
  engine::save_session(measured({1, 2}), folder.path / "a.json");
  engine::save_session(measured({4}), folder.path / "c.json");
  write(folder.path / "b.json", "{");
  const auto path = [&](const char* name) { return (folder.path / name).string(); };
  ui::open_paths(state, {path("a.json"), path("b.json"), path("no.json"), folder.path.string(),
                         path("c.json")});
  REQUIRE(state.opened.size() == 2);
  CHECK(state.opened[1].name == "c.json");
  REQUIRE(state.notices.size() == 3);
  CHECK(state.notices[0].text.find("b.json") != std::string::npos);
  CHECK(state.notices[1].text.find("no.json") != std::string::npos);
}

TEST_CASE("sessions opened and saved are recent: ten, the newest first, none twice") {
  const fake::Folder folder;
  ui::AppState state = fake::opened();
  fake::measure(state, {1});
  for (int i = 0; i < 12; ++i) {
    ui::show_save(state);
    save_as(state, folder.path / (std::to_string(i) + ".json"));
  }
  ui::open_paths(state, {(folder.path / "5.json").string()});
  REQUIRE(state.recent.size() == 10);
  CHECK(state.recent[0] == (folder.path / "5.json").string());
  CHECK(state.recent[1] == (folder.path / "11.json").string());
  CHECK(std::ranges::count(state.recent, state.recent[0]) == 1);
  fs::remove(folder.path / "11.json");
  ui::show_open(state);
  REQUIRE(state.dialog->recent.size() == 10);
  CHECK_FALSE(state.dialog->recent[1].there);
  ui::open_recent(state, 1);
  REQUIRE(state.dialog);
  CHECK(state.dialog->error.find("11.json") != std::string::npos);
  ui::open_recent(state, 2);
  CHECK_FALSE(state.dialog);
  CHECK(state.opened.back().name == "10.json");
  ui::Settings settings;
  settings.recent = state.recent;
  settings.ask_before_closing = false;
  const ui::Settings again = ui::settings_of(ui::settings_text(settings), "test");
  CHECK(again.recent == state.recent);
  CHECK_FALSE(again.ask_before_closing);
  settings.recent.resize(12, "more.json");
  CHECK(ui::settings_of(ui::settings_text(settings), "test").recent == state.recent);
}

TEST_CASE("the last session that was not saved can be opened, and is then kept as unsaved") {
  const fake::Folder folder;
  ui::AppState state = fake::opened();
  state.recovery_folder = folder.path.string();
  ui::RecoveryFolder(folder.path).retire("cpu", measured({1, 2, 4}), false);
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
  ui::AppState state = begun();
  ui::end_in_order(state);
  CHECK_FALSE(fake::take<ui::RetireSession>(state).at(0).asked_for);
  sweep(state, {4});
  state.ask_before_closing = false;
  ui::close_window(state);
  CHECK(state.quit);
  ui::end_in_order(state);
  CHECK(fake::take<ui::RetireSession>(state).at(0).asked_for);

  const fake::Folder folder;
  ui::RecoveryFolder mine(folder.path);
  const fs::path own = mine.retire("cpu", measured({1, 2, 4}), true);
  const fs::path plain = mine.retire("cpu", measured({1}), false);
  CHECK(plain == mine.retire("cpu", measured({2}), false));
  CHECK(plain.filename() == "last-cpu.json");
  CHECK(engine::load_session(own).points.size() == 3);
  const std::vector<ui::LastSession> last = ui::last_sessions(folder.path);
  REQUIRE(last.size() == 2);
  for (const ui::LastSession& one : last) {
    CHECK(one.title.find("last session, not saved: cpu, ") == 0);
    CHECK((one.path == own || one.path == plain));
  }
}

TEST_CASE("of the user's own last sessions the newest five stay, each once") {
  const fake::Folder folder;
  ui::RecoveryFolder mine(folder.path);
  write(folder.path / "last-cpu-20260102T030405.json", "not of ours: it has no window's number");
  std::vector<fs::path> written;
  for (std::uint64_t i = 1; i <= 7; ++i) {
    written.push_back(mine.retire("cpu", measured({i}), true));
    mine.retire("cpu", measured({i, i + 1}), false);
  }
  for (std::size_t i = 0; i < written.size(); ++i) CHECK(fs::exists(written[i]) == (i >= 2));
  CHECK(ui::last_sessions(folder.path).size() == 7);
  const engine::Session again = engine::load_session(written[4]);
  const fs::path newest = mine.retire("opened-1", again, true);
  CHECK(engine::load_session(newest).points == again.points);
  CHECK_FALSE(fs::exists(written[4]));
  CHECK(fs::exists(written[2]));
  CHECK(ui::last_sessions(folder.path).size() == 7);
}

TEST_CASE("what a window that has ended left is taken over whole, once") {
  const fake::Folder folder;
  std::string name;
  {
    const ui::RecoveryFolder crashed(folder.path);
    crashed.write("cuda-0", measured({1, 2, 4}));
    name = crashed.path_of("cuda-0").filename().string();
    // A window that runs keeps its files to itself.
    ui::RecoveryFolder second(folder.path);
    CHECK(second.take_over().sessions.empty());
    CHECK(fs::exists(folder.path / name));
  }
  REQUIRE(fs::exists(folder.path / name));
  {
    ui::RecoveryFolder next(folder.path);
    ui::Leftovers left = next.take_over();
    REQUIRE(left.sessions.size() == 1);
    CHECK(left.problems.empty());
    CHECK(left.sessions[0].session.points.size() == 3);
    CHECK(left.sessions[0].title.find("recovered cpu") == 0);
    CHECK(left.sessions[0].said.find("3 points") != std::string::npos);
    CHECK(left.sessions[0].said.find(next.path_of(left.sessions[0].name).string()) !=
          std::string::npos);
    CHECK(next.files() == std::vector{next.path_of(left.sessions[0].name)});
    ui::RecoveryFolder third(folder.path);
    CHECK(third.take_over().sessions.empty());
    next.remove(left.sessions[0].name);
  }
  CHECK(files_in(folder.path) == 0);
}

TEST_CASE("several windows' sessions keep apart when one window takes them over") {
  const fake::Folder folder;
  for (const char* id : {"12", "1999999998", ended}) {
    engine::save_session(measured({1}),
                         folder.path / (std::string("recovery-") + id + "-opened-1.json"));
  }
  {
    const ui::RecoveryFolder mine(folder.path);
    mine.write("opened-1", measured({1, 2}));
  }
  ui::RecoveryFolder next(folder.path);
  const ui::Leftovers left = next.take_over();
  CHECK(left.sessions.size() == 4);
  CHECK(next.files().size() == 4);
  CHECK_FALSE(fs::exists(next.path_of(ui::opened_recovery_name(left.names))));
}

TEST_CASE("a broken recovery file is set aside with one sentence, and the others are recovered") {
  const fake::Folder folder;
  const std::string stem = std::string("recovery-") + ended;
  write(folder.path / (stem + "-cpu.json"), "{ \"format\": ");
  engine::save_session(measured({1}), folder.path / (stem + "-cuda-0.json"));
  ui::RecoveryFolder next(folder.path);
  const ui::Leftovers left = next.take_over();
  CHECK(left.sessions.size() == 1);
  REQUIRE(left.problems.size() == 1);
  CHECK(left.problems[0].find(stem + "-cpu.json.broken") != std::string::npos);
  CHECK(fs::exists(folder.path / (stem + "-cpu.json.broken")));
  CHECK_FALSE(fs::exists(folder.path / (stem + "-cpu.json")));
}

TEST_CASE("what an ended process had begun to write goes; other files stay") {
  const fake::Folder folder;
  const std::string half = std::string(".ridgepoint-") + ended + "-0.tmp";
  write(folder.path / half, "{");
  write(folder.path / "notes.json", "{");
  write(folder.path / "recovery-mine.json", "{");
  fs::create_directory(folder.path / "recovery-1-folder.json");
  ui::RecoveryFolder next(folder.path);
  const ui::Leftovers left = next.take_over();
  CHECK(left.sessions.empty());
  CHECK(left.problems.empty());
  CHECK_FALSE(fs::exists(folder.path / half));
  CHECK(fs::exists(folder.path / "notes.json"));
  CHECK(fs::exists(folder.path / "recovery-mine.json"));
}

TEST_CASE("without a folder to write in, nothing is kept and nothing fails") {
  ui::RecoveryFolder none{fs::path()};
  CHECK(none.take_over().sessions.empty());
  none.write("cpu", measured({1}));
  none.retire("cpu", measured({1}), true);
  CHECK(none.files().empty());
  const fake::Folder folder;
  write(folder.path / "file", "");
  ui::RecoveryFolder blocked(folder.path / "file/below");
  CHECK(blocked.take_over().sessions.empty());
  CHECK_THROWS_AS(blocked.write("cpu", measured({1})), engine::CannotWrite);
}

TEST_CASE("where files cannot be locked, nothing is written, and one sentence says so") {
  const fake::Folder folder;
  const auto no_locks = [](int, int) {
    errno = ENOLCK;
    return -1;
  };
  ui::RecoveryFolder without(folder.path, no_locks);
  const ui::Leftovers left = without.take_over();
  CHECK(left.sessions.empty());
  REQUIRE(left.problems.size() == 1);
  CHECK(left.problems[0].find(folder.path.string()) != std::string::npos);
  CHECK(left.problems[0].find("XDG_STATE_HOME") != std::string::npos);
  without.write("cpu", measured({1}));
  without.retire("cpu", measured({1}), true);
  CHECK(files_in(folder.path) == 0);
}

TEST_CASE("the first start takes the desktop's theme, as far as GTK_THEME tells") {
  const fake::Folder folder;
  const auto light_with = [&](const char* theme) {
    setenv("GTK_THEME", theme, 1);
    const bool light = ui::load_settings(folder.path / "none.json").settings.light;
    unsetenv("GTK_THEME");
    return light;
  };
  CHECK(light_with("Adwaita:light"));
  CHECK_FALSE(light_with("Adwaita:dark"));
  CHECK_FALSE(light_with("Adwaita"));
  CHECK_FALSE(ui::load_settings(folder.path / "none.json").settings.light);
}
