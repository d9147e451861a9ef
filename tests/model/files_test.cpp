// The dialogs that open, save and export.
#include "tests/files.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "engine/session/session_file.hpp"
#include "tests/model/kept_sessions.hpp"
#include "ui/autosave/autosave.hpp"
#include "ui/model/settings.hpp"
#include "ui/screen/limits.hpp"
#include "ui/widgets/ui_map.hpp"

namespace fs = std::filesystem;

namespace {

bool suggests(const ui::FileDialog& dialog, const std::string& name) {
  return std::any_of(dialog.suggestions.begin(), dialog.suggestions.end(),
                     [&](const ui::Suggestion& s) { return s.name == name; });
}

}  // namespace

TEST_CASE("the dialog lists what fits in the folder, and takes it") {
  const fake::Folder folder;
  fs::create_directory(folder.path / "runs");
  for (const char* name : {"a.json", "ab.json", "b.json", "c.png", ".hidden.json"}) {
    std::ofstream(folder.path / name) << "x";
  }
  ui::FileDialog dialog = ui::new_dialog(ui::DialogKind::open, folder.path.string() + "/");
  CHECK(dialog.suggestions.size() == 5);
  CHECK(dialog.suggestions[0].name == "..");
  CHECK(dialog.suggestions[0].folder);
  ui::set_path(dialog, folder.path.string() + "/a");
  CHECK(suggests(dialog, "a.json"));
  CHECK(suggests(dialog, "ab.json"));
  CHECK_FALSE(suggests(dialog, "b.json"));
  ui::take(dialog, {"ab.json", false});
  CHECK(dialog.path == folder.path.string() + "/ab.json");
  CHECK(dialog.exists);
  ui::take(dialog, {"runs", true});
  CHECK(dialog.path == folder.path.string() + "/runs/");
  ui::take(dialog, {"..", true});
  CHECK(dialog.path == folder.path.string() + "/");
  CHECK(suggests(dialog, "b.json"));
  ui::set_path(dialog, "/");
  CHECK_FALSE(suggests(dialog, ".."));
}

TEST_CASE("the folder above is offered wherever a path begins, but not above the root") {
  for (const char* path : {"", "session.json", "~/", "/tmp/", "/tmp/a/.."}) {
    CAPTURE(path);
    CHECK(suggests(ui::new_dialog(ui::DialogKind::open, path), ".."));
  }
  CHECK_FALSE(suggests(ui::new_dialog(ui::DialogKind::open, "/"), ".."));
}

TEST_CASE("what is to be written keeps its name in another folder") {
  const fake::Folder folder;
  fs::create_directory(folder.path / "runs");
  const std::string here = folder.path.string() + "/";
  ui::FileDialog dialog = ui::new_dialog(ui::DialogKind::save, here + "mine.json");
  ui::take(dialog, {"runs", true});
  CHECK(dialog.path == here + "runs/mine.json");
  ui::take(dialog, {"..", true});
  CHECK(dialog.path == here + "mine.json");
  ui::set_path(dialog, here + "ru");
  ui::take(dialog, {"runs", true});
  CHECK(dialog.path == here + "runs/");
}

TEST_CASE("saving writes a session that opens as an overlay, and remembers the folder") {
  const fake::Folder folder;
  ui::AppState state = fake::opened();
  fake::measure(state, {1, 2, 4});
  ui::show_save(state);
  fake::save_as(state, folder.path / "a.json");
  CHECK_FALSE(state.dialogs.file);
  CHECK(state.documents.last_folder == folder.path.string() + "/");
  CHECK(engine::load_session(folder.path / "a.json").points.size() == 3);
  ui::show_open(state);
  CHECK(suggests(*state.dialogs.file, "a.json"));
  fake::save_as(state, folder.path / "a.json");
  CHECK_FALSE(state.dialogs.file);
  CHECK(state.documents.opened.at(0).session->points.size() == 3);
}

TEST_CASE("save never writes an opened file's session under this device's name") {
  const fake::Folder folder;
  ui::AppState state = fake::opened();
  fake::measure(state, {1, 2});
  state.documents.opened.push_back({"other.json", *ui::current_session(state)});
  ui::clear(state);
  state.documents.opened.push_back({"other.json", engine::Session{}});
  state.documents.opened.back().session.edit().points = {fake::point(4)};
  ui::show_save(state);
  fake::save_as(state, folder.path / "a.json");
  REQUIRE(state.dialogs.file);
  CHECK(state.dialogs.file->error.find("nothing to save yet") != std::string::npos);
  CHECK_FALSE(fs::exists(folder.path / "a.json"));
}

TEST_CASE("what goes wrong stays in the dialog as one sentence") {
  const fake::Folder folder;
  ui::AppState state = fake::opened();
  ui::show_save(state);
  fake::save_as(state, folder.path / "empty.json");
  REQUIRE(state.dialogs.file);
  CHECK(state.dialogs.file->error.find("Space") != std::string::npos);
  CHECK_FALSE(fs::exists(folder.path / "empty.json"));
  fake::measure(state, {1});
  fake::save_as(state, folder.path / "missing/a.json");
  REQUIRE(state.dialogs.file);
  CHECK(state.dialogs.file->error.find("missing") != std::string::npos);
  ui::show_open(state);
  std::ofstream(folder.path / "bad.json") << "{";
  fake::save_as(state, folder.path / "bad.json");
  REQUIRE(state.dialogs.file);
  CHECK(state.dialogs.file->error.find("bad.json") != std::string::npos);
  CHECK(state.documents.opened.empty());
  ui::show_export(state);
  fake::save_as(state, folder.path / "picture.gif");
  REQUIRE(state.dialogs.file);
  CHECK(state.dialogs.file->error.find(".png") != std::string::npos);
}

TEST_CASE("a path in a notice begins at the home folder and leaves out what is in the middle") {
  const std::string home = ui::expand_home("~/");
  REQUIRE(home != "~/");
  CHECK(ui::brief_path(home + "a/b.svg") == "~/a/b.svg");
  CHECK(ui::brief_path("b.svg") == "b.svg");
  CHECK(ui::brief_path("/one/two/three/four/five/six/seven/eight/nine.svg") ==
        "/one/…/four/five/six/seven/eight/nine.svg");
  CHECK(ui::brief_path(home + "measurements of november/second week/third figure/b.svg") ==
        "~/…/second week/third figure/b.svg");
  const std::string name(60, 'n');
  CHECK(ui::brief_path("/folder/" + name) == "/folder/" + name);
  CHECK(ui::brief_path("/" + name) == "/" + name);
  CHECK(ui::brief_path(name) == name);
  CHECK(ui::brief_path("folder/sub/" + name) == "folder/…/" + name);
}

TEST_CASE("the log has the whole path of what was saved, the status bar as much as fits") {
  const fake::Folder folder;
  ui::AppState state = fake::opened();
  fake::measure(state, {1, 8});
  const fs::path deep = folder.path / "a folder with a long name" / "and one more below it";
  fs::create_directories(deep);
  ui::show_save(state);
  fake::save_as(state, deep / "s.json");
  REQUIRE_FALSE(state.notices.empty());
  CHECK(state.notices.back().text == "Saved " + (deep / "s.json").string());
  CHECK(state.notices.back().brief.ends_with("…/and one more below it/s.json"));
  CHECK_FALSE(state.notices.back().warning);
}

TEST_CASE("the UI map is one JSON object with state and places") {
  ui::AppState state = fake::opened();
  fake::measure(state, {1, 2});
  ui::UiMap map;
  map.frame = 5;
  map.controls["run"] = {{1, 2, 3, 4}, true, ""};
  const nlohmann::json file = nlohmann::json::parse(ui::ui_map_text(map, state));
  CHECK(file.at("frame") == 5);
  CHECK(file.at("controls").at("run").at("rect") == nlohmann::json({1, 2, 3, 4}));
  CHECK(file.at("state").at("points") == 2);
  CHECK(file.at("state").at("spec").at("fusion") == "both");
}

TEST_CASE("files that are dropped are opened, and each bad one says what is wrong with it") {
  const fake::Folder folder;
  ui::AppState state = fake::opened();
  engine::save_session(fake::measured({1, 2}), folder.path / "a.json");
  engine::save_session(fake::measured({4}), folder.path / "c.json");
  tests::write_text(folder.path / "b.json", "{");
  const auto path = [&](const char* name) { return (folder.path / name).string(); };
  ui::open_paths(state, {path("a.json"), path("b.json"), path("no.json"), folder.path.string(),
                         path("c.json")});
  REQUIRE(state.documents.opened.size() == 2);
  CHECK(state.documents.opened[1].name == "c.json");
  REQUIRE(state.notices.size() == 5);
  CHECK(state.notices[0].text.starts_with("Opened a.json: "));
  CHECK(state.notices[0].text.find(", 2 points, ") != std::string::npos);
  CHECK(state.notices[1].text.find(", 1 point, ") != std::string::npos);
  CHECK_FALSE(state.notices[1].warning);
  // What is wrong is said last, where it is seen.
  CHECK(state.notices[2].text.find("b.json") != std::string::npos);
  CHECK(state.notices[3].text.find("no.json") != std::string::npos);
  CHECK(state.notices[4].warning);
}

TEST_CASE("sessions opened and saved are recent: ten, the newest first, none twice") {
  const fake::Folder folder;
  ui::AppState state = fake::opened();
  fake::measure(state, {1});
  for (int i = 0; i < 12; ++i) {
    ui::show_save(state);
    fake::save_as(state, folder.path / (std::to_string(i) + ".json"));
  }
  ui::open_paths(state, {(folder.path / "5.json").string()});
  REQUIRE(state.documents.recent.size() == 10);
  CHECK(state.documents.recent[0] == (folder.path / "5.json").string());
  CHECK(state.documents.recent[1] == (folder.path / "11.json").string());
  CHECK(std::ranges::count(state.documents.recent, state.documents.recent[0]) == 1);
  fs::remove(folder.path / "11.json");
  ui::show_open(state);
  REQUIRE(state.dialogs.file->recent.size() == 10);
  CHECK_FALSE(state.dialogs.file->recent[1].there);
  ui::open_recent(state, 1);
  REQUIRE(state.dialogs.file);
  CHECK(state.dialogs.file->error.find("11.json") != std::string::npos);
  ui::open_recent(state, 2);
  CHECK_FALSE(state.dialogs.file);
  CHECK(state.documents.opened.back().name == "10.json");
  ui::Settings settings;
  settings.recent = state.documents.recent;
  settings.ask_before_closing = false;
  const ui::Settings again = ui::settings_of(ui::settings_text(settings), "test");
  CHECK(again.recent == state.documents.recent);
  CHECK_FALSE(again.ask_before_closing);
  settings.recent.resize(12, "more.json");
  CHECK(ui::settings_of(ui::settings_text(settings), "test").recent == state.documents.recent);
}
