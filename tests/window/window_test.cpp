// The real window under a real mouse and keyboard: what it measures, keeps and writes.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>

#include "tests/window/four_points.hpp"
#include "tests/window/shared.hpp"

using nlohmann::json;

namespace {

std::set<std::string> values_of(const json& session, const char* field) {
  std::set<std::string> found;
  for (const json& point : session.at("points")) found.insert(point.at(field).get<std::string>());
  return found;
}

/// Replaces what stands in a text field: it is selected whole when the field takes the keys.
void fill_field(App& app, const std::string& name, const std::string& text) {
  if (!app.now().at("controls").at(name).at("active").get<bool>()) app.click(name);
  app.wait_until_active(name);
  app.type(text);
  app.wait(name + " = " + text,
           [&](const json& map) { return map.at("controls").at(name).at("value") == text; });
}

}  // namespace

TEST_CASE("a sweep started with Space fills the plots, and Save keeps exactly its points") {
  const TemporaryFolder folder;
  // Long enough for every point, also where other programs hold the cores back.
  write_small_settings(folder, {{"spec", {{"max-time", "2s"}, {"time", "none"}}}});
  App app(screen(), folder);
  CHECK(app.state().at("points") == 0);
  sweep(app);
  CHECK(app.state().at("points") == 4);
  app.dialog("ctrl+s", folder / "both.json");
  const json session = session_at(folder / "both.json");
  CHECK(session.at("format") == "ridgepoint-session");
  CHECK(session.at("points").size() == 4);
  CHECK(values_of(session, "fusion") == std::set<std::string>{"fused", "unfused"});
  for (const json& point : session.at("points"))
    CHECK_MESSAGE(point.at("status") == "ok", point.dump());
  const json& roofs = session.at("roofs");
  CHECK(std::any_of(roofs.begin(), roofs.end(), [](const json& roof) {
    return roof.at("name") == "DRAM copy" && roof.at("source") == "measured" && roof.at("rate") > 0;
  }));
  CHECK(app.close().code == 130);
}

TEST_CASE("the fusion toggle decides what is measured; Clear forgets what was") {
  const TemporaryFolder folder;
  write_small_settings(folder);
  App app = made_up_window(folder);
  app.click("fusion.fused");
  app.wait("fused",
           [](const json& map) { return map.at("state").at("spec").at("fusion") == "fused"; });
  sweep(app);
  app.dialog("ctrl+s", folder / "fused.json");
  CHECK(values_of(session_at(folder / "fused.json"), "fusion") == std::set<std::string>{"fused"});
  app.click("clear");
  app.wait("no points", [](const json& map) { return map.at("state").at("points") == 0; });
  app.click("fusion.unfused");
  app.wait("unfused",
           [](const json& map) { return map.at("state").at("spec").at("fusion") == "unfused"; });
  sweep(app);
  app.dialog("ctrl+s", folder / "unfused.json");
  CHECK(values_of(session_at(folder / "unfused.json"), "fusion") ==
        std::set<std::string>{"unfused"});
}

TEST_CASE("the matrix toggle measures tiles on matrix units, or Advanced says why there is none") {
  const TemporaryFolder folder;
  write_small_settings(folder);
  App app(screen(), folder);
  if (app.now().at("controls").contains("units.on")) {
    app.click("units.on");
    // The frame of the click still shows the kernel of before.
    app.wait("tiles on matrix units", [](const json& m) {
      return m.at("state").at("spec").at("units") == "matrix" &&
             m.at("controls").at("family.tile").at("value") == "chosen";
    });
    sweep(app);
    app.dialog("ctrl+s", folder / "matrix.json");
    CHECK(values_of(session_at(folder / "matrix.json"), "units") ==
          std::set<std::string>{"matrix"});
    CHECK(values_of(session_at(folder / "matrix.json"), "kernel") == std::set<std::string>{"tile"});
    return;
  }
  MESSAGE("no matrix units on this CPU");
  app.click("advanced");
  const json lacks = app.wait("what the device lacks",
                              [](const json& m) { return m.at("controls").contains("lacks"); });
  const std::string why = lacks.at("controls").at("lacks").at("value");
  CHECK(why.find("matrix units: ") != std::string::npos);
  app.click("family.tile");
  const json map = app.wait("tiles", [](const json& m) {
    return m.at("controls").at("family.tile").at("value") == "chosen";
  });
  CHECK(map.at("state").at("spec").at("units") == "vector");
  sweep(app);
  app.dialog("ctrl+s", folder / "tile.json");
  CHECK(values_of(session_at(folder / "tile.json"), "kernel") == std::set<std::string>{"tile"});
}

TEST_CASE(
    "dragging the slider of the ops moves the cursor in all panels, and rest measures its point") {
  const TemporaryFolder folder;
  write_small_settings(folder);
  App app = made_up_window(folder);
  const json before = app.now();
  const Place slider = app.control("intensity");
  const double y = slider.y + slider.h / 2;
  app.drag({{slider.x + slider.w * 0.35, y},
            {slider.x + slider.w * 0.45, y},
            {slider.x + slider.w * 0.55, y}});
  const json during = app.wait("a moved cursor", [&](const json& map) {
    return map.at("state").at("cursor_repeat") > 64 &&
           cursor_of(map, "runtime") != cursor_of(before, "runtime");
  });
  for (const char* panel : panels) CHECK(cursor_of(during, panel) != cursor_of(before, panel));
  // 2 pixels beside the mark of 2^6, in the middle of 2^0 ... 2^12.
  app.move_to(slider.x + slider.w / 2 + 2, y);
  app.wait("the slider on its mark",
           [](const json& map) { return map.at("state").at("cursor_repeat") == 64; });
  app.mouse("mouseup");
  const json after = app.wait("a measured point", [](const json& map) {
    return map.at("state").at("probes") > 0 && !map.at("state").at("probe").get<bool>() &&
           map.at("state").at("verdict").at("headline").get<std::string>().find("predict") ==
               std::string::npos;
  });
  app.dialog("ctrl+s", folder / "probe.json");
  const json session = session_at(folder / "probe.json");
  const json& newest = session.at("points").back();
  CHECK(newest.at("repeat") == after.at("state").at("cursor_repeat"));
  CHECK(newest.at("elements") == 1048576);
  CHECK(newest.at("status") == "ok");
}

TEST_CASE("Export writes a PNG of the size asked for, with the plots in it") {
  const TemporaryFolder folder;
  write_small_settings(folder);
  App app(screen(), folder, {four_points()});
  app.click("export");
  app.wait_until_active("dialog.path");
  const std::string path = folder / "roof.png";
  fill_field(app, "dialog.path", path);
  fill_field(app, "export.width", "900");
  fill_field(app, "export.height", "700");
  app.click("dialog.ok");
  app.wait("the dialog's end",
           [](const json& map) { return map.at("state").at("dialog").is_null(); });
  const test::Pixels picture = test::read_png(path);
  CHECK(picture.width == 900);
  CHECK(picture.height == 700);
  CHECK(colours_in(picture) > 50);
}

TEST_CASE("a preset stays chosen, and Ctrl+Shift+C gives such a picture to xclip") {
  const TemporaryFolder folder;
  write_small_settings(folder);
  const std::string path = std::getenv("PATH");
  std::ofstream(folder / "xclip") << "#!/bin/sh\ncat > '" << folder / "copy.png"
                                  << "'\n";
  std::filesystem::permissions(folder / "xclip", std::filesystem::perms::owner_all);
  setenv("PATH", (folder.path().string() + ":" + path).c_str(), 1);
  App app = made_up_window(folder, {four_points()});
  setenv("PATH", path.c_str(), 1);
  app.click("export");
  app.wait_until_active("dialog.path");
  const auto width_is = [](const char* width) {
    return [width](const json& map) {
      return map.at("controls").contains("export.width") &&
             map.at("controls").at("export.width").at("value") == width;
    };
  };
  app.click("export.preset.slide");
  app.wait("a slide's width", width_is("1920"));
  app.key("Escape");
  app.wait_until_no_dialog();
  app.key("ctrl+shift+c");
  app.wait("a copy", [](const json& map) {
    const json& notices = map.at("state").at("notices");
    return !notices.empty() && notices.back().get<std::string>().starts_with("Copied");
  });
  const test::Pixels picture = test::read_png(folder / "copy.png");
  CHECK(picture.width == 1920);
  CHECK(picture.height == 1080);
  CHECK(colours_in(picture) > 50);
  app.click("export");
  app.wait("the same preset", width_is("1920"));
}

TEST_CASE("an error stays in the dialog, and Escape closes it") {
  const TemporaryFolder folder;
  write_small_settings(folder);
  App app = made_up_window(folder);
  app.key("ctrl+o");
  app.wait_until_active("dialog.path");
  app.type("/no/such/file.json");
  app.key("Return");
  app.wait("an error", [](const json& map) {
    const json& dialog = map.at("state").at("dialog");
    return !dialog.is_null() &&
           dialog.at("error").get<std::string>().find("/no/such") != std::string::npos;
  });
  escape_from(app, "dialog");
}

TEST_CASE("settings and the window's size persist; a file named on the command line is opened") {
  const TemporaryFolder folder;
  write_small_settings(folder);
  {
    App app = made_up_window(folder);
    app.click("fusion.unfused");
    // Two clicks within one slow frame would be one.
    app.wait("the fusion",
             [](const json& map) { return map.at("state").at("spec").at("fusion") == "unfused"; });
    app.click("x.FLOP/byte");
    app.wait("the axis", [](const json& map) {
      return map.at("controls").at("x.FLOP/byte").at("value") == "chosen";
    });
    screen().xdotool({"search", "--class", "ridgepoint", "windowsize", "1024", "640"});
    app.wait("the new size", [](const json& map) { return map.at("window") == json({1024, 640}); });
    CHECK(app.close().code == 130);
  }
  const auto fusion_is = [](const char* fusion) {
    return [=](const json& m) { return m.at("state").at("spec").at("fusion") == fusion; };
  };
  {
    App again = made_up_window(folder, {four_points()});
    const json map = again.wait("the file's fusion", fusion_is("both"));
    CHECK(map.at("state").at("opened") == 1);
    CHECK(map.at("controls").at("x.FLOP/byte").at("value") == "chosen");
    CHECK(map.at("window") == json({1024, 640}));
    CHECK(map.at("state").at("points") == 0);
    CHECK_FALSE(map.at("legend").empty());
    CHECK(again.close().code == 130);
  }
  App without = made_up_window(folder);
  without.wait("the fusion set before", fusion_is("unfused"));
}

TEST_CASE("F11 presents the charts on the whole screen, where Space measures nothing") {
  const TemporaryFolder folder;
  write_small_settings(folder, {{"width", 1000}, {"height", 700}});
  App app = made_up_window(folder, {four_points()});
  const auto presents = [](const json& step) {
    return [step](const json& map) { return map.at("state").at("presenting") == step; };
  };
  const json before = app.now();
  app.key("F11");
  const json first = app.wait("the whole screen", [](const json& map) {
    return map.at("state").at("presenting") == 0 &&
           map.at("window") == json({screen_width, screen_height});
  });
  CHECK_FALSE(first.at("controls").contains("export"));
  CHECK(first.at("controls").contains("present.keys"));
  CHECK(first.at("legend").empty());
  app.key("space");
  app.wait("the next step", presents(1));
  app.key("End");
  const json last = app.wait("the verdict", [](const json& map) {
    return !map.at("controls").at("present.verdict").at("value").get<std::string>().empty();
  });
  CHECK_FALSE(last.at("controls").contains("present.keys"));
  CHECK_FALSE(last.at("legend").empty());
  CHECK_FALSE(last.at("state").at("sweep").get<bool>());
  CHECK(last.at("state").at("points") == before.at("state").at("points"));
  app.key("Escape");
  app.wait("the window of before", [&](const json& map) {
    return map.at("state").at("presenting").is_null() && map.at("window") == before.at("window");
  });
}

TEST_CASE("the title of a presentation and the look of exports are there at the next start") {
  const TemporaryFolder folder;
  write_small_settings(folder);
  {
    App app = made_up_window(folder, {four_points()});
    app.key("ctrl+e");
    app.wait_until_active("dialog.path");
    app.insist(
        "a slide", [&] { app.click("export.preset.slide"); },
        [](const json& map) {
          return map.at("controls").at("export.preset.slide").at("value") == "chosen";
        });
    CHECK(app.now().at("controls").contains("export.preview"));
    escape_from(app, "dialog");
    app.wait_until_no_dialog();
    app.key("F11");
    app.wait("the charts alone",
             [](const json& map) { return map.at("state").at("presenting") == 0; });
    app.key("t");
    app.wait_until_active("present.title");
    app.type("Why fuse?");
    app.key("Return");
    app.wait("the title", [](const json& map) {
      const json& title = map.at("controls").at("present.title");
      return title.at("value") == "Why fuse?" && !title.at("active").get<bool>();
    });
    CHECK(app.close().code == 130);
  }
  App again = made_up_window(folder, {four_points()});
  again.key("F11");
  again.wait("the title", [](const json& map) {
    const json& controls = map.at("controls");
    return controls.contains("present.title") &&
           controls.at("present.title").at("value") == "Why fuse?";
  });
  again.key("F11");
  again.wait("the window",
             [](const json& map) { return map.at("state").at("presenting").is_null(); });
  again.key("ctrl+e");
  again.wait("the preset", [](const json& map) {
    return map.at("controls").contains("export.preset.slide") &&
           map.at("controls").at("export.preset.slide").at("value") == "chosen";
  });
}

TEST_CASE("a broken settings file is set aside, and the status bar says so") {
  const TemporaryFolder folder;
  write_small_settings(folder);
  write_text(settings_file(folder), "{ \"format\": ");
  App app(screen(), folder);
  app.wait("the notice", [](const json& map) {
    const json& notices = map.at("state").at("notices");
    return std::any_of(notices.begin(), notices.end(), [](const json& notice) {
      return notice.get<std::string>().find("settings.json.broken") != std::string::npos;
    });
  });
  CHECK(read_file(settings_file(folder).string() + ".broken") == "{ \"format\": ");
}

TEST_CASE("without a display, exit code 1 and a sentence that names the command line") {
  const TemporaryFolder folder;
  const Launch launch{
      {}, {{"DISPLAY", {}}, {"WAYLAND_DISPLAY", {}}, {"XDG_CONFIG_HOME", folder / "config"}}};
  const Ended ended = run(launch);
  CHECK(ended.code == 1);
  CHECK(ended.err.find("ridgepoint sweep") != std::string::npos);
  CHECK(lines_in(ended.err) == 1);
  // Settings that were set aside are named, though no window can show it.
  write_small_settings(folder);
  write_text(settings_file(folder), "{");
  const Ended broken = run(launch);
  CHECK(broken.code == 1);
  CHECK(broken.err.find("settings.json.broken") != std::string::npos);
}

TEST_CASE("without OpenGL 3.3, exit code 1 and a sentence that names the command line") {
  const TemporaryFolder folder;
  const Screen plain({"-extension", "GLX"});
  const Ended ended =
      run(Launch{{}, {{"DISPLAY", plain.display()}, {"XDG_CONFIG_HOME", folder / "c"}}});
  CHECK(ended.code == 1);
  CHECK(ended.err.find("ridgepoint sweep") != std::string::npos);
  CHECK(ended.err.find("OpenGL") != std::string::npos);
}
