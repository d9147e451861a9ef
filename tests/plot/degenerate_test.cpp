#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "tests/plot/recording_canvas.hpp"
#include "ui/plot/draw.hpp"

using plot::Figure;
using test::RecordingCanvas;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

const std::vector<double> wild{not_a_number, infinity, -infinity, 0, -1,
                               1e308,        1e-308,   5e-324,    1, 1e12};

Figure hostile() {
  Figure figure;
  figure.title = std::string(5000, 'T') + "\u00e9";
  const auto add = [&](const char* name, int colour, const plot::Points& points) {
    figure.series.push_back({.name = name, .colour = colour, .points = points});
  };
  plot::Points points{.x = wild, .y = wild, .low = wild, .high = wild};
  std::swap(points.y[8], points.y[5]);
  add("wild", 0, points);
  add("longer x than y", 99, {.x = {1, 2, 3}, .y = {1}});
  add("short bars", -7, {.x = {1, 2, 3}, .y = {1, 2, 3}, .low = {1}});
  figure.series.push_back({.name = ""});
  figure.roofs.push_back({.label = "wild roof", .x = wild, .y = wild});
  figure.roofs.push_back({.label = "one point", .x = {1}, .y = {1}});
  figure.roofs.push_back({.label = "no length", .x = {1, 1}, .y = {1, 1}});
  figure.roofs.push_back({.label = "upright", .x = {2, 2}, .y = {1e-9, 1e9}});
  figure.regions.push_back({"wild", plot::Regime::overhead, wild, wild, true});
  figure.regions.push_back({"no line", plot::Regime::none, {}, {1}, true});
  for (const double value : wild)
    figure.marks.push_back({value, value, "mark", plot::Mark::Kind::ridge, 50});
  return figure;
}

void draw_in(const Figure& figure, plot::Rect where) {
  RecordingCanvas canvas(where.w, where.h);
  const plot::Layout layout = draw(figure, where, plot::dark_style(), canvas);
  for (const double value : wild) {
    plot::Overlay overlay{plot::Cursor{value, "cursor"}, {}};
    overlay.marks.push_back({value, value, "probe", plot::Mark::Kind::probe});
    overlay.marks.push_back({value, value, "predicted", plot::Mark::Kind::predicted});
    draw_overlay(overlay, figure, layout, plot::dark_style(), canvas);
  }
  CHECK(canvas.all_finite());
  CHECK(canvas.open_clips() == 0);
}

}  // namespace

TEST_CASE("Values that no axis can show are skipped, in every size") {
  Figure figure = hostile();
  for (const bool fitted : {false, true}) {
    if (fitted) fit(figure);
    for (const double w : {1.0, 5.0, 30.0, 200.0, 1600.0}) {
      for (const double h : {1.0, 5.0, 30.0, 120.0, 1000.0}) draw_in(figure, {0, 0, w, h});
    }
  }
}

TEST_CASE("Axes with impossible limits are drawn all the same") {
  for (const double low : {not_a_number, infinity, -infinity, 0.0, -5.0, 1e308, 5e-324}) {
    for (const double high : {not_a_number, infinity, -infinity, 0.0, -5.0, 1e308, 5e-324}) {
      for (const bool log : {true, false}) {
        Figure figure = hostile();
        figure.x = {"x", "s", low, high, log, true};
        figure.y = {"y", "FLOP/s", low, high, log, false};
        draw_in(figure, {0, 0, 400, 300});
      }
    }
  }
}

TEST_CASE("A place without size gets no strokes") {
  for (const plot::Rect& where : {plot::Rect{0, 0, 0, 0},
                                  {0, 0, -5, 100},
                                  {0, 0, 100, 0.5},
                                  {0, 0, not_a_number, 100},
                                  {0, 0, 1e9, 9}}) {
    RecordingCanvas canvas(100, 100);
    draw(hostile(), where, plot::light_style(), canvas);
    CHECK(canvas.paths.empty());
    CHECK(canvas.fills.empty());
  }
}

TEST_CASE("A style of size zero draws nothing") {
  plot::Style style = plot::light_style();
  style.scale = 0;
  RecordingCanvas canvas(100, 100);
  draw(hostile(), {0, 0, 100, 100}, style, canvas);
  CHECK(canvas.paths.empty());
}

TEST_CASE("Without series colours everything is drawn in the roofs' colour") {
  plot::Style style = plot::light_style();
  style.series_colours.clear();
  RecordingCanvas canvas(600, 400);
  Figure figure = hostile();
  fit(figure);
  draw(figure, {0, 0, 600, 400}, style, canvas);
  CHECK_FALSE(canvas.paths.empty());
}

TEST_CASE("A page without figures still shows its heading") {
  RecordingCanvas canvas(800, 600);
  const auto layouts =
      draw_page({"Title", {}, {"caption"}}, {0, 0, 800, 600}, plot::light_style(), canvas);
  REQUIRE(layouts.size() == 1);
  CHECK(layouts[0].texts.size() == 2);
}

TEST_CASE("A transform of a plot without size gives an axis limit, not a division by zero") {
  Figure figure;
  plot::Layout layout;
  const plot::Transform transform = transform_of(figure, layout);
  CHECK(transform.to_data_x(5) == figure.x.low);
  CHECK(transform.to_data_y(5) == figure.y.low);
}
