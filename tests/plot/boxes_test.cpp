#include "ui/plot/boxes.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>

using plot::Box;
using plot::OccupancyMap;
using plot::Occupant;
using plot::Rect;
using plot::Vec;

TEST_CASE("Turned boxes overlap only where they really touch") {
  const Box flat{{0, 0}, 100, 10, 0};
  CHECK(overlap(flat, Box{{0, 8}, 100, 10, 0}));
  CHECK_FALSE(overlap(flat, Box{{0, 12}, 100, 10, 0}));
  const Box steep{{0, 40}, 100, 10, -std::numbers::pi / 4};
  const Box beside{{0, 60}, 100, 10, -std::numbers::pi / 4};
  CHECK(overlap(steep.bounds(), beside.bounds()));
  CHECK_FALSE(overlap(steep, beside));
  CHECK(overlap(steep, flat));
}

TEST_CASE("A segment is clipped to a rectangle") {
  const Rect rect{0, 0, 10, 10};
  Vec from{-5, 5}, to{15, 5};
  REQUIRE(clip_segment(rect, from, to));
  CHECK(from.x == doctest::Approx(0));
  CHECK(to.x == doctest::Approx(10));
  Vec above{-5, -1}, away{15, -1};
  CHECK_FALSE(clip_segment(rect, above, away));
  Vec corner{-4, 5}, miss{5, -8};
  CHECK_FALSE(clip_segment(rect, corner, miss));
  Vec nowhere{std::numeric_limits<double>::quiet_NaN(), 0}, somewhere{5, 5};
  CHECK_FALSE(clip_segment(rect, nowhere, somewhere));
}

TEST_CASE("Occupied cells are found under a box where they were put, and nowhere else") {
  OccupancyMap occupancy({0, 0, 200, 100}, 2);
  occupancy.add_line({-50, 50}, {250, 50}, Occupant::curve);
  occupancy.add_dot({150, 20}, 4, Occupant::spot);
  const double any = 1e9;
  CHECK(occupancy.under({{60, 20}, 80, 12, 0}, any) == 0);
  CHECK(occupancy.under({{60, 50}, 80, 12, 0}, any) > 0);
  CHECK(occupancy.under({{150, 20}, 20, 12, 0}, any) > 0);
  CHECK(occupancy.under({{100, 80}, 190, 12, 0}, any) == 0);
}

TEST_CASE("A steep line leaves no gap in the map") {
  for (const double angle : {0.0, 0.3, 0.8, 1.2, 1.5, std::numbers::pi / 2}) {
    OccupancyMap occupancy({0, 0, 300, 300}, 2);
    occupancy.add_line({150, 150}, {150 + 140 * std::cos(angle), 150 - 140 * std::sin(angle)},
                       Occupant::curve);
    for (double at = 10; at < 130; at += 7) {
      const Vec on{150 + at * std::cos(angle), 150 - at * std::sin(angle)};
      CHECK(occupancy.under({on, 12, 12, 0}, 1e9) > 0);
    }
  }
}
