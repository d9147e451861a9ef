// Figures drawn on a recording canvas, and checks of the texts on them.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "tests/plot/recording_canvas.hpp"
#include "ui/plot/draw.hpp"

namespace test {

using plot::Figure;
using plot::Layout;
using plot::Vec;

using Quad = std::array<Vec, 4>;

/// True when some edge of `a` has all of `b` on its far side (corners run clockwise).
inline bool has_dividing_edge(const Quad& a, const Quad& b) {
  constexpr double touch = 1e-6;
  for (std::size_t i = 0; i < 4; ++i) {
    const Vec from = a[i], to = a[(i + 1) % 4];
    const auto outside = [&](Vec p) {
      return (to.x - from.x) * (p.y - from.y) - (to.y - from.y) * (p.x - from.x) <= touch;
    };
    if (std::ranges::all_of(b, outside)) return true;
  }
  return false;
}

inline bool overlapping(const Quad& a, const Quad& b) {
  return !has_dividing_edge(a, b) && !has_dividing_edge(b, a);
}

inline void check_texts(const Layout& layout) {
  for (std::size_t i = 0; i < layout.texts.size(); ++i) {
    CAPTURE(layout.texts[i].text);
    for (const Vec& corner : layout.texts[i].turned.corners()) {
      REQUIRE(corner.x >= layout.frame.x - 1e-6);
      REQUIRE(corner.y >= layout.frame.y - 1e-6);
      REQUIRE(corner.x <= layout.frame.right() + 1e-6);
      REQUIRE(corner.y <= layout.frame.bottom() + 1e-6);
    }
    for (std::size_t j = 0; j < i; ++j) {
      CAPTURE(layout.texts[j].text);
      REQUIRE_FALSE(
          overlapping(layout.texts[i].turned.corners(), layout.texts[j].turned.corners()));
    }
  }
}

inline Figure rising(std::size_t points, double factor) {
  Figure figure;
  plot::Series series;
  series.name = "fp32 fused";
  plot::Points line;
  for (std::size_t i = 0; i < points; ++i) {
    line.x.push_back(std::pow(factor, static_cast<double>(i)));
    line.y.push_back(1e9 * line.x.back());
  }
  series.points = line;
  figure.series.push_back(series);
  fit(figure);
  return figure;
}

inline Layout drawn(const Figure& figure, RecordingCanvas& canvas, double w = 800, double h = 500) {
  return draw(figure, {0, 0, w, h}, plot::light_style(), canvas);
}

inline bool has_text(const Layout& layout, std::string_view text) {
  return std::ranges::any_of(layout.texts,
                             [&](const plot::PlacedText& box) { return box.text == text; });
}

}  // namespace test
