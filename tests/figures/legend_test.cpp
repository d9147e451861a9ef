// Legends of pages: each series is named, in the figures or once for all of them.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tests/figures/sample_sessions.hpp"
#include "tests/plot/recording_canvas.hpp"
#include "ui/figures/figures.hpp"
#include "ui/plot/output/presets.hpp"

namespace {

const std::set<std::string> all_names{"fp32 fused", "fp32 unfused", "bf16 fused", "bf16 unfused"};

std::vector<plot::Layout> layouts_of(const plot::Page& page, const char* preset,
                                     plot::Theme theme = plot::Theme::light) {
  const plot::PictureSpec spec{.preset = plot::preset_named(preset), .theme = theme};
  const plot::PictureSize size = size_of(spec, page.figures.size());
  test::RecordingCanvas canvas(size.width, size.height);
  return draw_page(page, {0, 0, size.width, size.height}, style_of(spec), canvas);
}

std::size_t times(const plot::Layout& layout, const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(layout.texts, text, &plot::PlacedText::text));
}

bool leaves_out(const plot::Layout& layout) {
  return std::ranges::any_of(layout.texts, [](const plot::PlacedText& text) {
    return text.text.starts_with("+") && text.text.ends_with(" more");
  });
}

}  // namespace

TEST_CASE("Where a figure of a page has no room for its legend, one stands above all figures") {
  const engine::Session session = test::cpu_session();
  const plot::Page page = ui::page_of({&session}, {}, {});
  for (const plot::Theme theme : {plot::Theme::light, plot::Theme::bw}) {
    const auto layouts = layouts_of(page, "paper", theme);
    REQUIRE(layouts.size() == 5);
    for (const std::string& name : all_names) {
      CAPTURE(name);
      CHECK(times(layouts.back(), name) == 1);
      for (std::size_t i = 0; i < 4; ++i) CHECK(times(layouts[i], name) == 0);
    }
    for (const plot::Layout& layout : layouts) CHECK_FALSE(leaves_out(layout));
    const double lowest = std::ranges::max(layouts.back().texts, {}, [](const auto& text) {
                            return all_names.contains(text.text) ? text.box.bottom() : 0.0;
                          }).box.bottom();
    CHECK(lowest <= layouts.front().frame.y);
  }
}

TEST_CASE("Figures with room for their legends keep them") {
  const engine::Session session = test::cpu_session();
  const auto layouts = layouts_of(ui::page_of({&session}, {}, {}), "web");
  for (const std::string& name : all_names) {
    CHECK(times(layouts.back(), name) == 0);
    for (std::size_t i = 0; i < 4; ++i) CHECK(times(layouts[i], name) == 1);
  }
}

TEST_CASE("A page whose figures give one name two looks has no legend for all") {
  const engine::Session session = test::cpu_session();
  plot::Page page = ui::page_of({&session}, {}, {});
  page.figures.back().series.front().dash = plot::Dash::dotted;
  const auto layouts = layouts_of(page, "paper");
  CHECK(times(layouts.back(), "fp32 fused") == 0);
  CHECK(times(layouts.front(), "fp32 fused") == 1);
  CHECK(leaves_out(layouts.front()));
}

TEST_CASE("A page without room for all names counts those that are left out in each figure") {
  const engine::Session one = test::gpu_session(), other = test::cpu_session();
  const auto layouts =
      layouts_of(ui::page_of({&one, &other}, &test::chart("roofline"), {}), "paper");
  CHECK(leaves_out(layouts.front()));
  CHECK_FALSE(leaves_out(layouts.back()));
}

TEST_CASE("Entries of several rows stand one below the other, as many in each row") {
  const engine::Session session = test::cpu_session();
  const auto layouts = layouts_of(ui::page_of({&session}, {}, {}), "paper");
  std::vector<plot::Rect> boxes;
  for (const plot::PlacedText& text : layouts.back().texts) {
    if (all_names.contains(text.text)) boxes.push_back(text.box);
  }
  REQUIRE(boxes.size() == 4);
  CHECK(boxes[0].x == doctest::Approx(boxes[2].x));
  CHECK(boxes[1].x == doctest::Approx(boxes[3].x));
  CHECK(boxes[0].y == doctest::Approx(boxes[1].y));
  CHECK(boxes[2].y == doctest::Approx(boxes[3].y));
  CHECK(boxes[2].y > boxes[0].bottom());
}
