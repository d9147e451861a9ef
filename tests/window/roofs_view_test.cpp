// The roofs view of the real window, over a session file: table, shapes tried, choice of what is
// drawn, sizes; and a measurement of all roofs.
#include <doctest/doctest.h>

#include <string>

#include "tests/screen/places.hpp"
#include "tests/window/shared.hpp"

using nlohmann::json;

namespace {

const std::string roofs_file = RIDGEPOINT_WINDOW_TESTS "/roofs.json";

json controls_of(App& app) { return app.now().at("controls"); }

void show_roofs(App& app) {
  show_lab(app, "roofs");
  app.wait("the roofs", [](const json& map) {
    return map.at("plots").contains("levels") && map.at("controls").contains("roof.DRAM copy");
  });
}

}  // namespace

TEST_CASE("the roofs view lists a session's roofs, and the shapes tried for the one selected") {
  const TemporaryFolder folder;
  write_small_settings(folder);
  App app(screen(), folder, {roofs_file});
  show_roofs(app);
  CHECK_FALSE(controls_of(app).contains("verdict.more"));
  app.click("roof.fp32 FMA");
  // The frame of the click still shows the shapes of the one before.
  app.wait("its shapes", [](const json& m) {
    const json& controls = m.at("controls");
    return controls.contains("shape.0") &&
           controls.at("shape.0").at("value") == "chains 12, unroll 8" &&
           controls.at("roof.fp32 FMA").at("value") == "chosen";
  });
  show_lab(app, "intensity");
  app.wait("the plots", [](const json& m) { return m.at("plots").contains("runtime"); });
}

TEST_CASE("the roofs view names the device and file of its roofs, and shows those of another") {
  const TemporaryFolder folder;
  write_small_settings(folder);
  App app(screen(), folder, {roofs_file});
  show_roofs(app);
  const auto title = [](const json& map) {
    const json& controls = map.at("controls");
    return controls.contains("roofs.of") ? controls.at("roofs.of").at("value").get<std::string>()
                                         : std::string();
  };
  app.wait("the file's", [&](const json& m) { return title(m).ends_with(", roofs.json"); });
  choose_in_menu(app, "roofs.of", "roofs.of.0", [&](const json& map) {
    return !title(map).empty() && !title(map).ends_with(", roofs.json");
  });
  CHECK_FALSE(controls_of(app).contains("roof.DRAM copy"));
}

TEST_CASE("a check box takes a roof out of the roofline and brings it back") {
  const TemporaryFolder folder;
  write_small_settings(folder);
  App app(screen(), folder, {roofs_file});
  show_roofs(app);
  const auto drawn = [](const json& map, const char* roof) {
    return map.at("controls").at(std::string("draw.") + roof).at("value") == "drawn";
  };
  REQUIRE(drawn(app.now(), "DRAM copy"));
  REQUIRE_FALSE(drawn(app.now(), "L2"));
  app.click("draw.L2");
  app.wait("L2", [&](const json& map) { return drawn(map, "L2"); });
  app.click("draw.DRAM copy");
  app.wait("no DRAM copy", [&](const json& map) { return !drawn(map, "DRAM copy"); });
  CHECK(drawn(app.now(), "L2"));
}

TEST_CASE("the level curve zooms for itself, and hovering it draws a cross-hair") {
  const TemporaryFolder folder;
  write_small_settings(folder);
  App app(screen(), folder, {roofs_file});
  show_roofs(app);
  const Place plot = app.plot("levels");
  app.move_to(plot.x + plot.w / 2, plot.y + plot.h / 2);
  const json before = app.wait("a cross-hair", [](const json& map) {
    return !map.at("plots").at("levels").at("cross_hair").is_null();
  });
  app.mouse("click", 4);
  app.wait("a closer look", [&](const json& map) {
    return map.at("plots").at("levels").at("x")[1] < before.at("plots").at("levels").at("x")[1];
  });
}

TEST_CASE("the roofs view fits from the smallest to a large size, with the levels in sight") {
  const TemporaryFolder folder;
  write_small_settings(folder);
  App app(screen(), folder, {roofs_file});
  show_roofs(app);
  const auto check = [&](int width, int height) {
    CAPTURE(width);
    screen().xdotool({"search", "--class", "ridgepoint", "windowsize", std::to_string(width),
                      std::to_string(height)});
    const json map = app.wait("the new size", [&](const json& m) {
      return m.at("window") == json({width, height});
    });
    check_places(map);
    const json& plot = map.at("plots").at("levels").at("plot");
    CHECK(plot[2] > 200);
    CHECK(plot[3] > 100);
    int rows = 0;
    for (const auto& [name, control] : map.at("controls").items()) {
      rows += name.starts_with("roof.") ? 1 : 0;
    }
    CHECK(rows >= 8);
  };
  check(1024, 640);
  check(1280, 800);
  check(2560, 1440);
}

TEST_CASE("magnified, the roofs view lives through every width, and can be left by mouse") {
  const TemporaryFolder folder;
  write_small_settings(folder, {{"magnification", 2.5}, {"width", 825}, {"height", 560}});
  App app(screen(), folder, {roofs_file});
  const json grown = app.wait("room for the controls", [](const json& map) {
    return map.at("window") == json({2200, 1400});
  });
  check_places(grown);
  show_roofs(app);
  // Against the limits of the window: no manager keeps them here.
  const auto resize = [&](int width, const char* height) {
    app.insist(
        "the new width",
        [&] {
          screen().xdotool(
              {"search", "--class", "ridgepoint", "windowsize", std::to_string(width), height});
        },
        [&](const json& map) { return map.at("window")[0] == width; });
  };
  for (int width = 820; width <= 830; ++width) resize(width, "560");
  resize(2200, "1400");
  show_lab(app, "intensity");
  app.wait("the plots", [](const json& map) { return map.at("plots").contains("runtime"); });
}

TEST_CASE("Space in the roofs view measures the roofs of the machine, and Save keeps them") {
  const TemporaryFolder folder;
  write_small_settings(folder);
  App app = made_up_window(folder);
  show_lab(app, "roofs");  // this machine has no roof yet
  app.key("space");
  const json map = app.wait("measured roofs and their end", [](const json& m) {
    return m.at("state").at("measured_roofs") >= 4 && !m.at("state").at("sweep").get<bool>() &&
           m.at("controls").contains("roof.DRAM copy");
  });
  CHECK(map.at("state").at("points") == 0);
  app.dialog("ctrl+s", folder / "roofs.json");
  const json session = session_at(folder / "roofs.json");
  CHECK(session.at("roofs").size() >= 4);
  REQUIRE_FALSE(session.at("points").empty());
  for (const json& point : session.at("points")) CHECK(point.at("experiment") == "roofs");
}
