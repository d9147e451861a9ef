#include "tests/window/poses.hpp"

#include <doctest/doctest.h>

#include <utility>

#include "tests/window/shared.hpp"

using nlohmann::json;

namespace poses {
namespace {

/// Where the pointer is on nothing: on a plot it would draw its cross-hair.
void leave(App& app) { app.move_to(screen_width - 1, screen_height - 1); }

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

std::function<void(App&)> chosen(const std::string& control) {
  return [control](App& app) { choose(app, control); };
}

std::function<void(App&)> pressed(const std::string& key) {
  return [key](App& app) { app.next_frame([&] { app.key(key); }); };
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

void choose_a_result(App& app) {
  choose(app, "below.Results");
  app.click("sort.Performance");
  app.wait("the fastest on top", [](const json& map) {
    return map.at("controls").at("sort.Performance").at("value") == "down";
  });
  app.click("result.0");
  app.wait("a chosen row", [](const json& map) { return map.at("state").at("rows_chosen") == 1; });
  leave(app);
}

void inspect(App& app) {
  hover_cursor_point(app);
  app.mouse("click");
  app.wait("the inspector",
           [](const json& map) { return map.at("controls").contains("inspector.command"); });
  leave(app);
}

std::function<void(App&)> ask_what_if(const std::string& sheet) {
  return [sheet](App& app) {
    choose_in_menu(app, "what_if", "what_if." + sheet, [&](const json& map) {
      return map.at("controls").contains("what_if") &&
             map.at("controls").at("what_if").at("value") == "What if: " + sheet;
    });
    leave(app);
  };
}

void search_commands(App& app) {
  app.next_frame([&] { app.key("ctrl+p"); });
  app.wait_until_active("palette.typed");
  app.type("fus");
  app.wait("what was typed", [](const json& map) {
    return map.at("controls").at("palette.typed").at("value") == "fus";
  });
}

void prepare_export(App& app) {
  app.next_frame([&] { app.key("ctrl+e"); });
  app.wait_until_active("dialog.path");
  const std::string path = "~/plots/roofline.png";  // a folder of anybody's
  app.type(path);
  app.wait("the typed path",
           [&](const json& map) { return map.at("state").at("dialog").at("path") == path; });
  choose(app, "export.preset.slide");
}

/// Until the sweep with which the window begins has ended.
void wait_for_sweep(App& app) {
  app.wait("the first sweep", [](const json& map) {
    const json& state = map.at("state");
    return !state.at("sweep").get<bool>() && state.at("points") > 0;
  });
  leave(app);
}

/// A click on its triangle, then until it has said what came out.
void run_lab(App& app, const std::string& lab) {
  app.click("lab." + lab + ".run");
  app.wait("the claim of " + lab, [](const json& map) {
    const json& controls = map.at("controls");
    return controls.contains("claim") && !map.at("state").at("sweep").get<bool>() &&
           map.at("state").at("points") > 0;
  });
  leave(app);
}

/// Plays the opened session to its end.
void play(App& app) {
  app.next_frame([&] { app.key("ctrl+p"); });
  app.wait_until_active("palette.typed");
  app.type("replay");
  app.next_frame([&] { app.key("Return"); });
  app.wait("the end of the recording", [](const json& map) {
    const json& state = map.at("state");
    return state.at("device") == "recording" && !state.at("sweep").get<bool>() &&
           state.at("points") > 0;
  });
  leave(app);
}

void choose_light_roofs(App& app) {
  pressed("ctrl+l")(app);
  choose(app, "lab.roofs");
}

void close_with_a_sweep(App& app) {
  sweep(app);
  app.next_frame([&] { app.key("ctrl+q"); });
  leave(app);
}

}  // namespace

std::vector<Pose> gallery(const std::string& what_if) {
  return {{"window"},
          {"window-light", pressed("ctrl+l")},
          {"window-alone", pressed("1")},
          {"window-speedup", chosen("page.Speed-up")},
          {"window-results", choose_a_result},
          {"window-inspector", inspect},
          {"window-what-if", ask_what_if(what_if)},
          {"window-palette", search_commands},
          {"window-export", prepare_export},
          {"window-keys", pressed("F1")},
          {"window-roofs", chosen("lab.roofs"), {&Files::roofs}},
          {"window-lab", [](App& app) { run_lab(app, "few-ops"); }, {}},
          {"window-replay", play, {&Files::recording}}};
}

std::vector<Pose> corners() {
  const json first_start = {
      {"spec", {{"repeat", nullptr}}}, {"measure_on_start", true}, {"tour", true}};
  const json twice_as_large = {{"magnification", 2.0}};
  return {{"first-start", wait_for_sweep, {}, 1280, 800, first_start},
          {"smallest-first-start", wait_for_sweep, {}, 1024, 640, first_start},
          {"nothing-measured", leave, {}},
          {"smallest", leave, {&Files::sweep}, 1024, 640},
          {"both-axes", chosen("x.both")},
          {"two-sessions", leave, {&Files::sweep, &Files::other_sweep}},
          {"session-of-a-gpu", leave, {&Files::other_sweep}},
          {"roofs-light", choose_light_roofs, {&Files::roofs}},
          {"close-question", close_with_a_sweep, {}},
          {"double-size", leave, {&Files::sweep}, 2560, 1440, twice_as_large}};
}

test::Pixels picture_of(const Pose& pose, const Files& files, const std::string& program) {
  const TemporaryFolder folder;
  json settings = {{"spec", {{"elements", nullptr}, {"noise", "1%"}, {"max-time", "2s"}}},
                   {"cursor", 32},
                   {"width", pose.width},
                   {"height", pose.height}};
  settings.update(pose.settings, true);  // null stays: it takes a setting away
  write_small_settings(folder, settings);
  std::vector<std::string> arguments;
  for (const auto file : pose.opens) arguments.push_back(files.*file);
  App app(screen(), folder, arguments, program);
  leave(app);
  pose.take(app);
  bool still = false;
  for (int i = 0; i < 20 && !still; ++i) still = app.stays_still(0.5);
  REQUIRE(still);
  // The screen's own picture may come later than the program's word that it has drawn.
  test::Pixels picture = screen().corner(pose.width, pose.height);
  for (int i = 0; i < 20; ++i) {
    const bool settled = app.stays_still(0.1);
    test::Pixels next = screen().corner(pose.width, pose.height);
    const bool same = next.rgb == picture.rgb;
    picture = std::move(next);
    if (settled && same) break;
  }
  app.close();
  return picture;
}

}  // namespace poses
