#include "ui/plot/figure.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using plot::Figure;
using plot::fit;

namespace {

Figure with_points(std::vector<double> x, std::vector<double> y) {
  Figure figure;
  plot::Series series;
  series.points = plot::Points{.x = std::move(x), .y = std::move(y)};
  figure.series.push_back(series);
  return figure;
}

bool shows(const Figure& figure, double x, double y) {
  return x > figure.x.low && x < figure.x.high && y > figure.y.low && y < figure.y.high;
}

}  // namespace

TEST_CASE("A fitted figure shows all its points with a margin") {
  Figure figure = with_points({0.25, 8, 256}, {8e9, 2e11, 2.3e11});
  fit(figure);
  CHECK(shows(figure, 0.25, 8e9));
  CHECK(shows(figure, 256, 2.3e11));
  CHECK(figure.x.high < 1000);
  CHECK(figure.y.low > 1e9);
}

TEST_CASE("A single point gets a decade around it") {
  Figure figure = with_points({3}, {5});
  fit(figure);
  CHECK(figure.x.high / figure.x.low >= 10);
  CHECK(figure.y.high / figure.y.low >= 10);
  CHECK(shows(figure, 3, 5));
}

TEST_CASE("Error bars stay in the picture; a point without one does not disturb") {
  for (const bool log : {true, false}) {
    Figure figure;
    figure.x.log = figure.y.log = log;
    plot::Points points{.x = {1, 10, 100}, .y = {50, 60, 70}};
    points.low = {2, NAN, 70};
    points.high = {50, NAN, 900};
    figure.series.push_back({.name = "bars", .points = points});
    fit(figure);
    CHECK(shows(figure, 1, 2));
    CHECK(shows(figure, 100, 900));
    CHECK(figure.y.high < 2000);
  }
}

TEST_CASE("A hidden series does not count") {
  Figure figure = with_points({1, 10}, {1, 10});
  figure.series.push_back(
      {.name = "hidden", .hidden = true, .points = plot::Points{.x = {1e9}, .y = {1e9}}});
  fit(figure);
  CHECK(figure.x.high < 100);
  CHECK(figure.y.high < 100);
}

TEST_CASE("A roof above the points is in the picture, its far ends are not") {
  Figure figure = with_points({1, 100}, {1e9, 1e10});
  figure.roofs.push_back({.label = "roof", .x = {1e-4, 10, 1e6}, .y = {1e6, 1e11, 1e11}});
  fit(figure);
  CHECK(figure.y.high > 1e11);
  CHECK(figure.x.high < 1000);
  CHECK(figure.x.low > 0.1);
  CHECK(figure.y.low > 1e8);
}

TEST_CASE("A thin guide line does not widen the picture") {
  Figure figure = with_points({1, 100}, {1, 10});
  figure.roofs.push_back({.thin = true, .x = {1, 100}, .y = {1, 1e6}});
  fit(figure);
  CHECK(figure.y.high < 100);
}

TEST_CASE("Every mark is in the picture") {
  Figure figure = with_points({1, 10}, {1, 10});
  figure.marks.push_back({.x = 5, .y = 1e5});
  fit(figure);
  CHECK(shows(figure, 5, 1e5));
}

TEST_CASE("Values that an axis cannot show are ignored") {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinity = std::numeric_limits<double>::infinity();
  Figure figure = with_points({nan, 1, 10, 0, -3, infinity}, {1, 2, 20, 5, 5, 5});
  fit(figure);
  CHECK(shows(figure, 1, 2));
  CHECK(figure.x.high < 100);
  CHECK(std::isfinite(figure.y.low));
}

TEST_CASE("With nothing to show the limits stay as they are") {
  Figure figure;
  figure.x.low = 1;
  figure.x.high = 1024;
  fit(figure);
  CHECK(figure.x.low == 1);
  CHECK(figure.x.high == 1024);
}

TEST_CASE("Linear axes are fitted too") {
  Figure figure = with_points({-5, 5}, {0, 3});
  figure.x.log = figure.y.log = false;
  fit(figure);
  CHECK(shows(figure, -5, 0));
  CHECK(shows(figure, 5, 3));
}
