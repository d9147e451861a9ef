// Settings and the dialogs that open, save and export.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "engine/session_file.hpp"
#include "tests/window/fake_state.hpp"
#include "ui/limits.hpp"
#include "ui/settings.hpp"
#include "ui/ui_map.hpp"

namespace fs = std::filesystem;

namespace {

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void confirm_with(ui::AppState& state, const fs::path& path) {
  ui::set_path(*state.dialog, path.string());
  ui::confirm_dialog(state);
}

bool suggests(const ui::FileDialog& dialog, const std::string& name) {
  return std::any_of(dialog.suggestions.begin(), dialog.suggestions.end(),
                     [&](const ui::Suggestion& s) { return s.name == name; });
}

}  // namespace

TEST_CASE("settings come back as they were saved") {
  const fake::Folder folder;
  ui::Settings settings;
  settings.spec.device = "cuda:1";
  settings.spec.dtypes = {kernels::Dtype::fp64, kernels::Dtype::bf16};
  settings.spec.noise = 0.02;
  settings.spec.elements = 123456;
  settings.x = ui::XAxis::intensity;
  settings.cursor_repeat = 77;
  settings.width = 1111;
  settings.height = 777;
  settings.folder = "/some where/";
  settings.magnification = 1.5;
  settings.light = true;
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
  settings.x = ui::XAxis::intensity;
  CHECK(loaded.settings.cursor_repeat == 77);
  CHECK(loaded.settings.width == 1111);
  CHECK(loaded.settings.height == 777);
  CHECK(loaded.settings.folder == settings.folder);
  CHECK(loaded.settings.magnification == 1.5);
  CHECK(loaded.settings.light);
  CHECK_FALSE(loaded.settings.measure_on_start);
}

TEST_CASE("without a settings file the defaults hold: a sweep at the start, with both fusions") {
  const fake::Folder folder;
  const ui::LoadedSettings loaded = ui::load_settings(folder.path / "settings.json");
  CHECK(loaded.problem.empty());
  CHECK_FALSE(loaded.keep_file);
  CHECK(loaded.settings.measure_on_start);
  CHECK(loaded.settings.spec.fusion == engine::FusionChoice::both);
}

TEST_CASE("a broken settings file is set aside, with a sentence, and the defaults hold") {
  const fake::Folder folder;
  const fs::path path = folder.path / "settings.json";
  const std::string good = ui::settings_text({});
  std::string wrong_type = good;
  wrong_type.replace(wrong_type.find("\"width\": 1280"), 13, "\"width\": \"no\"");
  std::string bad_knob = good;
  bad_knob.replace(bad_knob.find("\"both\""), 6, "\"melt\"");
  for (const std::string& text :
       {std::string("{"), std::string(), std::string("[1, 2]"), std::string("\x00\xff\x80", 3),
        good.substr(0, good.size() / 2), wrong_type, bad_knob, std::string("{\"format\": 1}"),
        std::string(100000, '[')}) {
    CAPTURE(text.substr(0, 40));
    std::ofstream(path, std::ios::binary) << text;
    const ui::LoadedSettings loaded = ui::load_settings(path);
    CHECK(loaded.problem.find("settings.json.broken") != std::string::npos);
    CHECK_FALSE(loaded.keep_file);
    CHECK(loaded.settings.spec == ui::new_state().spec);
    CHECK_FALSE(fs::exists(path));
    CHECK(text_of(folder.path / "settings.json.broken") == text);
  }
}

TEST_CASE("a broken settings file that cannot be set aside is marked as one to keep") {
  const fake::Folder folder;
  const fs::path path = folder.path / "settings.json";
  std::ofstream(path) << "{";
  fs::create_directories(folder.path / "settings.json.broken/in the way");
  const ui::LoadedSettings loaded = ui::load_settings(path);
  CHECK(loaded.keep_file);
  CHECK(loaded.problem.find("stay as they are") != std::string::npos);
  CHECK(text_of(path) == "{");
}

TEST_CASE("absurd window sizes in the settings are brought within reason") {
  std::string text = ui::settings_text({});
  text.replace(text.find("1280"), 4, "2000000000");
  CHECK(ui::settings_of(text, "test").width <= 16384);
}

TEST_CASE("the dialog lists what fits in the folder, and takes it") {
  const fake::Folder folder;
  fs::create_directory(folder.path / "runs");
  for (const char* name : {"a.json", "ab.json", "b.json", "c.png", ".hidden.json"}) {
    std::ofstream(folder.path / name) << "x";
  }
  ui::FileDialog dialog = ui::new_dialog(ui::DialogKind::open, folder.path.string() + "/");
  CHECK(dialog.suggestions.size() == 4);
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
}

TEST_CASE("format and ending of an exported picture follow each other") {
  ui::FileDialog dialog = ui::new_dialog(ui::DialogKind::export_picture, "/tmp/x.y/roof.png");
  ui::set_format(dialog, plot::Format::svg);
  CHECK(dialog.path == "/tmp/x.y/roof.svg");
  ui::set_path(dialog, "/tmp/x.y/roof.pdf");
  CHECK(dialog.format == plot::Format::pdf);
  ui::set_path(dialog, "/tmp/x.y/roof");
  ui::set_format(dialog, plot::Format::png);
  CHECK(dialog.path == "/tmp/x.y/roof.png");
}

TEST_CASE("saving writes a session that opens as an overlay, and remembers the folder") {
  const fake::Folder folder;
  ui::AppState state = fake::opened();
  fake::measure(state, {1, 2, 4});
  ui::show_save(state);
  confirm_with(state, folder.path / "a.json");
  CHECK_FALSE(state.dialog);
  CHECK(state.last_folder == folder.path.string() + "/");
  CHECK(engine::load_session(folder.path / "a.json").points.size() == 3);
  ui::show_open(state);
  CHECK(suggests(*state.dialog, "a.json"));
  confirm_with(state, folder.path / "a.json");
  CHECK_FALSE(state.dialog);
  CHECK(state.opened.at(0).session->points.size() == 3);
}

TEST_CASE("save never writes an opened file's session under this device's name") {
  const fake::Folder folder;
  ui::AppState state = fake::opened();
  fake::measure(state, {1, 2});
  state.opened.push_back({"other.json", *ui::current_session(state)});
  ui::clear(state);
  state.opened.push_back({"other.json", engine::Session{}});
  state.opened.back().session.edit().points = {fake::point(4)};
  ui::show_save(state);
  confirm_with(state, folder.path / "a.json");
  REQUIRE(state.dialog);
  CHECK(state.dialog->error.find("nothing to save yet") != std::string::npos);
  CHECK_FALSE(fs::exists(folder.path / "a.json"));
}

TEST_CASE("an export has the limits of the screen, zoomed and panned, without the cursor") {
  ui::AppState state = fake::opened();
  fake::measure(state, {4, 8});
  ui::set_cursor(state, 4096, 1);
  state.view.cursor = ui::cursor_case(state);
  state.zoom.x_of(ui::Panel::flops) = ui::Range{2, 300};
  state.zoom.y[ui::index_of(ui::Panel::runtime)] = ui::Range{1e-7, 1e-2};
  const plot::Page page = ui::page_on_screen(state, {});
  REQUIRE(page.figures.size() == 4);
  CHECK(page.caption.size() > 1);
  for (std::size_t i = 0; i < page.figures.size(); ++i) {
    ui::SeriesCache series;
    const plot::Figure shown =
        ui::figure_on_screen(ui::figure_inputs(state), ui::sweep_panels[i], series);
    const plot::Figure& exported = page.figures[i];
    CHECK(exported.title == shown.title);
    CHECK(exported.x.low == shown.x.low);
    CHECK(exported.x.high == shown.x.high);
    CHECK(exported.y.low == shown.y.low);
    CHECK(exported.y.high == shown.y.high);
    CHECK(shown.cursor);
    CHECK_FALSE(exported.cursor);
    for (const plot::Mark& mark : exported.marks) {
      CHECK(mark.kind != plot::Mark::Kind::predicted);
    }
  }
  CHECK(page.figures[2].x.low == 2);
  CHECK(page.figures[2].x.high == 300);
  CHECK(page.figures[1].y.low == 1e-7);
  // The roofline is not zoomed: it holds the whole sweep, as on screen, though two points are
  // there.
  CHECK(page.figures[0].x.high > 1024 / 4);
  const plot::Page one = ui::page_on_screen(state, ui::Panel::runtime);
  REQUIRE(one.figures.size() == 1);
  CHECK(one.figures[0].y.low == 1e-7);
}

TEST_CASE("what goes wrong stays in the dialog as one sentence") {
  const fake::Folder folder;
  ui::AppState state = fake::opened();
  ui::show_save(state);
  confirm_with(state, folder.path / "empty.json");
  REQUIRE(state.dialog);
  CHECK(state.dialog->error.find("Space") != std::string::npos);
  CHECK_FALSE(fs::exists(folder.path / "empty.json"));
  fake::measure(state, {1});
  confirm_with(state, folder.path / "missing/a.json");
  REQUIRE(state.dialog);
  CHECK(state.dialog->error.find("missing") != std::string::npos);
  ui::show_open(state);
  std::ofstream(folder.path / "bad.json") << "{";
  confirm_with(state, folder.path / "bad.json");
  REQUIRE(state.dialog);
  CHECK(state.dialog->error.find("bad.json") != std::string::npos);
  CHECK(state.opened.empty());
  ui::show_export(state);
  confirm_with(state, folder.path / "picture.gif");
  REQUIRE(state.dialog);
  CHECK(state.dialog->error.find(".png") != std::string::npos);
}

TEST_CASE("export writes the chosen panel in the chosen format") {
  const fake::Folder folder;
  ui::AppState state = fake::opened();
  fake::measure(state, {1, 8, 64, 512});
  for (const char* name : {"all.png", "all.svg", "all.pdf"}) {
    ui::show_export(state);
    confirm_with(state, folder.path / name);
    CHECK_FALSE(state.dialog);
  }
  CHECK(text_of(folder.path / "all.png").starts_with("\x89PNG"));
  CHECK(text_of(folder.path / "all.svg").find("<svg") != std::string::npos);
  CHECK(text_of(folder.path / "all.pdf").starts_with("%PDF"));
  ui::show_export(state);
  state.exporting.panel = ui::Panel::roofline;
  confirm_with(state, folder.path / "one.svg");
  CHECK(text_of(folder.path / "one.svg").size() < text_of(folder.path / "all.svg").size());
}

TEST_CASE("what an export looks like is remembered for the next one") {
  const fake::Folder folder;
  ui::AppState state = fake::opened();
  fake::measure(state, {1, 8, 64, 512});
  ui::show_export(state);
  state.exporting.look.theme = plot::Theme::bw;
  state.exporting.look.preset = plot::preset_named("paper");
  confirm_with(state, folder.path / "a.svg");
  ui::show_export(state);
  CHECK(state.dialog->format == plot::Format::svg);
  CHECK(state.dialog->path.ends_with(".svg"));
  confirm_with(state, folder.path / "b.svg");
  CHECK(text_of(folder.path / "a.svg") == text_of(folder.path / "b.svg"));
  CHECK(text_of(folder.path / "a.svg").find("width=\"237.6pt\"") != std::string::npos);
}

TEST_CASE("an export with its table writes both and says so") {
  const fake::Folder folder;
  ui::AppState state = fake::opened();
  fake::measure(state, {1, 8, 64, 512});
  state.exporting.data = true;
  ui::show_export(state);
  ui::set_path(*state.dialog, (folder.path / "a.png").string());
  CHECK_FALSE(state.dialog->data_exists);
  ui::confirm_dialog(state);
  CHECK(text_of(folder.path / "a.csv")
            .starts_with("panel,kind,name,x_axis,y_axis,x,y,y_low,y_high\r\n"));
  CHECK(state.notices.back().text.ends_with("a.csv"));
  ui::show_export(state);
  ui::set_path(*state.dialog, (folder.path / "a.svg").string());
  CHECK(state.dialog->data_exists);
  CHECK_FALSE(state.dialog->exists);
}

TEST_CASE("a copy is the picture that an export would write as PNG") {
  const fake::Folder folder;
  ui::AppState empty = ui::new_state();
  ui::copy_picture(empty);
  REQUIRE_FALSE(empty.notices.empty());
  CHECK(empty.notices.back().text.find("nothing to export yet") != std::string::npos);
  ui::AppState state = fake::opened();
  fake::measure(state, {1, 8, 64, 512});
  state.commands.clear();
  ui::show_export(state);
  confirm_with(state, folder.path / "a.png");
  ui::copy_picture(state);
  REQUIRE(state.commands.size() == 1);
  const auto* copy = std::get_if<ui::CopyPicture>(&state.commands.front());
  REQUIRE(copy != nullptr);
  CHECK(copy->png == text_of(folder.path / "a.png"));
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
