// The tour and an exercise in the real window, on a machine that is made up: with the mouse, and
// with the keyboard alone. With RIDGEPOINT_PICTURES, a folder, each step leaves its picture there.
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "tests/window/shared.hpp"

using nlohmann::json;

namespace {

struct Look {
  std::string name;
  int width = 1280, height = 800;
  bool light = false;
};

void write_start(const TemporaryFolder& folder, const Look& look, bool tour) {
  write_small_settings(folder, {{"spec",
                                 {{"fusion", "both"},
                                  {"repeat", "1:1024:x2"},
                                  {"elements", "auto"},
                                  {"time", "none"},  // a busy machine takes its time
                                  {"max-time", "60s"}}},
                                {"cursor", 32},
                                {"width", look.width},
                                {"height", look.height},
                                {"light", look.light},
                                {"follow_desktop", false},
                                {"tour", tour}});
}

void picture(App& app, const Look& look, const std::string& name) {
  const char* folder = std::getenv("RIDGEPOINT_PICTURES");
  if (folder == nullptr) return;
  app.stays_still(0.6);
  write_png(screen().corner(look.width, look.height),
            std::string(folder) + "/" + look.name + "-" + name + ".png");
}

/// Until the step was judged so.
json wait_for(App& app, int step, const std::string& outcome) {
  return app.wait("step " + std::to_string(step) + " " + outcome, [&](const json& map) {
    const json& tour = map.at("state").at("tour");
    return !tour.is_null() && tour.at("step") == step && tour.at("outcome") == outcome &&
           (outcome != "not yet" || tour.at("sentence") != "Measuring...");
  });
}

void set_slider(App& app, const std::string& name, double share) {
  const Place at = app.control(name);
  app.drag({{at.x + at.w / 2, at.y + at.h / 2}, {at.x + at.w * share, at.y + at.h / 2}});
  app.mouse("mouseup");
}

/// All five steps with the mouse.
void take_tour(App& app, const Look& look) {
  sweep(app);
  picture(app, look, "1-begin");
  set_slider(app, "intensity", 0.25);  // 8 ops
  CHECK(wait_for(app, 1, "done")
            .at("state")
            .at("tour")
            .at("sentence")
            .get<std::string>()
            .find("as long as 1 op") != std::string::npos);
  picture(app, look, "1-done");
  app.click("tour.next");
  wait_for(app, 2, "not yet");
  set_slider(app, "intensity", 0.8);
  wait_for(app, 2, "done");
  picture(app, look, "2-done");
  app.click("tour.next");
  wait_for(app, 3, "not yet");
  set_slider(app, "intensity", 0.25);
  app.click("fusion.unfused");
  wait_for(app, 3, "done");
  picture(app, look, "3-done");
  app.click("fusion.fused");
  app.click("tour.next");
  wait_for(app, 4, "not yet");
  set_slider(app, "elements", 0.02);
  wait_for(app, 4, "done");
  picture(app, look, "4-done");
  app.click("tour.next");
  wait_for(app, 5, "not yet");
  app.click("elements.auto");
  app.click("dtype.bf16");
  app.wait("bf16",
           [](const json& map) { return map.at("state").at("spec").at("dtype") == "fp32,bf16"; });
  app.key("space");
  wait_for(app, 5, "done");
  picture(app, look, "5-done");
  app.click("tour.next");
  app.wait("no tour", [](const json& map) { return map.at("state").at("tour").is_null(); });
}

/// Runs what the palette finds for these words.
void command(App& app, const std::string& words) {
  app.key("ctrl+p");
  app.wait_until_active("palette.typed");
  app.type(words);
  app.wait("what was typed", [&](const json& map) {
    return map.at("controls").at("palette.typed").at("value") == words;
  });
  app.key("Return");
  app.wait("no palette", [](const json& map) { return map.at("state").at("palette").is_null(); });
}

json wait_for_result(App& app) {
  return app.wait("the distance", [](const json& map) {
    const json& exercise = map.at("state").at("exercise");
    return !exercise.is_null() && exercise.at("result") != "";
  });
}

bool said(const json& map) { return !map.at("state").at("exercise").at("said").is_null(); }

/// The knee is placed with a click into a chart, then measured.
void take_exercise(App& app, const Look& look) {
  // Below the list of labs, or in a narrow window in their menu.
  app.insist(
      "the exercises",
      [&] { app.click(app.now().at("controls").contains("exercises") ? "exercises" : "labs"); },
      [](const json& map) { return !map.at("state").at("palette").is_null(); });
  app.wait_until_active("palette.typed");
  app.next_frame([&] { app.key("Return"); });
  app.wait("the exercise", [](const json& map) {
    return !map.at("state").at("exercise").is_null() && map.at("plots").contains("runtime");
  });
  CHECK(app.state().at("exercise").at("name") == "01-knee-of-mul");
  picture(app, look, "exercise-begin");
  const Place plot = app.plot("runtime");
  app.move_to(plot.x + plot.w * 0.5, plot.y + plot.h * 0.5);
  app.mouse("click");
  app.wait("a guess", said);
  picture(app, look, "exercise-said");
  app.click("exercise.measure");
  const json map = wait_for_result(app);
  picture(app, look, "exercise-result");
  const std::string result = map.at("state").at("exercise").at("result");
  CAPTURE(result);
  CHECK(result.find("You said ") == 0);
  CHECK(result.find("measured here: 80 ops") != std::string::npos);  // 10 FLOP/byte, 8 byte
  app.click("exercise.leave");
  app.wait("no exercise", [](const json& m) { return m.at("state").at("exercise").is_null(); });
}

/// Tab until a control has the keys, then a key for it.
void press_on(App& app, const std::string& control, const char* key, int times = 1) {
  for (int i = 0; i < 100 && app.state().at("focus") != control; ++i) {
    const json before = app.state().at("focus");
    app.key("Tab");
    app.wait("another control",
             [&](const json& map) { return map.at("state").at("focus") != before; });
  }
  REQUIRE(app.state().at("focus") == control);
  for (int i = 0; i < times; ++i) app.next_frame([&] { app.key(key); });
}

/// Escape takes the keys back to the window.
void leave_controls(App& app) {
  app.key("Escape");
  app.wait("no control with the keys",
           [](const json& map) { return map.at("state").at("focus") == ""; });
}

/// Moves the slider up from one op.
void set_ops(App& app, int ops) {
  app.key("Home");
  app.wait("one op", [](const json& map) { return map.at("state").at("cursor_repeat") == 1; });
  const auto now = [&] { return app.state().at("cursor_repeat").get<int>(); };
  for (int before = 1; before < ops; before = now()) {
    app.key("Right");
    app.wait("more ops",
             [&](const json& map) { return map.at("state").at("cursor_repeat") > before; });
  }
}

/// All five steps with the keyboard.
void type_tour(App& app, const Look& look) {
  set_ops(app, 1);
  wait_for(app, 1, "not yet");
  set_ops(app, 8);
  wait_for(app, 1, "done");
  app.key("n");
  app.key("End");
  wait_for(app, 2, "done");
  app.key("n");
  wait_for(app, 3, "not yet");
  set_ops(app, 8);
  press_on(app, "fusion.unfused", "Return");
  wait_for(app, 3, "done");
  picture(app, look, "3-done");
  press_on(app, "fusion.fused", "Return");
  leave_controls(app);
  app.key("n");
  wait_for(app, 4, "not yet");
  press_on(app, "elements", "Left", 32);  // steps of a 32nd of the slider
  wait_for(app, 4, "done");
  leave_controls(app);
  app.key("n");
  wait_for(app, 5, "not yet");
  press_on(app, "elements.auto", "Return");
  press_on(app, "dtype.bf16", "Return");
  app.wait("bf16",
           [](const json& map) { return map.at("state").at("spec").at("dtype") == "fp32,bf16"; });
  leave_controls(app);
  app.key("space");
  wait_for(app, 5, "done");
  picture(app, look, "5-done");
  app.key("n");
  app.wait("no tour", [](const json& map) { return map.at("state").at("tour").is_null(); });
}

}  // namespace

TEST_CASE("the tour and an exercise are gone through with the mouse") {
  const Look look{"mouse"};
  const TemporaryFolder folder;
  write_start(folder, look, true);
  App app = made_up_window(folder);
  take_tour(app, look);
  take_exercise(app, look);
}

TEST_CASE("the tour and an exercise are gone through with the keyboard alone") {
  const Look look{"keys"};
  const TemporaryFolder folder;
  write_start(folder, look, false);
  App app = made_up_window(folder);
  CHECK(app.state().at("tour").is_null());
  command(app, "start the tour");
  type_tour(app, look);
  command(app, "exercise: 512");
  app.wait("the exercise",
           [](const json& map) { return !map.at("state").at("exercise").is_null(); });
  app.key("Right");
  app.wait("a guess", said);
  app.key("Return");
  const json map = wait_for_result(app);
  CHECK(map.at("state").at("exercise").at("result") ==
        "You said overhead-bound; measured here: overhead-bound. Your answer is right.");
  picture(app, look, "exercise-result");
  app.key("Escape");
  app.wait("no exercise", [](const json& m) { return m.at("state").at("exercise").is_null(); });
}

TEST_CASE("pictures of every step in every size and theme" *
          doctest::skip(std::getenv("RIDGEPOINT_PICTURES") == nullptr)) {
  for (const Look& look :
       {Look{"small-light", 1024, 640, true}, Look{"small-dark", 1024, 640, false},
        Look{"large-light", 1600, 1000, true}, Look{"large-dark", 1600, 1000, false}}) {
    const TemporaryFolder folder;
    write_start(folder, look, true);
    App app = made_up_window(folder);
    take_tour(app, look);
    take_exercise(app, look);
  }
}
