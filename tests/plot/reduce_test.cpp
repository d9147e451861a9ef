#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tests/plot/recording_canvas.hpp"
#include "ui/plot/curve_cache.hpp"

using plot::Vec;

namespace {

/// A scene of one series on a plot of 200 x 100 pixels, reduced.
struct Reduced {
  explicit Reduced(plot::Points points) {
    plot::Series series;
    series.points = std::move(points);
    figure.series = {series};
    scene.layout.plot = {0, 0, 200, 100};
    scene.curves = kept.curves(scene);
  }
  const plot::Points& points() const { return *figure.series[0].points; }
  Vec shares(std::size_t i) const {
    return {scene.scale_x(points().x[i]), scene.scale_y(points().y[i])};
  }
  const plot::Curve& curve() const { return *scene.curves.at(0).curve; }

  plot::Figure figure;
  plot::Style style = plot::light_style();
  test::RecordingCanvas canvas{200, 100};
  plot::CurveCache kept;
  plot::Scene scene{limited(figure), {0, 0, 200, 100}, style, canvas, kept};

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

TEST_CASE("A reduced line keeps of every visit to a column the first, the last and both extremes") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    const Reduced reduced(random_points(seed, 40 + 200 * (seed % 20)));
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
    "Every point in the plot has a marker within a cell of it, and every flagged one its own") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    const Reduced reduced(random_points(seed, 20 + 150 * (seed % 20)));
    const plot::Points& points = reduced.points();
    // Crowds have larger cells; the pieces of an axis are a little larger than asked for.
    const bool crowd = static_cast<double>(points.x.size()) * 4 > 2 * 200;
    const double across = crowd ? 8.4 : 2.1, up = crowd ? 4.2 : 2.1;
    for (std::size_t i = 0; i < points.x.size(); ++i) {
      const bool inside =
          points.x[i] >= 1 && points.x[i] <= 1e3 && points.y[i] >= 1 && points.y[i] <= 1e3;
      const bool flagged = points.flagged[i] != 0 && points.y[i] > 0;
      if (!inside && !flagged) continue;
      const Vec at = reduced.shares(i);
      const bool found = std::ranges::any_of(reduced.curve().spots, [&](const auto& spot) {
        if (flagged) return same(spot.at, at) && spot.flagged;
        return std::abs(spot.at.x - at.x) * 200 <= across && std::abs(spot.at.y - at.y) * 100 <= up;
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
  REQUIRE(reduced.curve().lines.size() == 1);
  CHECK(reduced.curve().lines[0].size() <= 4 * 200);
  CHECK(reduced.curve().spots.size() <= 50 * 25);
}
