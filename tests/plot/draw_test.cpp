#include "ui/plot/draw.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "tests/plot/drawn.hpp"
#include "tests/plot/random_figures.hpp"

using plot::Figure;
using plot::Layout;
using plot::Rect;
using plot::Vec;
using test::check_texts;
using test::drawn;
using test::has_text;
using test::RecordingCanvas;
using test::rising;

TEST_CASE(
    "In 250 random figures no text leaves its frame or touches another, and nothing is drawn "
    "outside the plot") {
  for (unsigned seed = 0; seed < 250; ++seed) {
    CAPTURE(seed);
    const Figure figure = test::random_figure(seed);
    const auto [w, h] = test::random_size(seed);
    const plot::Style style = seed % 2 == 0 ? plot::light_style() : plot::dark_style();
    RecordingCanvas canvas(w, h);
    const Layout layout = draw(figure, {0, 0, w, h}, style, canvas);
    check_texts(layout);
    CHECK(canvas.all_finite());
    CHECK(canvas.open_clips() == 0);
    for (const Layout::LegendEntry& entry : layout.legend) {
      REQUIRE(entry.series < figure.series.size());
      CHECK(entry.box.right() <= w + 1e-6);
      CHECK(entry.box.bottom() <= h + 1e-6);
    }
    for (const RecordingCanvas::Path& path : canvas.paths) {
      for (const Vec& point : path.points) {
        REQUIRE(point.x >= -20);
        REQUIRE(point.x <= w + 20);
        REQUIRE(point.y >= -20);
        REQUIRE(point.y <= h + 20);
      }
    }
  }
}

TEST_CASE("Most random figures of a usual size name their axes, ticks and roofs") {
  int titles = 0, roofs = 0, named = 0, figures = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    const Figure figure = test::random_figure(seed);
    RecordingCanvas canvas(900, 600);
    const Layout layout = drawn(figure, canvas, 900, 600);
    ++figures;
    titles += std::ranges::any_of(
                  layout.texts, [](const auto& box) { return box.text.starts_with("Performance"); })
                  ? 1
                  : 0;
    for (const plot::Roof& roof : figure.roofs) {
      ++roofs;
      named += has_text(layout, roof.label) || has_text(layout, roof.short_label) ? 1 : 0;
    }
  }
  CHECK(titles == figures);
  CHECK(named > roofs / 2);
}

TEST_CASE("A roof's label lies along its line") {
  Figure figure = rising(6, 10);
  figure.series.clear();
  figure.roofs.push_back(
      {.label = "DRAM copy 1.00 GB/s (measured)", .x = {1e-3, 1e9}, .y = {1e6, 1e18}});
  RecordingCanvas canvas(800, 500);
  const Layout layout = drawn(figure, canvas);
  const plot::Transform transform = transform_of(figure, layout);
  const Vec a = transform.to_pixel(1, 1e9), b = transform.to_pixel(100, 1e11);
  const auto label =
      std::ranges::find(canvas.texts, figure.roofs[0].label, &RecordingCanvas::Text::text);
  REQUIRE(label != canvas.texts.end());
  CHECK(label->angle == doctest::Approx(std::atan2(b.y - a.y, b.x - a.x)).epsilon(1e-6));
  const double on_line = a.y + (label->at.x - a.x) / (b.x - a.x) * (b.y - a.y);
  CHECK(label->at.y < on_line);
  CHECK(on_line - label->at.y < 30);
}

TEST_CASE("A flat roof shorter than its label is named over it, a much shorter one is not") {
  const auto label_of = [](double end) -> std::optional<RecordingCanvas::Text> {
    Figure figure = rising(6, 10);
    figure.series.clear();
    figure.roofs.push_back({.label = "L1 of 453 GB/s", .x = {1, end}, .y = {1e12, 1e12}});
    RecordingCanvas canvas(800, 500);
    drawn(figure, canvas);
    const auto found =
        std::ranges::find(canvas.texts, figure.roofs[0].label, &RecordingCanvas::Text::text);
    return found == canvas.texts.end() ? std::nullopt : std::optional(*found);
  };
  Figure figure = rising(6, 10);
  RecordingCanvas canvas(800, 500);
  const Vec from = transform_of(figure, drawn(figure, canvas)).to_pixel(1, 1e12);
  const auto label = label_of(3);
  REQUIRE(label);
  CHECK(label->angle == 0);
  CHECK(std::abs(label->at.y - from.y) < 30);
  CHECK(std::abs(label->at.x - from.x) < 80);
  CHECK_FALSE(label_of(1.2));
}

TEST_CASE("Plots whose y axes have short and long numbers begin at the same place") {
  std::vector<double> lefts;
  for (const double high : {20.0, 1000.0}) {
    Figure figure = rising(6, 10);
    figure.y = {.title = "Times faster", .low = 1, .high = high, .si_prefix = false};
    RecordingCanvas canvas(800, 500);
    lefts.push_back(drawn(figure, canvas).plot.x);
  }
  CHECK(lefts[0] == lefts[1]);
}

TEST_CASE("Every visible point becomes one marker, at its place") {
  const Figure figure = rising(8, 3);
  RecordingCanvas canvas(800, 500);
  const Layout layout = drawn(figure, canvas);
  const plot::Transform transform = transform_of(figure, layout);
  for (std::size_t i = 0; i < 8; ++i) {
    const Vec at = transform.to_pixel(figure.series[0].points->x[i], figure.series[0].points->y[i]);
    CHECK(std::ranges::any_of(canvas.dots, [&](const RecordingCanvas::Dot& dot) {
      return std::hypot(dot.centre.x - at.x, dot.centre.y - at.y) < 1e-6;
    }));
  }
}

TEST_CASE("Pixels and data convert into each other") {
  const Figure figure = rising(8, 3);
  RecordingCanvas canvas(800, 500);
  const plot::Transform transform = transform_of(figure, drawn(figure, canvas));
  const Vec pixel = transform.to_pixel(27, 5e9);
  CHECK(transform.to_data_x(pixel.x) == doctest::Approx(27));
  CHECK(transform.to_data_y(pixel.y) == doctest::Approx(5e9));
}

TEST_CASE("Above the plot stand the x axis' numbers times a constant, each over its place") {
  Figure figure = rising(8, 3);
  figure.above = plot::AxisAbove{"Intensity, fused", "FLOP/byte", 0.25};
  RecordingCanvas canvas(800, 500);
  const Layout layout = drawn(figure, canvas);
  CHECK(has_text(layout, "Intensity, fused (FLOP/byte)"));
  const auto hundred = std::ranges::find_if(layout.texts, [&](const plot::PlacedText& text) {
    return text.text == "100" && text.box.bottom() < layout.plot.y;
  });
  REQUIRE(hundred != layout.texts.end());
  const double middle = hundred->box.x + hundred->box.w / 2;
  CHECK(middle == doctest::Approx(transform_of(figure, layout).to_pixel(400, 1e9).x));
  check_texts(layout);
}

TEST_CASE("The axis above needs room and numbers that can be drawn") {
  Figure figure = rising(8, 3);
  const auto names_it = [&](double w, double h, double factor) {
    figure.above = plot::AxisAbove{"Above", "", factor};
    RecordingCanvas canvas(w, h);
    return has_text(drawn(figure, canvas, w, h), "Above");
  };
  CHECK(names_it(800, 500, 0.25));
  CHECK_FALSE(names_it(200, 120, 0.25));
  for (const double factor : {0.0, -1.0, 1e308, std::nan("")}) {
    CAPTURE(factor);
    CHECK_FALSE(names_it(800, 500, factor));
  }
}

TEST_CASE("An error bar shows only when it is taller than its marker") {
  const auto bars = [](double spread) {
    Figure figure = rising(4, 10);
    plot::Points points = *figure.series[0].points;
    for (const double y : points.y) {
      points.low.push_back(y / spread);
      points.high.push_back(y * spread);
    }
    figure.series[0].points = points;
    RecordingCanvas canvas(800, 500);
    drawn(figure, canvas);
    return canvas.paths.size();
  };
  CHECK(bars(1.001) == bars(1));
  CHECK(bars(2) == bars(1) + 3 * 4 - 2);  // the outermost caps lie beyond the axes
}

TEST_CASE("Error bars end at the border of the plot, however far in one zooms") {
  Figure figure = rising(4, 10);
  plot::Points points = *figure.series[0].points;
  for (const double y : points.y) {
    points.low.push_back(y / 100);
    points.high.push_back(y * 100);
  }
  figure.series[0].points = points;
  figure.y.low = points.y[1] / 2;
  figure.y.high = points.y[1] * 2;
  figure.x.high = points.x[2] * 0.99;
  RecordingCanvas canvas(800, 500);
  const plot::Rect plot = drawn(figure, canvas).plot;
  const auto outside = [&](Vec p) {
    return p.y < plot.y - 0.01 || p.y > plot.bottom() + 0.01 || p.x > plot.right() + 0.01;
  };
  const plot::Colour colour = plot::light_style().series_colours[0];
  int bars = 0;
  for (const RecordingCanvas::Path& path : canvas.paths) {
    if (!(path.colour == colour) || path.points.size() != 2) continue;
    CHECK_FALSE(std::ranges::any_of(path.points, outside));
    if (path.points[0].x == path.points[1].x) ++bars;
  }
  CHECK(bars == 1);  // points out of sight have none
}

TEST_CASE("Thousands of points on the same pixels cost no more strokes than the pixels are wide") {
  Figure figure;
  for (int s = 0; s < 20; ++s) {
    plot::Series series;
    series.name = "series";
    plot::Points points;
    for (int i = 0; i < 4096; ++i) {
      points.x.push_back(std::pow(10.0, i / 1000.0));
      points.y.push_back((s + 1) * points.x.back());
    }
    series.points = points;
    figure.series.push_back(series);
  }
  fit(figure);
  RecordingCanvas canvas(600, 400);
  drawn(figure, canvas, 600, 400);
  std::size_t vertices = 0;
  for (const RecordingCanvas::Path& path : canvas.paths) vertices += path.points.size();
  CHECK(vertices < 20 * 4 * 600 + 1000);
  CHECK(canvas.dots.size() < 20 * 2 * 600);
}

TEST_CASE("Reducing a dense line keeps its peaks") {
  Figure figure = rising(2, 10);
  plot::Points points;
  for (int i = 0; i < 20000; ++i) {
    points.x.push_back(1 + 0.0005 * i);
    points.y.push_back(i == 12345 ? 1e12 : 1e9);
  }
  figure.series[0].points = points;
  fit(figure);
  RecordingCanvas canvas(800, 500);
  const Layout layout = drawn(figure, canvas);
  const Vec peak = transform_of(figure, layout).to_pixel(points.x[12345], 1e12);
  const auto reaches = [&](const RecordingCanvas::Path& path) {
    return std::ranges::any_of(path.points,
                               [&](Vec p) { return std::hypot(p.x - peak.x, p.y - peak.y) < 1; });
  };
  CHECK(std::ranges::any_of(canvas.paths, reaches));
}

TEST_CASE(
    "The legend lists every name once, keeps hidden series, and earlier runs only when nothing "
    "newer has their name") {
  Figure figure = rising(5, 4);
  figure.series.push_back(figure.series[0]);
  figure.series[1].faded = true;
  const plot::Points one{.x = {1}, .y = {1e9}};
  figure.series.push_back({.name = "hidden", .hidden = true, .points = one});
  figure.series.push_back({.name = "old only", .faded = true, .points = one});
  RecordingCanvas canvas(800, 500);
  const Layout layout = drawn(figure, canvas);
  std::vector<std::size_t> listed;
  for (const auto& entry : layout.legend) listed.push_back(entry.series);
  CHECK(listed == std::vector<std::size_t>{0, 2, 3});
}

TEST_CASE("While there are no points the empty text says why") {
  Figure figure;
  figure.empty_text = "Nothing yet";
  RecordingCanvas canvas(800, 500);
  CHECK(has_text(drawn(figure, canvas), "Nothing yet"));
  figure.series.push_back({.name = "a", .points = plot::Points{.x = {2}, .y = {3}}});
  CHECK_FALSE(has_text(drawn(figure, canvas), "Nothing yet"));
}

TEST_CASE("A page puts four figures in two rows and a heading and a caption around them") {
  plot::Page page{"Title", {4, rising(6, 4)}, {"caption"}};
  RecordingCanvas canvas(1600, 1000);
  const auto layouts = draw_page(page, {0, 0, 1600, 1000}, plot::light_style(), canvas);
  REQUIRE(layouts.size() == 5);
  CHECK(layouts[0].frame.y == layouts[1].frame.y);
  CHECK(layouts[0].frame.x == layouts[2].frame.x);
  CHECK(layouts[2].frame.y > layouts[0].frame.bottom());
  CHECK(layouts[0].frame.w == layouts[3].frame.w);
  CHECK(has_text(layouts[4], "Title"));
  CHECK(has_text(layouts[4], "caption"));
  CHECK(layouts[3].frame.bottom() < 1000);
}
