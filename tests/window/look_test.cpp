// The real window under a real mouse: zoom, hover, legend, sizes, and silence while nothing
// happens.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "tests/screen/places.hpp"
#include "tests/window/display/x_resources.hpp"
#include "tests/window/four_points.hpp"
#include "tests/window/shared.hpp"

using nlohmann::json;

TEST_CASE("a device chosen under What if widens the runtime down to its prediction") {
  const TemporaryFolder folder;
  // Launches would matter on an H200 with fewer.
  write_small_settings(folder, {{"spec", {{"elements", "16777216"}, {"repeat", "1,16"}}}});
  App app = made_up_window(folder);
  sweep(app);
  const auto shortest = [](const json& map) {
    return map.at("plots").at("runtime").at("y")[0].get<double>();
  };
  const double before = shortest(app.now());
  choose_in_menu(app, "what_if", "what_if.H200 SXM 141GB",
                 [&](const json& map) { return shortest(map) < before / 2; });
  app.wait("the closed menu that names it", [](const json& map) {
    const json& controls = map.at("controls");
    return controls.contains("what_if") &&
           controls.at("what_if").at("value") == "What if: H200 SXM 141GB";
  });
}

TEST_CASE(
    "wheel zooms at the pointer, drag pans, F fits, K keeps the limits, the legend hides a series "
    "everywhere") {
  const TemporaryFolder folder;
  write_small_settings(folder);
  App app = made_up_window(folder, {four_points()});
  const json fitted = app.now();
  const auto x_of = [](const json& map, const char* panel) {
    return map.at("plots").at(panel).at("x");
  };
  const Place plot = app.plot("runtime");
  app.move_to(plot.x + plot.w / 2, plot.y + plot.h / 2);
  app.mouse("click", 4);
  const json closer = app.wait("a zoomed axis", [&](const json& map) {
    return x_of(map, "runtime") != x_of(fitted, "runtime");
  });
  CHECK(x_of(closer, "runtime")[1] < x_of(fitted, "runtime")[1]);
  CHECK(x_of(closer, "runtime")[0] > x_of(fitted, "runtime")[0]);
  CHECK(x_of(closer, "bandwidth") == x_of(closer, "runtime"));
  CHECK(x_of(closer, "roofline") == x_of(fitted, "roofline"));
  const double middle = plot.y + plot.h / 2;
  app.drag({{plot.x + plot.w * 0.5, middle},
            {plot.x + plot.w * 0.6, middle},
            {plot.x + plot.w * 0.8, middle}});
  app.mouse("mouseup");
  app.wait("a panned axis",
           [&](const json& map) { return x_of(map, "runtime")[0] < x_of(closer, "runtime")[0]; });
  app.key("f");
  app.wait("a fitted axis",
           [&](const json& map) { return x_of(map, "runtime") == x_of(fitted, "runtime"); });
  app.key("k");
  app.wait("locked axes", [](const json& map) {
    return map.at("controls").at("axes.lock").at("value") == "chosen";
  });
  CHECK(x_of(app.now(), "runtime") == x_of(fitted, "runtime"));
  const json entry = app.now().at("legend").at(0);
  const json& box = entry.at("rect");
  app.move_to(box[0].get<double>() + box[2].get<double>() / 2,
              box[1].get<double>() + box[3].get<double>() / 2);
  app.mouse("click");
  app.wait("a hidden series", [&](const json& map) {
    return map.at("state").at("hidden") == json::array({entry.at("series")});
  });
}

TEST_CASE(
    "splitters divide the window, a double click lets one plot fill it, Escape brings the others "
    "back, Ctrl+B folds the controls away; all is remembered") {
  const TemporaryFolder folder;
  write_small_settings(folder);
  double wide = 0;
  {
    App app = made_up_window(folder, {four_points()});
    const Place before = app.plot("roofline");
    const Place bar = app.control("splitter.column");
    const double down = bar.y + bar.h * 0.3;
    app.drag({{bar.x + bar.w / 2, down}, {bar.x + 60, down}, {bar.x + 120, down}});
    app.mouse("mouseup");
    app.wait("a wider roofline", [&](const json& map) {
      return map.at("plots").at("roofline").at("plot")[2].get<double>() > before.w + 80;
    });
    // A wider plot may need fewer rows for its legend, and then is higher.
    const double high = app.plot("roofline").h;
    const Place bottom = app.control("splitter.bottom");
    const double across = bottom.x + bottom.w * 0.3;
    app.drag({{across, bottom.y + 3}, {across, bottom.y - 20}, {across, bottom.y - 60}});
    app.mouse("mouseup");
    app.wait("lower plots", [&](const json& map) {
      return map.at("plots").at("roofline").at("plot")[3].get<double>() < high - 10;
    });
    check_places(app.now());
    wide = app.plot("roofline").w;
    const Place plot = app.plot("bandwidth");
    app.move_to(plot.x + plot.w * 0.1, plot.y + plot.h * 0.5);
    app.insist(
        "only the bandwidth",
        [] {
          screen().xdotool({"click", "--repeat", "2", "--delay", "80", "1"});
        },
        [](const json& map) { return map.at("state").at("maximised") == "bandwidth"; });
    app.wait("no other plot", [](const json& map) { return map.at("plots").size() == 1; });
    app.key("Escape");
    app.wait("all four", [](const json& map) { return map.at("plots").size() == 4; });
    app.key("2");
    app.wait("only the runtime", [](const json& map) {
      return map.at("plots").size() == 1 && map.at("plots").contains("runtime");
    });
    app.key("2");
    app.key("ctrl+b");
    app.wait("no controls", [](const json& map) {
      return !map.at("controls").contains("run") && map.at("plots").size() == 4;
    });
    check_places(app.now());
    app.click("unfold");
    app.wait("the controls", [](const json& map) { return map.at("controls").contains("run"); });
    CHECK(app.close().code == 130);
  }
  App again = made_up_window(folder);
  again.wait("the divided window", [&](const json& map) {
    return map.at("plots").contains("roofline") &&
           map.at("plots").at("roofline").at("plot")[2].get<double>() > wide - 40;
  });
}

TEST_CASE("the very first start begins with the tour beside what is there, later starts do not") {
  const TemporaryFolder folder;
  {
    App app = made_up_window(folder);
    const json map =
        app.wait("the tour", [](const json& m) { return m.at("controls").contains("tour.leave"); });
    CHECK(map.at("state").at("tour").at("step") == 1);
    check_places(map);
    app.click("tour.leave");
    app.wait("no tour", [](const json& m) {
      return m.at("state").at("tour").is_null() && !m.at("controls").contains("tour.leave");
    });
    CHECK(app.close().code == 130);
  }
  App again = made_up_window(folder);
  CHECK(again.state().at("tour").is_null());
}

TEST_CASE("the cursor line drags in a plot, and the verdict shows predicted beside measured") {
  const TemporaryFolder folder;
  write_small_settings(folder);
  App app = made_up_window(folder);
  sweep(app);
  const Place plot = app.plot("runtime");
  const double x = cursor_of(app.now(), "runtime");
  const double down = plot.y + plot.h * 0.3;
  app.drag({{x, down}, {x - 20, down}, {x - 40, down}});
  app.wait("a smaller repeat",
           [](const json& map) { return map.at("state").at("cursor_repeat") < 16; });
  app.mouse("mouseup");
  // Away from the plots: under the pointer the verdict would be of the point that lies there.
  const Place run = app.control("run");
  app.move_to(run.x + run.w / 2, run.y + run.h + 4);
  app.wait("its point measured, and the scope with both", [](const json& map) {
    if (map.at("state").at("probes") == 0) return false;
    if (!map.at("controls").contains("scope")) return false;
    const std::string both = map.at("controls").at("scope").at("value");
    return both.find(" / ") > 0 && !both.ends_with(" / ");
  });
}

TEST_CASE("the results table sorts, filters, marks rows and copies them") {
  const TemporaryFolder folder;
  write_small_settings(folder);
  App app = made_up_window(folder, {four_points()});
  app.click("below.Results");
  app.wait("four rows", [](const json& map) { return map.at("controls").contains("result.3"); });
  app.click("sort.Runtime");
  app.wait("sorted", [](const json& map) {
    return map.at("controls").at("sort.Runtime").at("value") == "up";
  });
  app.click("result.0");
  app.wait("one row chosen",
           [](const json& map) { return map.at("state").at("rows_chosen") == 1; });
  app.click("results.filter");
  app.wait_until_active("results.filter");
  app.type("unfused");
  app.wait("two rows", [](const json& map) {
    return map.at("controls").contains("result.1") && !map.at("controls").contains("result.2");
  });
  check_places(app.now());
}

TEST_CASE(
    "hovering draws a cross-hair through all panels, the verdict speaks of the point, a click "
    "inspects it") {
  const TemporaryFolder folder;
  write_small_settings(folder);
  App app = made_up_window(folder, {four_points()});
  const Place plot = app.plot("flops");
  app.move_to(plot.x + plot.w * 0.4, plot.y + 4);
  app.wait("a cross-hair in every panel", [](const json& map) {
    return std::all_of(std::begin(panels), std::end(panels), [&](const char* panel) {
      return !map.at("plots").at(panel).at("cross_hair").is_null();
    });
  });
  // The points of repeat 16 lie on the cursor, which stands at repeat 16: look along it.
  const double x = cursor_of(app.now(), "flops");
  const auto speaks_of_pointer = [](const json& map) {
    return map.at("state").at("verdict").at("caption").get<std::string>().find("pointer") !=
           std::string::npos;
  };
  bool found = false;
  for (double down = 2; down < plot.h && !found; down += 8) {
    const json before = app.now();
    app.move_to(x, plot.y + down);
    const json after =
        app.wait("a frame", [&](const json& map) { return map.at("frame") != before.at("frame"); });
    found = speaks_of_pointer(after);
  }
  CHECK(found);
  app.mouse("click");
  const json map = app.wait("the inspector", [](const json& m) {
    return !m.at("state").at("inspected").is_null() &&
           m.at("controls").contains("inspector.command");
  });
  CHECK(map.at("controls")
            .at("inspector.command")
            .at("value")
            .get<std::string>()
            .find("--repeat 16") != std::string::npos);
  const json& place = map.at("controls").at("inspector.command").at("rect");
  CHECK_MESSAGE((x < place[0] || x > place[0].get<double>() + place[2].get<double>()),
                "it covers the point that was clicked");
  escape_from(app, "inspected");
}

TEST_CASE(
    "nothing overlaps or leaves the window, from the smallest to a large size and magnified") {
  const TemporaryFolder folder;
  write_small_settings(folder);
  App app = made_up_window(folder, {four_points()});
  const auto check = [&](int width, int height) {
    CAPTURE(width);
    screen().xdotool({"search", "--class", "ridgepoint", "windowsize", std::to_string(width),
                      std::to_string(height)});
    check_places(app.wait("the new size", [&](const json& map) {
      return map.at("window") == json({width, height});
    }));
    app.wait("pixels of the new size",
             [&](const json&) { return colours_in(screen().corner(width / 2, height / 2)) > 200; });
  };
  check(1024, 640);
  check(1440, 900);
  check(2560, 1440);
  const double before = app.control("run").h;
  for (int i = 0; i < 3; ++i) app.next_frame([&] { app.key("ctrl+equal"); });
  app.wait("larger controls", [&](const json& map) {
    return map.at("controls").at("run").at("rect")[3].get<double>() > before * 1.3;
  });
  check(2400, 1400);
}

TEST_CASE("F1 lists the keys, Ctrl+L makes the window light, Ctrl+Z brings back what was cleared") {
  const TemporaryFolder folder;
  write_small_settings(folder);
  App app = made_up_window(folder);
  sweep(app);
  const auto has_help = [](const json& map) { return map.at("controls").contains("help.close"); };
  app.key("F1");
  app.wait("the list", has_help);
  app.key("Escape");
  app.wait("the list gone", [&](const json& map) { return !has_help(map); });
  const json before = app.now();
  app.click("clear");
  app.wait("no points", [](const json& map) { return map.at("state").at("points") == 0; });
  app.key("ctrl+z");
  app.wait("the points", [&](const json& map) {
    return map.at("state").at("points") == before.at("state").at("points");
  });
  CHECK_FALSE(before.at("state").at("light"));
  app.key("ctrl+l");
  app.wait("a light window",
           [](const json& map) { return map.at("state").at("light").get<bool>(); });
}

TEST_CASE(
    "on a French keyboard Ctrl+Z undoes where the US has W, and Ctrl+W closes where it has Z") {
  // A server whose layout is French from its start: what setxkbmap sets goes with the first key.
  const TemporaryFolder keyboards, folder;
  const std::filesystem::path layouts = keyboards.path() / "xkb";
  std::filesystem::copy(
      "/usr/share/X11/xkb", layouts,
      std::filesystem::copy_options::recursive | std::filesystem::copy_options::copy_symlinks);
  write_text(layouts / "symbols" / "us",
             "default xkb_symbols \"basic\" { include \"fr(basic)\" };\n");
  const Screen french({"-xkbdir", layouts.string()});
  write_small_settings(folder);
  App app(french, folder, {}, RIDGEPOINT_MADE_UP_MACHINE);
  sweep(app);
  const json before = app.now();
  app.click("clear");
  app.wait("no points", [](const json& map) { return map.at("state").at("points") == 0; });
  constexpr const char* z = "25";  // keycodes: the second and the first key of the upper row
  constexpr const char* a = "24";
  constexpr const char* w = "52";  // the first key of the lower row
  const auto with_control = [&](const char* keycode) {
    french.xdotool({"keydown", "ctrl", "key", keycode, "keyup", "ctrl"});
  };
  with_control(z);
  app.wait("the points", [&](const json& map) {
    return map.at("state").at("points") == before.at("state").at("points");
  });
  with_control(a);  // Q in the US
  app.key("F1");
  app.wait("the list", [](const json& map) { return map.at("controls").contains("help.close"); });
  CHECK(app.state().at("closing") == false);
  app.key("Escape");
  app.wait("the list gone",
           [](const json& map) { return !map.at("controls").contains("help.close"); });
  with_control(w);
  app.wait("the question", [](const json& map) { return map.at("state").at("closing") == true; });
}

TEST_CASE("the first window is twice as large on a screen of twice the resolution") {
  const TemporaryFolder folder;
  write_small_settings(folder, {{"width", nullptr}, {"height", nullptr}});
  const Screen fine;
  set_dots_per_inch(fine.display(), 192);
  App app(fine, folder, {}, RIDGEPOINT_MADE_UP_MACHINE);
  // As high as the screen is.
  CHECK(app.now().at("window") == json({2560, screen_height}));
}

TEST_CASE("an idle window draws no frame") {
  const TemporaryFolder folder;
  write_small_settings(folder);
  App app = made_up_window(folder);
  sweep(app);
  // The last frames after the last event come within a tenth of a second; then nothing may change
  // for a second.
  const auto settled = [&] {
    for (int tries = 0; tries < 20; ++tries) {
      if (app.stays_still(0.2)) return true;
    }
    return false;
  };
  REQUIRE(settled());
  CHECK(app.stays_still(1));
}
