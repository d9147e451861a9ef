// Settings: what a start finds and what it leaves.
#include "ui/model/settings.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/session/session_file.hpp"
#include "tests/files.hpp"
#include "tests/model/fake_state.hpp"

namespace fs = std::filesystem;

TEST_CASE("settings come back as they were saved") {
  const fake::Folder folder;
  ui::Settings settings;
  settings.spec.device = "cuda:1";
  settings.spec.dtypes = {kernels::Dtype::fp64, kernels::Dtype::bf16};
  settings.spec.types_chosen = true;
  settings.spec.noise = 0.02;
  settings.spec.elements = 123456;
  settings.x = ui::XAxis::intensity;
  settings.cursor_repeat = 77;
  settings.width = 1111;
  settings.height = 777;
  settings.folder = "/some where/";
  settings.magnification = 1.5;
  settings.light = true;
  settings.follow_desktop = false;
  settings.measure_on_start = false;
  const fs::path path = folder.path / "new/deep/settings.json";
  ui::save_settings(settings, path);
  const ui::LoadedSettings loaded = ui::load_settings(path);
  CHECK(loaded.problem.empty());
  CHECK(loaded.settings.spec == settings.spec);
  CHECK(loaded.settings.x == settings.x);
  for (const ui::XAxis axis : {ui::XAxis::repeat, ui::XAxis::both}) {
    settings.x = axis;
    CHECK(ui::settings_of(ui::settings_text(settings), "test").x == axis);
  }
  CHECK(loaded.settings.cursor_repeat == 77);
  CHECK(loaded.settings.width == 1111);
  CHECK(loaded.settings.height == 777);
  CHECK(loaded.settings.folder == settings.folder);
  CHECK(loaded.settings.magnification == 1.5);
  CHECK(loaded.settings.light);
  CHECK_FALSE(loaded.settings.follow_desktop);
  CHECK_FALSE(loaded.settings.measure_on_start);
}

TEST_CASE("the title of presentations and the look of exports come back as they were left") {
  ui::Settings settings;
  settings.title = "Why fuse?";
  settings.exporting.format = plot::Format::pdf;
  settings.exporting.data = true;
  plot::PictureSpec& look = settings.exporting.look;
  look.preset = plot::preset_named("paper");
  look.size = plot::PictureSize{300, 200};
  look.scale = 3;
  look.theme = plot::Theme::bw;
  look.transparent = true;
  look.title = look.caption = false;
  const ui::Settings read = ui::settings_of(ui::settings_text(settings), "test");
  CHECK(read.title == "Why fuse?");
  CHECK(read.exporting.format == plot::Format::pdf);
  CHECK(read.exporting.data);
  CHECK(read.exporting.look == look);
  CHECK(ui::settings_of("{}", "test").exporting.look == plot::PictureSpec());
}

TEST_CASE("what settings say of exports and titles is not trusted") {
  const ui::Settings read = ui::settings_of(
      R"({"title": "a\u001b[2J", "export": {"format": "exe", "preset": "none", "theme": "pink",
          "width": 1e300, "height": -1, "scale": 1e300}})",
      "test");
  CHECK(read.title == "a\\x1b[2J");
  const plot::PictureSpec usual;
  CHECK(read.exporting.format == plot::Format::png);
  CHECK(read.exporting.look.preset == usual.preset);
  CHECK(read.exporting.look.theme == usual.theme);
  REQUIRE(read.exporting.look.size);
  CHECK(read.exporting.look.size->width == ui::largest_side);
  CHECK(read.exporting.look.size->height == usual.preset->least_side());
  CHECK(read.exporting.look.scale == 4);
  CHECK_THROWS_AS(ui::settings_of(R"({"export": {"caption": 7}})", "test"), engine::BadInput);
}

TEST_CASE("types that nobody chose are not kept: each lab has its own again") {
  ui::Settings settings;
  CHECK_FALSE(ui::settings_of(ui::settings_text(settings), "test").spec.types_chosen);
  settings.spec.types_chosen = true;
  const engine::Spec kept = ui::settings_of(ui::settings_text(settings), "test").spec;
  CHECK(kept.types_chosen);
  CHECK(kept == settings.spec);
}

TEST_CASE("without a settings file the defaults hold: a sweep at the start, with both fusions") {
  const fake::Folder folder;
  const ui::LoadedSettings loaded = ui::load_settings(folder.path / "settings.json");
  CHECK(loaded.problem.empty());
  CHECK_FALSE(loaded.keep_file);
  CHECK(loaded.settings.measure_on_start);
  CHECK(loaded.settings.spec.fusion == engine::FusionChoice::both);
}

TEST_CASE(
    "a settings file may name one setting alone, and settings that this version does not know") {
  const fake::Folder folder;
  const fs::path path = folder.path / "settings.json";
  tests::write_text(path, "{\"measure_on_start\": false, \"colour of the door\": \"green\"}");
  const ui::LoadedSettings loaded = ui::load_settings(path);
  CHECK(loaded.problem == "");
  CHECK_FALSE(loaded.settings.measure_on_start);
  ui::Settings expected;
  expected.measure_on_start = false;
  expected.tour = false;
  CHECK(ui::settings_text(loaded.settings) == ui::settings_text(expected));
  ui::save_settings(loaded.settings, path);
  const auto saved = nlohmann::json::parse(tests::read_file(path));
  CHECK(saved.at("colour of the door") == "green");
  CHECK(saved.at("measure_on_start") == false);
  CHECK(saved.at("format") == "ridgepoint-settings");
}

TEST_CASE("what is wrong with a settings file is said in words") {
  const auto problem = [](const std::string& text) {
    try {
      ui::settings_of(text, "settings.json");
    } catch (const engine::BadInput& reason) {
      return std::string(reason.what());
    }
    return std::string();
  };
  CHECK(problem("{\n\"width\": 1280,\n}\n") == "settings.json: line 3 is not JSON");
  CHECK(problem("[]") == "settings.json: it is no JSON object");
  CHECK(problem("{\"width\": \"wide\"}") == "settings.json: \"width\" cannot be \"wide\"");
}

TEST_CASE("a broken settings file is set aside, with a sentence, and the defaults hold") {
  const fake::Folder folder;
  const fs::path path = folder.path / "settings.json";
  ui::Settings settings;
  settings.width = 1280;
  const std::string good = ui::settings_text(settings);
  std::string wrong_type = good;
  wrong_type.replace(wrong_type.find("\"width\": 1280"), 13, "\"width\": \"no\"");
  std::string bad_knob = good;
  bad_knob.replace(bad_knob.find("\"both\""), 6, "\"melt\"");
  for (const std::string& text :
       {std::string("{"), std::string(), std::string("[1, 2]"), std::string("\x00\xff\x80", 3),
        good.substr(0, good.size() / 2), wrong_type, bad_knob, std::string("{\"format\": 1}"),
        std::string("{\"version\": 2}"), std::string("{\"measure_on_start\": \"no\"}"),
        std::string(100000, '['), std::string("{\"magnification\": 1e999}"),
        "{\"spec\": " + std::string(100000, '[') + std::string(100000, ']') + "}"}) {
    CAPTURE(text.substr(0, 40));
    tests::write_text(path, text);
    const ui::LoadedSettings loaded = ui::load_settings(path);
    CHECK(loaded.problem.find("settings.json.broken") != std::string::npos);
    CHECK(loaded.problem.find("json.exception") == std::string::npos);
    CHECK_FALSE(loaded.keep_file);
    CHECK_FALSE(loaded.may_measure);
    CHECK(loaded.settings.spec == ui::new_state().spec);
    CHECK_FALSE(fs::exists(path));
    CHECK(tests::read_file(folder.path / "settings.json.broken") == text);
  }
}

TEST_CASE("a broken settings file that cannot be set aside is marked as one to keep") {
  const fake::Folder folder;
  const fs::path path = folder.path / "settings.json";
  tests::write_text(path, "{");
  fs::create_directories(folder.path / "settings.json.broken/in the way");
  const ui::LoadedSettings loaded = ui::load_settings(path);
  CHECK(loaded.keep_file);
  CHECK(loaded.problem.find("stays unchanged") != std::string::npos);
  CHECK(tests::read_file(path) == "{");
}

TEST_CASE("settings that the system does not give are left alone, and nothing runs on its own") {
  const fake::Folder folder;
  const fs::path path = folder.path / "settings.json";
  SUBCASE("a folder") { fs::create_directories(path); }
  SUBCASE("a pipe, which nobody writes") { REQUIRE(mkfifo(path.c_str(), 0600) == 0); }
  const ui::LoadedSettings loaded = ui::load_settings(path);
  CHECK(loaded.keep_file);
  CHECK_FALSE(loaded.may_measure);
  CHECK(loaded.problem == "The settings cannot be read; the file stays unchanged: " +
                              path.string() + ": it is no regular file");
  CHECK(fs::exists(path));
}

TEST_CASE("absurd window sizes in the settings are brought within reason") {
  ui::Settings settings;
  settings.width = 1280;
  std::string text = ui::settings_text(settings);
  text.replace(text.find("1280"), 4, "2000000000");
  CHECK(ui::settings_of(text, "test").width <= 16384);
  for (const char* width : {"1e300", "-1e300", "-5"}) {
    const std::string bad = std::string("{\"width\": ") + width + ", \"cursor\": " + width + "}";
    CHECK(ui::settings_of(bad, "test").width >= 320);
    CHECK(ui::settings_of(bad, "test").cursor_repeat >= 1);
  }
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

TEST_CASE("settings that name a lab of another version keep all else") {
  ui::Settings settings;
  settings.width = 1500;
  std::string text = ui::settings_text(settings);
  const std::string lab = "\"lab\": \"intensity\"";
  REQUIRE(text.find(lab) != std::string::npos);
  text.replace(text.find(lab), lab.size(), "\"lab\": \"gone\"");
  const ui::Settings read = ui::settings_of(text, "settings");
  CHECK(read.width == 1500);
  CHECK(read.spec.lab == "intensity");
}
