// The dialogs that open, save and export.
#include "tests/files.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "engine/session_file.hpp"
#include "tests/window/kept_sessions.hpp"
#include "ui/limits.hpp"
#include "ui/settings.hpp"
#include "ui/ui_map.hpp"

namespace fs = std::filesystem;

namespace {

bool suggests(const ui::FileDialog& dialog, const std::string& name) {
  return std::any_of(dialog.suggestions.begin(), dialog.suggestions.end(),
                     [&](const ui::Suggestion& s) { return s.name == name; });
}

}  // namespace

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
  fake::save_as(state, folder.path / "a.json");
  CHECK_FALSE(state.dialog);
  CHECK(state.last_folder == folder.path.string() + "/");
  CHECK(engine::load_session(folder.path / "a.json").points.size() == 3);
  ui::show_open(state);
  CHECK(suggests(*state.dialog, "a.json"));
  fake::save_as(state, folder.path / "a.json");
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
  fake::save_as(state, folder.path / "a.json");
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

TEST_CASE("an export shows no point of the slider, predicted or measured") {
  ui::AppState state = fake::opened();
  fake::measure(state, {4, 8});
  engine::Point probe = fake::point(16);
  probe.probe = true;
  ui::apply(state, engine::PointMeasured{1, "cpu", probe});
  ui::SeriesCache series;
  const auto is_probe = [](const plot::Mark& mark) { return mark.kind == plot::Mark::Kind::probe; };
  CHECK(std::ranges::any_of(
      ui::figure_on_screen(ui::figure_inputs(state), ui::Panel::flops, series).marks, is_probe));
  for (const plot::Figure& figure : ui::page_on_screen(state, {}).figures)
    CHECK(std::ranges::none_of(figure.marks, is_probe));
}

TEST_CASE("what goes wrong stays in the dialog as one sentence") {
  const fake::Folder folder;
  ui::AppState state = fake::opened();
  ui::show_save(state);
  fake::save_as(state, folder.path / "empty.json");
  REQUIRE(state.dialog);
  CHECK(state.dialog->error.find("Space") != std::string::npos);
  CHECK_FALSE(fs::exists(folder.path / "empty.json"));
  fake::measure(state, {1});
  fake::save_as(state, folder.path / "missing/a.json");
  REQUIRE(state.dialog);
  CHECK(state.dialog->error.find("missing") != std::string::npos);
  ui::show_open(state);
  std::ofstream(folder.path / "bad.json") << "{";
  fake::save_as(state, folder.path / "bad.json");
  REQUIRE(state.dialog);
  CHECK(state.dialog->error.find("bad.json") != std::string::npos);
  CHECK(state.opened.empty());
  ui::show_export(state);
  fake::save_as(state, folder.path / "picture.gif");
  REQUIRE(state.dialog);
  CHECK(state.dialog->error.find(".png") != std::string::npos);
}

TEST_CASE("export writes the chosen panel in the chosen format") {
  const fake::Folder folder;
  ui::AppState state = fake::opened();
  fake::measure(state, {1, 8, 64, 512});
  for (const char* name : {"all.png", "all.svg", "all.pdf"}) {
    ui::show_export(state);
    fake::save_as(state, folder.path / name);
    CHECK_FALSE(state.dialog);
  }
  CHECK(tests::read_file(folder.path / "all.png").starts_with("\x89PNG"));
  CHECK(tests::read_file(folder.path / "all.svg").find("<svg") != std::string::npos);
  CHECK(tests::read_file(folder.path / "all.pdf").starts_with("%PDF"));
  ui::show_export(state);
  state.exporting.panel = ui::Panel::roofline;
  fake::save_as(state, folder.path / "one.svg");
  CHECK(tests::read_file(folder.path / "one.svg").size() <
        tests::read_file(folder.path / "all.svg").size());
}

TEST_CASE("what an export looks like is remembered for the next one") {
  const fake::Folder folder;
  ui::AppState state = fake::opened();
  fake::measure(state, {1, 8, 64, 512});
  ui::show_export(state);
  state.exporting.look.theme = plot::Theme::bw;
  state.exporting.look.preset = plot::preset_named("paper");
  fake::save_as(state, folder.path / "a.svg");
  ui::show_export(state);
  CHECK(state.dialog->format == plot::Format::svg);
  CHECK(state.dialog->path.ends_with(".svg"));
  fake::save_as(state, folder.path / "b.svg");
  CHECK(tests::read_file(folder.path / "a.svg") == tests::read_file(folder.path / "b.svg"));
  CHECK(tests::read_file(folder.path / "a.svg").find("width=\"237.6pt\"") != std::string::npos);
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
  CHECK(tests::read_file(folder.path / "a.csv")
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
  fake::save_as(state, folder.path / "a.png");
  ui::copy_picture(state);
  REQUIRE(state.commands.size() == 1);
  const auto* copy = std::get_if<ui::CopyPicture>(&state.commands.front());
  REQUIRE(copy != nullptr);
  CHECK(copy->png == tests::read_file(folder.path / "a.png"));
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

TEST_CASE("files that are dropped are opened, and each bad one says what is wrong with it") {
  const fake::Folder folder;
  ui::AppState state = fake::opened();
  engine::save_session(fake::measured({1, 2}), folder.path / "a.json");
  engine::save_session(fake::measured({4}), folder.path / "c.json");
  tests::write_text(folder.path / "b.json", "{");
  const auto path = [&](const char* name) { return (folder.path / name).string(); };
  ui::open_paths(state, {path("a.json"), path("b.json"), path("no.json"), folder.path.string(),
                         path("c.json")});
  REQUIRE(state.opened.size() == 2);
  CHECK(state.opened[1].name == "c.json");
  REQUIRE(state.notices.size() == 3);
  CHECK(state.notices[0].text.find("b.json") != std::string::npos);
  CHECK(state.notices[1].text.find("no.json") != std::string::npos);
}

TEST_CASE("sessions opened and saved are recent: ten, the newest first, none twice") {
  const fake::Folder folder;
  ui::AppState state = fake::opened();
  fake::measure(state, {1});
  for (int i = 0; i < 12; ++i) {
    ui::show_save(state);
    fake::save_as(state, folder.path / (std::to_string(i) + ".json"));
  }
  ui::open_paths(state, {(folder.path / "5.json").string()});
  REQUIRE(state.recent.size() == 10);
  CHECK(state.recent[0] == (folder.path / "5.json").string());
  CHECK(state.recent[1] == (folder.path / "11.json").string());
  CHECK(std::ranges::count(state.recent, state.recent[0]) == 1);
  fs::remove(folder.path / "11.json");
  ui::show_open(state);
  REQUIRE(state.dialog->recent.size() == 10);
  CHECK_FALSE(state.dialog->recent[1].there);
  ui::open_recent(state, 1);
  REQUIRE(state.dialog);
  CHECK(state.dialog->error.find("11.json") != std::string::npos);
  ui::open_recent(state, 2);
  CHECK_FALSE(state.dialog);
  CHECK(state.opened.back().name == "10.json");
  ui::Settings settings;
  settings.recent = state.recent;
  settings.ask_before_closing = false;
  const ui::Settings again = ui::settings_of(ui::settings_text(settings), "test");
  CHECK(again.recent == state.recent);
  CHECK_FALSE(again.ask_before_closing);
  settings.recent.resize(12, "more.json");
  CHECK(ui::settings_of(ui::settings_text(settings), "test").recent == state.recent);
}
