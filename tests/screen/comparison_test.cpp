// The comparison under a user's hands.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "engine/session/session_file.hpp"
#include "tests/model/fake_state.hpp"
#include "tests/screen/monkey_screen.hpp"
#include "tests/text.hpp"
#include "ui/actions/intents.hpp"

namespace {

struct ComparedDesk {
  ui::AppState state = fake::opened();
  monkey::Screen screen;

  ComparedDesk() {
    for (const char* name : {"h100.json", "h200.json"})
      state.documents.opened.push_back(
          {name, engine::load_session(std::string("../../assets/recordings/") + name)});
    frame(2);
  }
  void frame(int count = 1) {
    for (int i = 0; i < count; ++i) screen.frame(state, 1);
  }
  void click(const std::string& control) {
    CAPTURE(control);
    REQUIRE(screen.map().controls.contains(control));
    const plot::Rect& at = screen.map().controls.at(control).rect;
    screen.move({static_cast<float>(at.x + at.w / 2), static_cast<float>(at.y + at.h / 2)});
    frame();
    for (const bool down : {true, false}) {
      screen.hold_button(down);
      frame();
    }
    frame(2);
  }
  std::string value(const std::string& control) const {
    return screen.map().controls.at(control).value;
  }
};

}  // namespace

TEST_CASE("the menu of opened sessions leads to the comparison, and its button back") {
  ComparedDesk desk;
  desk.click("opened");
  desk.click("opened.compare");
  REQUIRE(desk.state.look.comparing);
  CHECK(desk.value("compare.summary") ==
        "B is faster at 18 of 22 points (1.13x to 1.36x) and equal within 3 % at 4.");
  CHECK(desk.value("compare.row.0") == "faster");
  CHECK(desk.screen.map().plots.contains("compare.time"));
  CHECK(desk.screen.map().plots.contains("compare.share"));
  CHECK_FALSE(desk.screen.map().controls.contains("below.Results"));
  desk.click("compare.close");
  CHECK_FALSE(desk.state.look.comparing);
}

TEST_CASE("both sides are chosen from lists, and changed for one another") {
  ComparedDesk desk;
  ui::show_comparison(desk.state);
  desk.frame(2);
  desk.click("compare.swap");
  CHECK(tests::contains(desk.value("compare.summary"), "B is slower at 18 of 22 points"));
  desk.click("compare.a.session");
  desk.click("compare.a.session.1");
  desk.click("compare.b.words");
  desk.click("compare.b.words.unfused");
  CHECK(desk.state.look.comparing->a.session == 1);
  CHECK(desk.state.look.comparing->b.words == "unfused");
  CHECK(desk.value("compare.b.words") == "unfused");
  CHECK(tests::contains(desk.value("compare.summary"), "common"));
}

TEST_CASE("the comparison fits into small and large windows") {
  for (const auto& [width, height] : {std::pair{640.0F, 400.0F}, std::pair{2560.0F, 1600.0F}}) {
    ComparedDesk desk;
    desk.screen.resize(width, height);
    ui::show_comparison(desk.state);
    desk.frame(3);
    for (const char* control : {"compare.swap", "compare.csv", "compare.close"}) {
      CAPTURE(control);
      const plot::Rect& at = desk.screen.map().controls.at(control).rect;
      CHECK(at.x >= 0);
      CHECK(at.right() <= static_cast<double>(width));
      CHECK(at.w > 0);
    }
  }
}

TEST_CASE("Escape leaves the comparison, and nothing else") {
  ComparedDesk desk;
  ui::show_comparison(desk.state);
  desk.frame(2);
  desk.screen.press({ui::Key::escape});
  desk.frame(2);
  CHECK_FALSE(desk.state.look.comparing);
  CHECK(desk.screen.map().plots.contains("runtime"));
}

TEST_CASE(
    "the preview of an export shows the comparison as it is now, or says that there is none") {
  ComparedDesk desk;
  const auto preview = [&] {
    ui::show_export(desk.state);
    desk.frame(3);
    const auto& controls = desk.screen.map().controls;
    const auto found = controls.find("export.preview");
    const std::string title = found == controls.end() ? "" : found->second.value;
    desk.state.dialogs.file.reset();
    desk.frame(2);
    return title;
  };
  const std::string charts = preview();
  REQUIRE_FALSE(charts.empty());
  ui::show_comparison(desk.state);
  const std::string compared = preview();
  CHECK_FALSE(compared.empty());
  CHECK(compared != charts);
  desk.state.look.comparing->b.words = "int8";
  CHECK(preview().empty());
  ui::hide_comparison(desk.state);
  CHECK(preview() == charts);
}
