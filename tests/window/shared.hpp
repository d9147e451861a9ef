// What the tests of the window share.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/window/display/user.hpp"

inline constexpr const char* panels[] = {"roofline", "runtime", "flops", "bandwidth"};

/// The one screen of all tests.
inline Screen& screen() {
  static Screen only;
  return only;
}

/// The window on a made-up machine, for tests that care what happens to points and not how long a
/// real machine takes for them.
inline App made_up_window(const TemporaryFolder& folder, std::vector<std::string> arguments = {}) {
  return App(screen(), folder, std::move(arguments), RIDGEPOINT_MADE_UP_MACHINE);
}

/// Space, then until the sweep has ended with new points.
inline void sweep(App& app) {
  const nlohmann::json before = app.state();
  app.key("space");
  app.wait("a finished sweep", [&](const nlohmann::json& map) {
    const nlohmann::json& state = map.at("state");
    return !state.at("sweep").get<bool>() && state.at("points") > before.at("points");
  });
}

inline nlohmann::json session_at(const std::filesystem::path& path) {
  return nlohmann::json::parse(read_file(path));
}

/// Shows a lab: from the list, or where the window is too narrow for it, from its menu.
inline void show_lab(App& app, const std::string& lab) {
  const std::string entry = "lab." + lab;
  app.insist(
      "the lab " + lab,
      [&] { app.click(app.now().at("controls").contains(entry) ? entry : "labs"); },
      [&](const nlohmann::json& map) { return map.at("state").at("lab") == lab; });
}

/// Opens a menu, then chooses an entry of it until `wanted` holds. A menu takes a few frames to
/// find its place, and a click that comes before goes beside it.
inline void choose_in_menu(App& app, const std::string& menu, const std::string& entry,
                           const App::Wanted& wanted) {
  const auto open = [&](const nlohmann::json& map) { return map.at("controls").contains(entry); };
  app.insist(
      "the menu " + menu, [&] { app.click(menu); }, open);
  app.stays_still(0.1);
  app.insist(
      entry, [&] { app.click(open(app.now()) ? entry : menu); }, wanted);
}

/// Escape, then until what the state names so is away: "dialog", "palette".
inline void escape_from(App& app, const char* what) {
  app.key("Escape");
  app.wait(std::string("no ") + what,
           [&](const nlohmann::json& map) { return map.at("state").at(what).is_null(); });
}

/// Pixel x of the slider's cursor in a panel; -1 when it is not in sight.
inline double cursor_of(const nlohmann::json& map, const char* panel) {
  const nlohmann::json& cursor = map.at("plots").at(panel).at("cursor");
  return cursor.is_null() ? -1 : cursor.get<double>();
}
