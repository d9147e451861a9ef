// Pictures of the real window, not tests: scripts/gallery.sh names the session files and the folder
// in RIDGEPOINT_GALLERY_SWEEP, RIDGEPOINT_GALLERY_ROOFS and RIDGEPOINT_GALLERY.
#include <doctest/doctest.h>

#include <cstdlib>
#include <functional>
#include <string>

#include "tests/window/shared.hpp"

using nlohmann::json;

namespace {

constexpr int width = 1280, height = 800;

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  REQUIRE_MESSAGE(value != nullptr, name << " is not set: run scripts/gallery.sh");
  return value;
}

/// The window with a session, in the state that `prepare` brings it to, as FOLDER/NAME.png.
void take_picture(const char* name, const char* session, const std::function<void(App&)>& prepare) {
  const TemporaryFolder folder;
  write_small_settings(folder, {{"spec", {{"elements", nullptr}, {"noise", "1%"}}},
                                {"cursor", 32},
                                {"width", width},
                                {"height", height}});
  App app(screen(), folder, {from_environment(session)});
  app.move_to(width + 400, height + 400);  // a pointer on a plot would draw its cross-hair
  prepare(app);
  bool still = false;
  for (int i = 0; i < 20 && !still; ++i) still = app.stays_still(0.5);
  REQUIRE(still);
  screen().save_picture(from_environment("RIDGEPOINT_GALLERY") + "/" + name + ".png", width,
                        height);
  app.close();
}

constexpr const char* sweep_file = "RIDGEPOINT_GALLERY_SWEEP";
constexpr const char* roofs_file = "RIDGEPOINT_GALLERY_ROOFS";

void leave(App& app) { app.move_to(width + 400, height + 400); }

void choose(App& app, const std::string& control) {
  // A dialog takes a few frames to find its place.
  app.insist(
      control, [&] { app.click(control); },
      [&](const json& map) {
        return map.at("controls").contains(control) &&
               map.at("controls").at(control).at("value") == "chosen";
      });
  leave(app);
}

void press(App& app, const std::string& key) {
  app.next_frame([&] { app.key(key); });
}

/// Moves the pointer onto the point of the fused series at the slider's cursor.
void hover_cursor_point(App& app) {
  const Place plot = app.plot("runtime");
  const double x = cursor_of(app.now(), "runtime");
  for (double down = plot.h - 2; down > 0; down -= 4) {
    app.next_frame([&] { app.move_to(x, plot.y + down); });
    const std::string caption = app.state().at("verdict").at("caption");
    if (caption.find("pointer") != std::string::npos) return;
  }
  FAIL("no point lies on the cursor");
}

}  // namespace

TEST_CASE("the main window") {
  take_picture("window", sweep_file, [](App&) {});
}

TEST_CASE("light, for a projector") {
  take_picture("window-light", sweep_file, [](App& app) { press(app, "ctrl+l"); });
}

TEST_CASE("one plot alone") {
  take_picture("window-alone", sweep_file, [](App& app) { press(app, "1"); });
}

TEST_CASE("the speed-up below the runtime") {
  take_picture("window-speedup", sweep_file, [](App& app) { choose(app, "show.Speed-up"); });
}

TEST_CASE("chosen rows of the results table, ringed in the plots") {
  take_picture("window-results", sweep_file, [](App& app) {
    choose(app, "below.Results");
    app.click("sort.Performance");
    app.wait("sorted", [](const json& map) {
      return map.at("controls").at("sort.Performance").at("value") == "up";
    });
    app.click("sort.Performance");
    app.click("result.0");
    app.wait("a chosen row",
             [](const json& map) { return map.at("state").at("rows_chosen") == 1; });
    leave(app);
  });
}

TEST_CASE("a point under the inspector") {
  take_picture("window-inspector", sweep_file, [](App& app) {
    hover_cursor_point(app);
    app.mouse("click");
    app.wait("the inspector",
             [](const json& map) { return map.at("controls").contains("inspector.command"); });
    leave(app);
  });
}

TEST_CASE("what another device would do") {
  take_picture("window-what-if", sweep_file, [](App& app) {
    const std::string entry = "what_if.H200 SXM 141GB";
    app.insist(
        "a device",
        [&] { app.click(app.now().at("controls").contains(entry) ? entry : "what_if"); },
        [&](const json& map) {
          return map.at("controls").contains("what_if") &&
                 map.at("controls").at("what_if").at("value") == "What if: H200 SXM 141GB";
        });
    leave(app);
  });
}

TEST_CASE("every command by name") {
  take_picture("window-palette", sweep_file, [](App& app) {
    press(app, "ctrl+p");
    app.wait_until_active("palette.typed");
    app.type("fus");
    app.wait("what was typed", [](const json& map) {
      return map.at("controls").at("palette.typed").at("value") == "fus";
    });
  });
}

TEST_CASE("the export dialog") {
  take_picture("window-export", sweep_file, [](App& app) {
    press(app, "ctrl+e");
    app.wait_until_active("dialog.path");
    const std::string path = "~/plots/roofline.png";  // a folder of anybody's
    app.type(path);
    app.wait("the typed path",
             [&](const json& map) { return map.at("state").at("dialog").at("path") == path; });
    choose(app, "export.preset.slide");
  });
}

TEST_CASE("the list of keys") {
  take_picture("window-keys", sweep_file, [](App& app) { press(app, "F1"); });
}

TEST_CASE("the roofs view") {
  take_picture("window-roofs", roofs_file, [](App& app) { choose(app, "show.Roofs"); });
}
