#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tests/plot/recording_canvas.hpp"
#include "ui/plot/scene.hpp"

using plot::Vec;

namespace {

/// A scene of one series on a plot of 200 x 100 pixels, reduced.
struct Reduced {
  explicit Reduced(plot::Points points) {
    plot::Series series;
    series.points = std::move(points);
    figure.series = {series};
    scene.layout.plot = {0, 0, 200, 100};
    scene.curves = plot::decimated(scene);
  }
  const plot::Points& points() const { return *figure.series[0].points; }
  Vec shares(std::size_t i) const {
    return {scene.scale_x(points().x[i]), scene.scale_y(points().y[i])};
  }
  const plot::Curve& curve() const { return scene.curves.at(0); }

  plot::Figure figure;
  plot::Style style = plot::light_style();
  test::RecordingCanvas canvas{200, 100};
  plot::Scene scene{limited(figure), plot::Rect{0, 0, 200, 100}, style, canvas};

 private:
  /// Before the scene takes the limits.
  static const plot::Figure& limited(plot::Figure& figure) {
    figure.x = figure.y = {.low = 1, .high = 1e3};
    return figure;
  }
};

/// Points that go up in x, or to and fro, some of them beyond the axes, some without a place.
plot::Points random_points(unsigned seed, std::size_t count) {
  std::mt19937 dice(seed);
  const auto between = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(dice()) / 4294967296.0;
  };
  plot::Points points;
  for (std::size_t i = 0; i < count; ++i) {
    points.x.push_back(std::exp(between(-1, 8)));
    points.y.push_back(dice() % 50 == 0 ? 0 : std::exp(between(-1, 8)));
    points.flagged.push_back(dice() % 40 == 0 ? 1 : 0);
  }
  if (seed % 3 != 0) std::ranges::sort(points.x);
  return points;
}

bool same(Vec a, Vec b) { return a.x == b.x && a.y == b.y; }

/// Indices of the points of one column in a row, which the line visits before it leaves it.
using Visit = std::vector<std::size_t>;

/// Of what the axes can show, cut where a point cannot be shown.
std::vector<std::vector<Visit>> visits_of(const Reduced& reduced) {
  const plot::Points& points = reduced.points();
  const auto column_of = [&](std::size_t i) {
    const double x = points.x[i];
    if (x < 1) return -1.0;
    if (x > 1e3) return 200.0;
    return std::min(std::floor(reduced.shares(i).x * 200), 199.0);
  };
  std::vector<std::vector<Visit>> lines(1);
  for (std::size_t i = 0; i < points.x.size(); ++i) {
    if (!(points.y[i] > 0)) {
      if (!lines.back().empty()) lines.emplace_back();
      continue;
    }
    std::vector<Visit>& line = lines.back();
    if (line.empty() || column_of(line.back().back()) != column_of(i)) line.emplace_back();
    line.back().push_back(i);
  }
  return lines;
}

std::size_t points_in(const std::vector<Visit>& line) {
  std::size_t points = 0;
  for (const Visit& visit : line) points += visit.size();
  return points;
}

}  // namespace

TEST_CASE(
    "A decimated line keeps of every visit to a column the first, the last and both extremes") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    const Reduced reduced(random_points(seed, 40 + 120 * (seed % 9)));
    auto lines = visits_of(reduced);
    std::erase_if(lines, [](const auto& line) { return points_in(line) < 2; });
    REQUIRE(reduced.curve().lines.size() == lines.size());
    for (std::size_t l = 0; l < lines.size(); ++l) {
      const std::vector<Vec>& kept = reduced.curve().lines[l];
      std::size_t next = 0;
      for (const Visit& visit : lines[l]) {
        std::vector<std::size_t> wanted{visit.front(), visit.back()};
        const auto y = [&](std::size_t i) { return reduced.points().y[i]; };
        wanted.push_back(*std::ranges::min_element(visit, {}, y));
        wanted.push_back(*std::ranges::max_element(visit, {}, y));
        std::ranges::sort(wanted);
        const auto repeated = std::ranges::unique(wanted);
        wanted.erase(repeated.begin(), repeated.end());
        for (const std::size_t i : wanted) {
          REQUIRE(next < kept.size());
          REQUIRE(same(kept[next++], reduced.shares(i)));
        }
      }
      CHECK(next == kept.size());
    }
  }
}

TEST_CASE(
    "Every point in the plot has a marker within half a radius, and a flagged one shows that") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    const Reduced reduced(random_points(seed, 20 + 150 * (seed % 6)));
    const plot::Points& points = reduced.points();
    for (std::size_t i = 0; i < points.x.size(); ++i) {
      if (!(points.x[i] >= 1 && points.x[i] <= 1e3 && points.y[i] >= 1 && points.y[i] <= 1e3))
        continue;
      const Vec at = reduced.shares(i);
      constexpr double cell = 2.1;  // an axis is cut into whole cells
      const bool found = std::ranges::any_of(reduced.curve().spots, [&](const auto& spot) {
        return std::abs(spot.at.x - at.x) * 200 <= cell &&
               std::abs(spot.at.y - at.y) * 100 <= cell && (spot.flagged || points.flagged[i] == 0);
      });
      REQUIRE(found);
    }
  }
}

TEST_CASE("As many points as one likes leave no more than four in a column") {
  plot::Points points;
  for (int i = 0; i < 200'000; ++i) {
    points.x.push_back(std::exp(6.9 * i / 200'000));
    points.y.push_back(10 + i % 17);
  }
  const Reduced reduced(points);
  std::size_t drawn = 0;
  for (const auto& line : reduced.curve().lines) drawn += line.size();
  CHECK(drawn <= 4 * 200);
  CHECK(reduced.curve().spots.size() <= 100 * 50);
}

namespace {

/// Twelve points that rise, as a machine so fast measures them.
plot::Series rising(double speed) {
  plot::Points points;
  for (int i = 0; i < 12; ++i) {
    points.x.push_back(std::exp(0.5 * i + 0.5));
    points.y.push_back(speed * std::exp(0.4 * i + 0.5));
  }
  plot::Series series;
  series.points = std::move(points);
  return series;
}

std::size_t segments_in(const std::vector<plot::Curve>& curves) {
  std::size_t segments = 0;
  for (const plot::Curve& drawn : curves)
    for (const auto& line : drawn.lines) segments += line.size() - 1;
  return segments;
}

}  // namespace

TEST_CASE("Of a fleet of equal machines one line is drawn, the front one; of a few all are") {
  for (const std::size_t machines : {80U, 10'000U}) {
    Reduced fleet({});
    fleet.figure.series.assign(machines, rising(1));
    const auto curves = plot::decimated(fleet.scene);
    if (machines * 12 <= plot::least_crowd) {
      CHECK(curves.size() == machines);
      CHECK(segments_in(curves) == 11 * machines);
    } else {
      REQUIRE(curves.size() == 1);
      CHECK(curves[0].series == machines - 1);
      CHECK(curves[0].spots.size() == 12);
    }
  }
}

TEST_CASE("What differs in a fleet is drawn: every point lies on a line of its own look") {
  Reduced fleet({});
  for (int i = 0; i < 2000; ++i) {
    plot::Series series = rising(1 + 0.4 * std::sin(i));
    series.colour = i % 3;
    fleet.figure.series.push_back(std::move(series));
  }
  const auto curves = plot::decimated(fleet.scene);
  CHECK(segments_in(curves) < 2000);
  for (const plot::Series& series : fleet.figure.series) {
    for (std::size_t i = 0; i < series.points->size(); ++i) {
      const double x = fleet.scene.scale_x(series.points->x[i]);
      const double y = fleet.scene.scale_y(series.points->y[i]);
      const auto covers = [&](const plot::Curve& drawn) {
        if (fleet.figure.series[drawn.series].colour != series.colour) return false;
        return std::ranges::any_of(drawn.lines, [&](const auto& line) {
          return std::ranges::any_of(line, [&](Vec at) {
            return std::abs(at.x - x) * 200 <= 2 && std::abs(at.y - y) * 100 <= 2;
          });
        });
      };
      REQUIRE(std::ranges::any_of(curves, covers));
    }
  }
}
