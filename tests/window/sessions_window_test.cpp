// The real window: what survives a crash, what closing asks, and the main job by keyboard alone.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/window/display/drop.hpp"
#include "tests/window/shared.hpp"

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

/// Names of the files in the window's state folder.
std::vector<std::string> state_files(const TemporaryFolder& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder.path() / "state/ridgepoint", error)) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

std::size_t autosave_files(const TemporaryFolder& folder) {
  const std::vector<std::string> names = state_files(folder);
  return static_cast<std::size_t>(std::ranges::count_if(
      names, [](const std::string& name) { return name.starts_with("autosave-"); }));
}

std::size_t points_in(const fs::path& path) { return session_at(path).at("points").size(); }

bool has_notice(const json& map, const std::string& words) {
  const json& notices = map.at("state").at("notices");
  return std::any_of(notices.begin(), notices.end(), [&](const json& notice) {
    return notice.get<std::string>().find(words) != std::string::npos;
  });
}

void wait_until_kept(App& app, const TemporaryFolder& folder, std::size_t files) {
  app.wait("autosave files", [&](const json&) { return autosave_files(folder) == files; });
}

void wait_until_asked(App& app, bool asked) {
  app.wait(asked ? "the question" : "no question",
           [&](const json& map) { return map.at("state").at("closing") == asked; });
}

/// Types the words of a command into the palette and runs it; nothing but keys.
void command(App& app, const std::string& words, const std::string& name) {
  // Where frames are seconds apart, the first letters may come before the field takes them: then
  // all over again in an empty one.
  app.insist(
      "the command " + name,
      [&] {
        if (!app.state().at("palette").is_null()) {
          app.key("Escape");
          app.wait("no palette",
                   [](const json& map) { return map.at("state").at("palette").is_null(); });
        }
        app.key("ctrl+p");
        app.wait_until_active("palette.typed");
        app.type(words);
      },
      [&](const json& map) {
        const json& palette = map.at("state").at("palette");
        return !palette.is_null() && palette.at("typed") == words && !palette.at("rows").empty() &&
               palette.at("rows").at(0) == name;
      });
  app.key("Return");
  app.wait("the palette's end",
           [](const json& map) { return map.at("state").at("palette").is_null(); });
}

void type_path(App& app, const std::string& path) {
  app.wait_until_active("dialog.path");
  app.type(path);
  app.wait("the typed path",
           [&](const json& map) { return map.at("state").at("dialog").at("path") == path; });
  app.key("Return");
}

}  // namespace

TEST_CASE("what was measured survives kill -9, and the next window offers it and measures") {
  const TemporaryFolder folder;
  write_small_settings(folder);
  {
    App app = made_up_window(folder);
    sweep(app);
    wait_until_kept(app, folder, 1);
    app.crash();
  }
  REQUIRE(autosave_files(folder) == 1);
  write_small_settings(folder, {{"measure_on_start", true}});
  {
    App again = made_up_window(folder);
    const json map = again.wait("a sweep, and an offer", [](const json& m) {
      const json& state = m.at("state");
      return m.at("controls").contains("recovered.open") && state.at("points") == 4 &&
             !state.at("sweep").get<bool>();
    });
    CHECK(has_notice(map, "Recovered 4 points"));
    CHECK(map.at("state").at("opened") == 0);
    CHECK(map.at("state").at("unsaved") == 1);
    again.click("recovered.open");
    again.wait("what was left, beside the sweep", [](const json& m) {
      return m.at("state").at("opened") == 1 && m.at("state").at("unsaved") == 2;
    });
    wait_until_kept(again, folder, 2);
    const Ended ended = again.close();
    CHECK(ended.code == 130);
    CHECK(ended.err.find("autosave-") != std::string::npos);
    CHECK(lines_in(ended.err) == 1);
  }
  write_small_settings(folder);
  App third = made_up_window(folder);
  third.wait("it again",
             [](const json& map) { return map.at("controls").contains("recovered.open"); });
  third.click("recovered.open");
  third.wait("its session", [](const json& map) { return map.at("state").at("opened") == 1; });
  third.click("clear");
  wait_until_kept(third, folder, 0);
  CHECK(third.close().err.empty());
}

TEST_CASE("a signal asks nothing; what the user measured is said and opens with the next window") {
  const TemporaryFolder folder;
  write_small_settings(folder);
  {
    App app = made_up_window(folder);
    sweep(app);
    const Ended ended = app.close();
    CHECK(ended.code == 130);
    CHECK(ended.err.find("autosave-") != std::string::npos);
    CHECK(lines_in(ended.err) == 1);
  }
  App next = made_up_window(folder);
  next.wait("what was measured",
            [](const json& map) { return map.at("controls").contains("recovered.open"); });
}

TEST_CASE(
    "a file of the command line is shown alone; what a crash left is offered until it is opened") {
  const TemporaryFolder folder;
  write_small_settings(folder);
  const std::string file = folder / "a.json";
  {
    App app = made_up_window(folder);
    sweep(app);
    app.dialog("ctrl+s", file);
    sweep(app);
    wait_until_kept(app, folder, 1);
    app.crash();
  }
  {
    App app = made_up_window(folder, {file});
    const json map = app.wait(
        "the offer", [](const json& m) { return m.at("controls").contains("recovered.open"); });
    CHECK(map.at("state").at("opened") == 1);
    app.click("recovered.close");
    app.wait("no offer", [](const json& m) { return !m.at("controls").contains("recovered"); });
    app.key("ctrl+q");
    CHECK(app.finish().code == 0);
  }
  CHECK(autosave_files(folder) == 1);
  App app = made_up_window(folder, {file});
  app.wait("the offer again",
           [](const json& m) { return m.at("controls").contains("recovered.open"); });
}

TEST_CASE("a broken autosave file is set aside, and the window opens") {
  const TemporaryFolder folder;
  write_small_settings(folder);
  fs::create_directories(folder.path() / "state/ridgepoint");
  write_text(folder.path() / "state/ridgepoint/autosave-1999999999-cpu.json", "{ \"format\":");
  App app = made_up_window(folder);
  app.wait("the notice", [](const json& map) { return has_notice(map, ".json.broken"); });
  CHECK(app.state().at("opened") == 0);
}

TEST_CASE("a folder that cannot be written is said, and the window goes on") {
  const TemporaryFolder folder;
  write_small_settings(folder);
  write_text(folder.path() / "state", "in the way");
  App app = made_up_window(folder);
  sweep(app);
  app.wait("the notice", [](const json& map) {
    return has_notice(map, "autosave failed, and a crash would lose these measurements");
  });
  app.dialog("ctrl+s", folder / "a.json");
  CHECK(points_in(folder / "a.json") == 4);
}

TEST_CASE("two windows keep what they measure apart") {
  const TemporaryFolder folder;
  const TemporaryFolder other;
  write_small_settings(folder);
  write_small_settings(other);
  fs::create_directories(folder.path() / "state");
  fs::create_directory_symlink(folder.path() / "state", other.path() / "state");
  App first = made_up_window(folder);
  sweep(first);
  wait_until_kept(first, folder, 1);
  {
    App second = made_up_window(other);
    CHECK(second.state().at("opened") == 0);
    sweep(second);
    wait_until_kept(second, folder, 2);
    second.crash();
  }
  CHECK(autosave_files(folder) == 2);
  CHECK(first.state().at("points") == 4);
}

TEST_CASE("closing asks about a sweep: cancel, discard, or save") {
  const TemporaryFolder folder;
  write_small_settings(folder);
  {
    App app = made_up_window(folder);
    sweep(app);
    app.key("ctrl+q");
    wait_until_asked(app, true);
    app.key("Escape");
    wait_until_asked(app, false);
    app.key("ctrl+w");
    wait_until_asked(app, true);
    const auto wait_until_chosen = [&](const std::string& control) {
      app.wait(control + " chosen", [&](const json& map) {
        return map.at("controls").at(control).at("value") == "chosen";
      });
    };
    app.key("shift+Tab");
    wait_until_chosen("closing.cancel");
    app.key("shift+Tab");
    wait_until_chosen("closing.discard");
    app.key("Tab");
    wait_until_chosen("closing.cancel");
    app.key("Left");
    wait_until_chosen("closing.discard");
    app.key("Return");
    CHECK(app.finish().code == 0);
  }
  CHECK(state_files(folder).empty());
  App app = made_up_window(folder);
  sweep(app);
  app.key("ctrl+q");
  wait_until_asked(app, true);
  app.key("Return");
  type_path(app, folder / "kept.json");
  CHECK(app.finish().code == 0);
  CHECK(points_in(folder / "kept.json") == 4);
  CHECK(state_files(folder).empty());
}

TEST_CASE("closing an untouched window asks nothing and leaves nothing") {
  const TemporaryFolder folder;
  write_small_settings(folder, {{"measure_on_start", true}});
  App app = made_up_window(folder);
  app.wait("the sweep of the start", [](const json& map) {
    return map.at("state").at("points") == 4 && !map.at("state").at("sweep").get<bool>();
  });
  app.key("ctrl+q");
  CHECK(app.finish().code == 0);
  CHECK(state_files(folder).empty());
}

TEST_CASE("the palette does the main job by keyboard alone: start, turn a knob, stop, export") {
  const TemporaryFolder folder;
  // A sweep that goes on until it is stopped.
  write_small_settings(folder, {{"spec",
                                 {{"repeat", "1:1024:x2"},
                                  {"elements", "4194304"},
                                  {"noise", "0.01%"},
                                  {"max-time", "600s"},
                                  {"time", "none"}}}});
  App app(screen(), folder);
  command(app, "run: intensity", "run");
  app.wait("a running sweep",
           [](const json& map) { return map.at("state").at("sweep").get<bool>(); });
  command(app, "fusion: fused", "fusion.fused");
  app.wait("the changed spec", [](const json& map) {
    return map.at("state").at("spec").at("fusion") == "fused" &&
           map.at("state").at("sweep").get<bool>();
  });
  command(app, "stop", "run");
  app.wait("the end", [](const json& map) { return !map.at("state").at("sweep").get<bool>(); });
  command(app, "export", "export");
  type_path(app, folder / "roof.svg");
  app.wait_until_no_dialog();
  CHECK(read_file(folder / "roof.svg").find("<svg") != std::string::npos);
}

TEST_CASE("the palette stays open over what cannot be done, and Escape closes it") {
  const TemporaryFolder folder;
  write_small_settings(folder);
  App app = made_up_window(folder);
  app.key("ctrl+p");
  app.wait_until_active("palette.typed");
  app.type("restore");
  app.wait("the command", [](const json& map) {
    const json& palette = map.at("state").at("palette");
    return !palette.is_null() && palette.at("rows") == json::array({"undo"});
  });
  app.next_frame([&] { app.key("Return"); });
  CHECK_FALSE(app.state().at("palette").is_null());
  escape_from(app, "palette");
}

TEST_CASE("files dropped on the window are opened, and one that is no session is said") {
  const TemporaryFolder folder;
  write_small_settings(folder);
  App app = made_up_window(folder);
  sweep(app);
  app.dialog("ctrl+s", folder / "a.json");
  std::ofstream(folder / "b.json") << "{";
  drop(screen().display(), {folder / "a.json", folder / "b.json"});
  const json map = app.wait("the opened session", [](const json& m) {
    return m.at("state").at("opened") == 1 && !m.at("state").at("notices").empty();
  });
  CHECK(has_notice(map, "b.json"));
}

TEST_CASE("an opened session is closed in its menu and comes back; the log tells of both") {
  const TemporaryFolder folder;
  write_small_settings(folder);
  App app = made_up_window(folder);
  sweep(app);
  app.dialog("ctrl+s", folder / "a.json");
  app.dialog("ctrl+o", folder / "a.json");
  app.wait("the opened session", [](const json& map) { return map.at("state").at("opened") == 1; });
  // A menu takes a few frames to find its place, and a click that comes before goes beside it.
  app.insist(
      "the closed session",
      [&] { app.click(app.now().at("controls").contains("opened.0") ? "opened.0" : "opened"); },
      [](const json& map) { return map.at("state").at("opened") == 0; });
  app.key("ctrl+z");
  const json map =
      app.wait("it again", [](const json& m) { return m.at("state").at("opened") == 1; });
  CHECK(has_notice(map, "Closed a.json"));
  app.click("status.log");
  app.wait("the log", [](const json& m) {
    return m.at("state").at("log").get<bool>() && m.at("controls").contains("log.copy") &&
           !m.at("controls").contains("status.notice");
  });
  app.key("Escape");
  app.wait("no log", [](const json& m) { return !m.at("state").at("log").get<bool>(); });
}
