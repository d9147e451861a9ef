#include "ui/plot/curve_cache.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/plot/recording_canvas.hpp"

namespace {

/// Counts the layers that it did not have.
class KeepingCanvas final : public test::RecordingCanvas {
 public:
  using RecordingCanvas::RecordingCanvas;
  void kept(std::uint64_t number, const std::function<void()>& paint) override {
    for (const std::uint64_t known : numbers) {
      if (known == number) return;
    }
    numbers.push_back(number);
    paint();
  }
  std::vector<std::uint64_t> numbers;
};

plot::Figure three_lines() {
  plot::Figure figure;
  for (int i = 1; i <= 3; ++i) {
    figure.series.push_back(
        {.name = "line", .points = plot::Points{.x = {1, 10, 100}, .y = {1. * i, 2. * i, 3. * i}}});
  }
  plot::fit(figure);
  return figure;
}

/// How many of the figure's curves are painted again once it has been drawn and then changed.
std::size_t painted_again(const std::function<void(plot::Figure&, plot::Style&)>& change) {
  plot::Figure figure = three_lines();
  plot::Style style = plot::light_style();
  KeepingCanvas canvas(800, 500);
  plot::CurveCache cache;
  plot::draw(figure, {0, 0, 800, 500}, style, canvas, cache);
  const std::size_t before = canvas.numbers.size();
  REQUIRE(before == 3);
  change(figure, style);
  plot::draw(figure, {0, 0, 800, 500}, style, canvas, cache);
  return canvas.numbers.size() - before;
}

/// Where the texts of a crowded figure stand.
std::vector<double> places_of_texts(const plot::Figure& figure, const plot::Style& style,
                                    plot::CurveCache& cache) {
  test::RecordingCanvas canvas(500, 320);
  std::vector<double> places;
  for (const auto& text : plot::draw(figure, {0, 0, 500, 320}, style, canvas, cache).texts) {
    places.push_back(text.box.x);
    places.push_back(text.box.y);
  }
  return places;
}

}  // namespace

TEST_CASE("Curves that look the same are painted once, whatever else the figure shows") {
  CHECK(painted_again([](plot::Figure&, plot::Style&) {}) == 0);
  CHECK(painted_again([](plot::Figure& figure, plot::Style&) {
          figure.cursor = plot::Cursor{20, "cursor"};
          figure.marks.push_back({.x = 20, .y = 4, .label = "mark"});
        }) == 0);
  CHECK(painted_again([](plot::Figure& figure, plot::Style&) {
          figure.series.erase(figure.series.begin() + 1);
        }) == 0);
}

TEST_CASE("A curve that looks otherwise is painted again, and only that one") {
  CHECK(painted_again([](plot::Figure& figure, plot::Style&) {
          plot::Points points = *figure.series[1].points;
          points.y[1] *= 1.5;
          figure.series[1].points = points;
        }) == 1);
  CHECK(painted_again([](plot::Figure& figure, plot::Style&) { figure.series[1].colour = 5; }) ==
        1);
  CHECK(painted_again(
            [](plot::Figure& figure, plot::Style&) { figure.series[1].filled = false; }) == 1);
  CHECK(painted_again([](plot::Figure& figure, plot::Style&) {
          figure.series[1].core = plot::Core::dot;
        }) == 1);
}

TEST_CASE("Other limits and another style paint every curve again") {
  CHECK(painted_again([](plot::Figure& figure, plot::Style&) { figure.y.high *= 2; }) == 3);
  CHECK(painted_again([](plot::Figure&, plot::Style& style) { style = plot::dark_style(); }) == 3);
  CHECK(painted_again([](plot::Figure&, plot::Style& style) { style.scale = 1.5; }) == 3);
}

TEST_CASE("Texts keep off the curves as they are now, not as they were before") {
  const auto crowded = [] {
    plot::Figure figure;
    for (int i = 1; i <= 8; ++i) {
      plot::Points points;
      for (int k = 0; k < 12; ++k) {
        points.x.push_back(1 + k * (1 + 0.2 * i));
        points.y.push_back(1 + ((k * i) % 7) * 3.0);
      }
      figure.series.push_back({.name = "line " + std::to_string(i), .points = points});
    }
    for (const double y : {4.0, 9.0, 16.0}) {
      figure.roofs.push_back({.label = "a roof among them", .x = {0.1, 100}, .y = {y, y}});
    }
    plot::fit(figure);
    return figure;
  };
  const std::vector<std::function<void(plot::Figure&, plot::Style&)>> changes{
      [](plot::Figure& figure, plot::Style&) { figure.series.resize(1); },
      [](plot::Figure& figure, plot::Style&) { figure.series[0].hidden = true; },
      [](plot::Figure&, plot::Style& style) { style.marker_size *= 4; },
      [](plot::Figure&, plot::Style& style) { style.scale *= 0.6F; },
      [](plot::Figure& figure, plot::Style&) { figure.y.high *= 8; }};
  for (const auto& change : changes) {
    plot::Figure figure = crowded();
    plot::Style style = plot::light_style();
    plot::CurveCache used, fresh;
    const std::vector<double> before = places_of_texts(figure, style, used);
    change(figure, style);
    const std::vector<double> after = places_of_texts(figure, style, used);
    CHECK(after == places_of_texts(figure, style, fresh));
    CHECK(after != before);
  }
}
