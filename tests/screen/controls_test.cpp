// Controls under a user's hands: tooltips, the filter's cross, what a dialog says.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>

#include "engine/roofs/roofs.hpp"
#include "kernels/kept/kept_source.hpp"
#include "kernels/kept/own_folder.hpp"
#include "tests/model/fake_state.hpp"
#include "tests/screen/monkey_screen.hpp"
#include "ui/actions/actions.hpp"
#include "ui/actions/events.hpp"
#include "ui/actions/intents.hpp"
#include "ui/model/availability.hpp"
#include "ui/screen/inspection.hpp"
#include "ui/widgets/widgets.hpp"

namespace {

struct Desk {
  ui::AppState state = fake::opened();
  monkey::Screen screen;
  double now = 1;

  Desk() { frame(2); }

  void frame(int count = 1) {
    for (int i = 0; i < count; ++i) screen.frame(state, now);
  }
  void point_at(const std::string& control, float off = 0) {
    const plot::Rect& at = screen.map().controls.at(control).rect;
    screen.move({static_cast<float>(at.x + at.w / 2) + off, static_cast<float>(at.y + at.h / 2)});
    frame();
  }
  void click(const std::string& control) {
    point_at(control);
    for (const bool down : {true, false}) {
      screen.hold_button(down);
      frame();
    }
  }
  /// Time passes, and the frame after it is drawn.
  void wait(double seconds) {
    now += seconds;
    ui::tick(state, now);
    frame(2);  // the first one of a tooltip only measures it
  }
  bool shows_tip() const {
    return state.look.tip && state.look.tip->shown && !state.look.tip->spent;
  }
  static int windows() { return ImGui::GetDrawData()->CmdListsCount; }
};

}  // namespace

TEST_CASE("a tooltip comes once the pointer rests on a control, and goes with it") {
  Desk desk;
  const int before = Desk::windows();
  desk.point_at("export");
  desk.wait(0.3);
  CHECK(Desk::windows() == before);
  desk.point_at("export", 1);  // not yet at rest
  desk.wait(0.3);
  CHECK(Desk::windows() == before);
  desk.wait(0.2);
  CHECK(desk.shows_tip());
  CHECK(Desk::windows() == before + 1);
  desk.screen.move({2, 2});
  desk.frame();
  CHECK_FALSE(desk.state.look.tip);
  CHECK(Desk::windows() == before);
  desk.point_at("export");
  CHECK(Desk::windows() == before);
}

TEST_CASE("a control that was clicked is not explained, one that cannot be clicked is at once") {
  Desk desk;
  const int before = Desk::windows();
  desk.click("dtype.fp64");
  desk.wait(1);
  CHECK_FALSE(desk.shows_tip());
  CHECK(Desk::windows() == before);
  ui::set_family(desk.state, kernels::Family::tile, desk.now);  // has an op of its own
  desk.frame(2);
  REQUIRE_FALSE(desk.screen.map().controls.at("op.add").enabled);
  desk.point_at("op.add");
  desk.screen.hold_button(true);
  desk.frame(2);
  CHECK(desk.shows_tip());
  CHECK(Desk::windows() == before + 1);
}

TEST_CASE("the source of a generated kernel can be read and copied") {
  const fake::Folder folder;
  setenv("XDG_CACHE_HOME", folder.path.c_str(), 1);
  const std::filesystem::path cache = kernels::own_folder(kernels::cache_folder()).path;
  const std::filesystem::path file = kernels::source_file(cache, "key", ".cpp");
  std::string source = "// A chain.\n";
  for (int i = 0; i < 200; ++i) source += "int one_" + std::to_string(i) + "() { return 1; }\n";
  kernels::write_source(file, source);
  Desk desk;
  engine::Point point = fake::point(2);
  ui::apply(desk.state, engine::PointMeasured{1, "cpu", point});
  point.id = 2;
  point.what.repeat = 4;
  point.note = "AVX2; " + kernels::source_note("g++ 12", file);
  ui::apply(desk.state, engine::PointMeasured{1, "cpu", point});
  const auto shows = [&](const char* control) {
    return desk.screen.map().controls.contains(control);
  };
  ui::inspect(desk.state, {0, 0});  // of no generated kernel
  desk.frame(3);
  CHECK(shows("inspector.command"));
  CHECK_FALSE(shows("inspector.page.Source"));
  ui::inspect(desk.state, {0, 1});
  const auto& facts = desk.state.look.inspected->facts;
  const auto kernel = std::ranges::find(facts, "Kernel", &ui::Reading::label);
  REQUIRE(kernel != facts.end());
  CHECK(kernel->value == "AVX2; generated and compiled by g++ 12");
  desk.frame(3);
  desk.click("inspector.page.Source");
  desk.frame(3);
  REQUIRE(shows("inspector.source"));
  CHECK_FALSE(shows("inspector.command"));
  CHECK(desk.screen.map().controls.at("inspector.source").value == source);
  const plot::Rect box = desk.screen.map().controls.at("inspector.source").rect;
  const plot::Rect copy = desk.screen.map().controls.at("inspector.copy_source").rect;
  CHECK(box.h > 100);
  CHECK(copy.y >= box.bottom());
  CHECK(copy.bottom() < static_cast<double>(desk.screen.size().y));
  std::filesystem::remove(file);  // it was read once
  desk.click("inspector.copy_source");
  CHECK(ImGui::GetClipboardText() == source);
  desk.click("inspector.page.Facts");
  desk.frame(3);
  CHECK(shows("inspector.command"));
  ui::inspect(desk.state, {0, 1});
  desk.state.look.inspected->shows_source = true;
  desk.frame(3);
  CHECK_FALSE(shows("inspector.source"));
  CHECK_FALSE(shows("inspector.copy_source"));
  CHECK(desk.state.look.inspected->kernel_source.why_not.starts_with("The source is not here"));
  unsetenv("XDG_CACHE_HOME");
}

TEST_CASE("the cross beside the filter shows all rows again") {
  Desk desk;
  fake::measure(desk.state, {1, 2});
  desk.state.look.below = ui::Below::results;
  desk.state.look.results.filter = "no such word";
  desk.frame(2);
  CHECK_FALSE(desk.screen.map().controls.contains("result.0"));
  desk.click("results.unfilter");
  CHECK(desk.state.look.results.filter.empty());
  desk.frame();
  CHECK(desk.screen.map().controls.contains("result.0"));
  CHECK_FALSE(desk.screen.map().controls.contains("results.unfilter"));
}

TEST_CASE("in a narrow window the device that is compared with can be taken away") {
  Desk desk;
  fake::measure(desk.state, {1, 2});
  desk.state.documents.opened.push_back(
      {"other.json", desk.state.documents.sessions.at("cpu"), ""});
  desk.screen.resize(1024, 640);
  desk.frame();
  CHECK_FALSE(desk.screen.map().controls.contains("what_if"));
  CHECK(desk.screen.map().controls.contains("x.ops"));
  desk.state.look.view.what_if = engine::Session();
  desk.frame();
  REQUIRE(desk.screen.map().controls.contains("what_if"));
  const plot::Rect menu = desk.screen.map().controls.at("what_if").rect;
  CHECK(menu.w >= 70);
  CHECK(menu.right() <= 1024);
  CHECK_FALSE(desk.screen.map().controls.contains("x.ops"));
}

TEST_CASE("Escape closes a list, and nothing else with it") {
  Desk desk;
  desk.state.dialogs.log = true;
  desk.click("device");
  desk.frame();
  const auto list_open = [] { return ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup); };
  REQUIRE(list_open());
  desk.screen.press({ui::Key::escape});
  desk.frame(2);
  CHECK_FALSE(list_open());
  CHECK(desk.state.dialogs.log);
  desk.screen.press({ui::Key::escape});
  desk.frame();
  CHECK_FALSE(desk.state.dialogs.log);
}

TEST_CASE("the first key after the palette has closed is not lost") {
  Desk desk;
  ui::show_palette(desk.state);
  desk.frame(3);
  desk.screen.press({ui::Key::escape});
  desk.frame();
  REQUIRE_FALSE(desk.state.dialogs.palette);
  desk.screen.press({ui::Key::f1});
  desk.frame();
  CHECK(desk.state.dialogs.help);
}

TEST_CASE("the export says into which folder it goes, whether a file is there or not") {
  Desk desk;
  fake::measure(desk.state, {1, 2});
  for (const char* path : {"/no such folder/deep/er/picture.png", "/etc/hostname", "/x.png"}) {
    CAPTURE(path);
    ui::show_export(desk.state);
    ui::set_path(*desk.state.dialogs.file, path);
    desk.frame(3);
    const std::string said = desk.screen.map().controls.at("dialog.folder").value;
    const std::string whole = path;
    const std::string folder = whole.substr(0, std::max<std::size_t>(whole.rfind('/'), 1));
    CHECK(said == "Folder: " + folder);
    desk.state.dialogs.file.reset();
    desk.frame(2);
  }
}

TEST_CASE("what has no effect on a page of HTML cannot be chosen for one") {
  Desk desk;
  fake::measure(desk.state, {1, 2});
  ui::show_export(desk.state);
  desk.frame(3);
  const auto enabled = [&](const char* control) {
    return desk.screen.map().controls.at(control).enabled;
  };
  constexpr std::array useless{"export.preset.slide", "export.width", "export.height",
                               "export.theme.black/white", "export.with.transparent"};
  for (const char* control : useless) CHECK_MESSAGE(enabled(control), control);
  desk.click("export.format.HTML");
  desk.frame(2);
  CHECK(desk.state.dialogs.file->path.ends_with(".html"));
  for (const char* control : useless) CHECK_MESSAGE(!enabled(control), control);
  for (const char* control : {"export.theme.dark", "export.with.caption", "export.format.PNG"})
    CHECK_MESSAGE(enabled(control), control);
}

TEST_CASE("after a file could not be opened the dialog takes the next name and Enter") {
  Desk desk;
  ui::show_open(desk.state);
  desk.frame(3);
  const auto type = [&](std::string_view text) {
    for (const char letter : text) desk.screen.type(static_cast<unsigned char>(letter));
    desk.frame(2);
    desk.screen.press({ui::Key::enter});
    desk.frame(3);
  };
  type("/no such file.json");
  REQUIRE(desk.state.dialogs.file);
  const std::string first = desk.state.dialogs.file->error;
  CHECK(first.find("no such file.json") != std::string::npos);
  type("/another one.json");
  REQUIRE(desk.state.dialogs.file);
  CHECK(desk.state.dialogs.file->path == "/another one.json");
  CHECK(desk.state.dialogs.file->error.find("another one.json") != std::string::npos);
}

TEST_CASE("element types stand in rows, however many there are") {
  CHECK(ui::in_rows(9, 4) == std::vector<std::size_t>{3, 3, 3});
  CHECK(ui::in_rows(8, 4) == std::vector<std::size_t>{4, 4});
  CHECK(ui::in_rows(5, 4) == std::vector<std::size_t>{3, 2});
  CHECK(ui::in_rows(3, 4) == std::vector<std::size_t>{3});
  CHECK(ui::in_rows(0, 4).empty());
}

TEST_CASE("Tab goes through the controls, and keys then speak to the one that it chose") {
  Desk desk;
  const auto press = [&](ui::KeyPress key) {
    desk.screen.press(key);
    desk.frame(2);
  };
  const auto focus = [&] { return desk.state.look.keys.control; };
  const auto reach = [&](const std::string& control) {
    for (std::size_t i = 0; i < desk.screen.map().focusable.size() && focus() != control; ++i)
      press({ui::Key::tab});
    REQUIRE(focus() == control);
  };
  press({ui::Key::tab});
  const std::string first = focus();
  CHECK_FALSE(first.empty());
  press({ui::Key::tab});
  CHECK(focus() != first);
  press({.key = ui::Key::tab, .shift = true});
  CHECK(focus() == first);

  reach("fusion.unfused");
  press({ui::Key::enter});
  CHECK(desk.state.spec.fusion == engine::FusionChoice::unfused);

  const std::uint64_t elements = ui::cursor_case(desk.state)->elements;
  const std::uint64_t repeat = desk.state.cursor_repeat;
  reach("elements");
  press({ui::Key::left});
  CHECK(desk.state.spec.elements < elements);
  CHECK(desk.state.spec.elements > 0);
  CHECK(desk.state.cursor_repeat == repeat);

  press({ui::Key::escape});
  CHECK(focus().empty());
  press({ui::Key::left});
  CHECK(desk.state.cursor_repeat < repeat);  // the window's own keys again

  reach("fusion.fused");
  desk.click("dtype.fp64");
  CHECK(focus().empty());
}

TEST_CASE("labs and lists are chosen with the keys alone, and Escape leaves a list as it was") {
  Desk desk;
  desk.state.documents.sheets = engine::datasheet_devices();
  const auto press = [&](ui::Key key) {
    desk.screen.press({key});
    desk.frame(3);
  };
  const auto reach = [&](const std::string& control) {
    for (int i = 0; i < 200 && desk.state.look.keys.control != control; ++i) press(ui::Key::tab);
    REQUIRE(desk.state.look.keys.control == control);
  };
  const auto has = [&](const char* name) { return desk.screen.map().controls.contains(name); };
  reach("what_if");
  press(ui::Key::enter);
  REQUIRE(has("what_if.none"));
  press(ui::Key::down);
  press(ui::Key::down);
  CHECK(desk.state.look.keys.control.starts_with("what_if."));
  press(ui::Key::enter);
  CHECK_FALSE(has("what_if.none"));
  CHECK(desk.state.look.view.what_if);
  CHECK(desk.state.look.keys.control == "what_if");

  press(ui::Key::enter);
  REQUIRE(has("what_if.none"));
  press(ui::Key::escape);
  CHECK_FALSE(has("what_if.none"));
  CHECK(desk.state.look.view.what_if);
  CHECK(desk.state.look.keys.control == "what_if");

  reach("lab.roofs");
  press(ui::Key::enter);
  CHECK(ui::lab_on_screen(desk.state).name == "roofs");
}

TEST_CASE("what few people set is folded away, with what this device lacks") {
  Desk desk;
  const auto has = [&](const char* name) { return desk.screen.map().controls.contains(name); };
  CHECK_FALSE(has("noise"));
  CHECK_FALSE(has("data.random"));
  desk.click("advanced");
  desk.frame(2);
  CHECK(desk.state.look.division.advanced_open);
  CHECK(has("noise"));
  CHECK(has("max-time"));
  CHECK(has("data.random"));
  const engine::Place& device = *ui::current_device(desk.state);
  for (const kernels::DtypeInfo& info : kernels::dtypes) {
    CAPTURE(info.name);
    CHECK(has(fmt::format("dtype.{}", info.name).c_str()) ==
          ui::why_never(device, info.dtype).empty());
  }
  CHECK(has("lacks") == !ui::lacks_of(device).empty());
}
