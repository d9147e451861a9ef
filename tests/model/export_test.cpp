// Pictures that the window writes and copies.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/session/session_file.hpp"
#include "tests/figures/sample_sessions.hpp"
#include "tests/files.hpp"
#include "tests/model/kept_sessions.hpp"
#include "ui/actions/events.hpp"
#include "ui/autosave/autosave.hpp"
#include "ui/model/settings.hpp"
#include "ui/screen/limits.hpp"

namespace fs = std::filesystem;

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

TEST_CASE(
    "a picture's name without an ending gets that of the format, and says so where it is taken") {
  const fake::Folder folder;
  ui::AppState state = fake::opened();
  fake::measure(state, {4, 8});
  ui::show_export(state);
  fake::save_as(state, folder.path / "slide");
  REQUIRE(state.dialogs.file);
  CHECK(state.dialogs.file->path == (folder.path / "slide.png").string());
  CHECK(state.dialogs.drawing);

  state.dialogs.drawing.reset();
  std::ofstream(folder.path / "taken.png") << "another picture";
  fake::save_as(state, folder.path / "taken");
  CHECK(state.dialogs.file->path == (folder.path / "taken.png").string());
  CHECK(state.dialogs.file->exists);
  CHECK_FALSE(state.dialogs.drawing);
  ui::confirm_dialog(state);
  CHECK(state.dialogs.drawing);
}

TEST_CASE("the next picture is offered a name that replaces none") {
  const fake::Folder folder;
  ui::AppState state = fake::opened();
  state.documents.last_folder = folder.path.string() + "/";
  ui::show_export(state);
  const std::string first = state.dialogs.file->path;
  CHECK(first.starts_with(state.documents.last_folder));
  std::ofstream(first) << "a picture";
  ui::show_export(state);
  CHECK(state.dialogs.file->path != first);
  CHECK_FALSE(state.dialogs.file->exists);
  CHECK(state.dialogs.file->path.ends_with("-2.png"));
}

TEST_CASE("an export has the limits of the screen, zoomed and panned, without the cursor") {
  ui::AppState state = fake::opened();
  fake::measure(state, {4, 8});
  ui::set_cursor(state, 4096, 1);
  state.look.view.cursor = ui::cursor_case(state);
  state.look.zoom.x["repeat"] = ui::Range{2, 300};
  state.look.zoom.y["runtime"] = ui::Range{1e-7, 1e-2};
  const plot::Page page = ui::page_on_screen(state, {});
  REQUIRE(page.figures.size() == 4);
  CHECK(page.caption.size() > 1);
  for (std::size_t i = 0; i < page.figures.size(); ++i) {
    const plot::Figure shown = ui::figure_on_screen(state, test::sweep_charts()[i]);
    const plot::Figure& exported = page.figures[i];
    CHECK(exported.title == shown.title);
    CHECK(exported.x.low == shown.x.low);
    CHECK(exported.x.high == shown.x.high);
    CHECK(exported.y.low == shown.y.low);
    CHECK(exported.y.high == shown.y.high);
  }
  CHECK(page.figures[2].x.low == 2);
  CHECK(page.figures[2].x.high == 300);
  CHECK(page.figures[1].y.low == 1e-7);
  // The roofline is not zoomed: it holds the whole sweep, as on screen, though two points are
  // there.
  CHECK(page.figures[0].x.high > 1024 / 4);
  const plot::Page one = ui::page_on_screen(state, "runtime");
  REQUIRE(one.figures.size() == 1);
  CHECK(one.figures[0].y.low == 1e-7);
}

TEST_CASE("an export shows no point of the slider, predicted or measured") {
  ui::AppState state = fake::opened();
  fake::measure(state, {4, 8});
  engine::Point probe = fake::point(16);
  probe.probe = true;
  ui::apply(state, engine::PointMeasured{1, "cpu", probe});
  const auto is_probe = [](const plot::Mark& mark) { return mark.kind == plot::Mark::Kind::probe; };
  CHECK(std::ranges::any_of(
      ui::overlay_of(ui::sessions_on_screen(state), test::chart("flops"), state.look.view).marks,
      is_probe));
  for (const plot::Figure& figure : ui::page_on_screen(state, {}).figures)
    CHECK(std::ranges::none_of(figure.marks, is_probe));
}

TEST_CASE("an export of a slider's point alone says why it is empty") {
  ui::AppState state = fake::opened();
  engine::Point probe = fake::point(16);
  probe.probe = true;
  ui::apply(state, engine::PointMeasured{1, "cpu", probe});
  for (const plot::Figure& figure : ui::page_on_screen(state, "flops").figures)
    CHECK_FALSE(figure.empty_text.empty());
}

TEST_CASE("export writes the chosen panel in the chosen format") {
  const fake::Folder folder;
  ui::AppState state = fake::opened();
  fake::measure(state, {1, 8, 64, 512});
  for (const char* name : {"all.png", "all.svg", "all.pdf"}) {
    ui::show_export(state);
    fake::export_as(state, folder.path / name);
    CHECK_FALSE(state.dialogs.file);
  }
  CHECK(tests::read_file(folder.path / "all.png").starts_with("\x89PNG"));
  CHECK(tests::read_file(folder.path / "all.svg").find("<svg") != std::string::npos);
  CHECK(tests::read_file(folder.path / "all.pdf").starts_with("%PDF"));
  ui::show_export(state);
  state.dialogs.exporting.chart = "roofline";
  fake::export_as(state, folder.path / "one.svg");
  CHECK(tests::read_file(folder.path / "one.svg").size() <
        tests::read_file(folder.path / "all.svg").size());
}

TEST_CASE("an export whose name ends in .html is a page with what the sessions say in words") {
  const fake::Folder folder;
  ui::AppState state = fake::opened();
  fake::measure(state, {1, 8, 64, 512});
  ui::show_export(state);
  ui::set_path(*state.dialogs.file, (folder.path / "page.html").string());
  CHECK(state.dialogs.file->format == plot::Format::html);
  ui::confirm_dialog(state);
  fake::make_pictures(state);
  CHECK_FALSE(state.dialogs.file);
  const std::string page = tests::read_file(folder.path / "page.html");
  CHECK(page.starts_with("<!DOCTYPE html>"));
  CHECK(page.find("default-src 'none'") != std::string::npos);
  CHECK(page.find("Repeat 1 to") != std::string::npos);  // of explain
  CHECK(page.find("Download page.csv") != std::string::npos);
  ui::show_export(state);
  CHECK(state.dialogs.file->path.ends_with(".html"));
}

TEST_CASE("an export's dialog stays until the picture is there, and shows what went wrong") {
  const fake::Folder folder;
  ui::AppState state = fake::opened();
  fake::measure(state, {1, 8});
  state.commands.clear();
  ui::show_export(state);
  ui::set_path(*state.dialogs.file, (folder.path / "missing/a.svg").string());
  ui::confirm_dialog(state);
  ui::confirm_dialog(state);  // Enter twice
  CHECK(state.commands.size() == 1);
  REQUIRE(state.dialogs.file);
  fake::make_pictures(state);
  REQUIRE(state.dialogs.file);
  CHECK(state.dialogs.file->error.find("missing") != std::string::npos);
  fake::export_as(state, folder.path / "a.svg");
  CHECK_FALSE(state.dialogs.file);
  CHECK_FALSE(state.dialogs.drawing);
  CHECK(state.documents.last_folder == folder.path.string() + "/");
}

TEST_CASE("closing an export's dialog gives its picture up and says so") {
  const fake::Folder folder;
  ui::AppState state = fake::opened();
  fake::measure(state, {1, 8});
  ui::show_export(state);
  ui::set_path(*state.dialogs.file, (folder.path / "a.svg").string());
  ui::confirm_dialog(state);
  const auto pictures = fake::take<ui::DrawPicture>(state);
  REQUIRE(pictures.size() == 1);
  ui::tick(state, 0);
  CHECK(fake::take<ui::CancelPicture>(state).empty());
  state.dialogs.file.reset();
  ui::tick(state, 0);
  const auto cancelled = fake::take<ui::CancelPicture>(state);
  REQUIRE(cancelled.size() == 1);
  CHECK(cancelled.front().number == pictures.front().number);
  ui::picture_done(state, ui::do_picture(pictures.front(), [] { return true; }));
  CHECK(state.notices.back().text == "Export of a.svg was cancelled.");
  CHECK_FALSE(fs::exists(folder.path / "a.svg"));
}

TEST_CASE("closing the window while a picture is made writes it all the same") {
  const fake::Folder folder;
  ui::AppState state = fake::opened();
  ui::run(state);
  fake::measure(state, {1, 8});
  ui::show_export(state);
  ui::set_path(*state.dialogs.file, (folder.path / "a.svg").string());
  ui::confirm_dialog(state);
  ui::close_window(state);
  REQUIRE(state.dialogs.closing);
  CHECK_FALSE(state.dialogs.file);
  ui::tick(state, 0);
  const bool given_up = std::ranges::any_of(state.commands, [](const ui::Command& command) {
    return std::holds_alternative<ui::CancelPicture>(command);
  });
  CHECK_FALSE(given_up);
  fake::make_pictures(state);
  CHECK(fs::exists(folder.path / "a.svg"));
  CHECK(state.notices.back().text.starts_with("Exported "));
}

TEST_CASE("what an export looks like is remembered for the next one") {
  const fake::Folder folder;
  ui::AppState state = fake::opened();
  fake::measure(state, {1, 8, 64, 512});
  ui::show_export(state);
  state.dialogs.exporting.look.theme = plot::Theme::bw;
  state.dialogs.exporting.look.preset = plot::preset_named("paper");
  fake::export_as(state, folder.path / "a.svg");
  ui::show_export(state);
  CHECK(state.dialogs.file->format == plot::Format::svg);
  CHECK(state.dialogs.file->path.ends_with(".svg"));
  fake::export_as(state, folder.path / "b.svg");
  CHECK(tests::read_file(folder.path / "a.svg") == tests::read_file(folder.path / "b.svg"));
  CHECK(tests::read_file(folder.path / "a.svg").find("width=\"237.6pt\"") != std::string::npos);
}

TEST_CASE("a picture has the title that was typed for it, what was measured, or none") {
  const fake::Folder folder;
  ui::AppState state = fake::opened();
  fake::measure(state, {1, 8, 64, 512});
  const auto picture = [&](const char* title) {
    ui::show_export(state);
    state.dialogs.file->title = title;
    fake::export_as(state, folder.path / "a.svg");
    std::string svg = tests::read_file(folder.path / "a.svg");
    std::filesystem::remove(folder.path / "a.svg");
    return svg;
  };
  const std::string usual = ui::page_on_screen(state, {}).title;
  REQUIRE_FALSE(usual.empty());
  CHECK(picture("").find(usual) != std::string::npos);
  const std::string own = picture("Why fuse?");
  CHECK(own.find("Why fuse?") != std::string::npos);
  CHECK(own.find(usual) == std::string::npos);
  // It was of that picture alone.
  CHECK(picture("").find("Why fuse?") == std::string::npos);
  state.dialogs.exporting.look.title = false;
  const std::string none = picture("Why fuse?");
  CHECK(none.find("Why fuse?") == std::string::npos);
  CHECK(none.find(usual) == std::string::npos);
}

TEST_CASE("an export with its table writes both and says so") {
  const fake::Folder folder;
  ui::AppState state = fake::opened();
  fake::measure(state, {1, 8, 64, 512});
  state.dialogs.exporting.data = true;
  ui::show_export(state);
  ui::set_path(*state.dialogs.file, (folder.path / "a.png").string());
  CHECK_FALSE(state.dialogs.file->data_exists);
  ui::confirm_dialog(state);
  fake::make_pictures(state);
  CHECK(tests::read_file(folder.path / "a.csv")
            .starts_with("panel,kind,name,x_axis,y_axis,x,y,y_low,y_high\r\n"));
  CHECK(state.notices.back().text.ends_with("a.csv"));
  ui::show_export(state);
  ui::set_path(*state.dialogs.file, (folder.path / "a.svg").string());
  CHECK(state.dialogs.file->data_exists);
  CHECK_FALSE(state.dialogs.file->exists);
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
  fake::export_as(state, folder.path / "a.png");
  ui::copy_picture(state);
  fake::make_pictures(state);
  REQUIRE(state.commands.size() == 1);
  const auto* copy = std::get_if<ui::CopyPicture>(&state.commands.front());
  REQUIRE(copy != nullptr);
  CHECK(copy->png == tests::read_file(folder.path / "a.png"));
}
