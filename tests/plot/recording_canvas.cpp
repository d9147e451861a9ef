#include "tests/plot/recording_canvas.hpp"

#include <algorithm>
#include <cmath>

namespace test {

using plot::Vec;

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

RecordingCanvas::RecordingCanvas(double width, double height) : whole_{0, 0, width, height} {}

void RecordingCanvas::expect_finite(std::span<const Vec> points) {
  for (const Vec& point : points)
    all_finite_ = all_finite_ && std::isfinite(point.x) && std::isfinite(point.y);
}

void RecordingCanvas::path(std::span<const Vec> points, plot::Colour colour, double width,
                           plot::Dash dash, bool) {
  expect_finite(points);
  paths.push_back({{points.begin(), points.end()},
                   colour,
                   width,
                   dash,
                   clips_.empty() ? whole_ : clips_.back()});
}

void RecordingCanvas::fill(std::span<const Vec> points, plot::Colour) {
  expect_finite(points);
  fills.emplace_back(points.begin(), points.end());
}

void RecordingCanvas::dot(Vec centre, double radius, plot::Colour colour) {
  expect_finite({&centre, 1});
  dots.push_back({centre, radius, colour});
}

void RecordingCanvas::text(Vec at, std::string_view text, double size, plot::Colour, plot::Align,
                           double angle, bool) {
  expect_finite({&at, 1});
  texts.push_back({at, std::string(text), size, angle});
}

Vec RecordingCanvas::text_extent(std::string_view text, double size, bool) {
  return {0.6 * size * static_cast<double>(characters(text)), 1.17 * size};
}

void RecordingCanvas::push_clip(const plot::Rect& rect) { clips_.push_back(rect); }

void RecordingCanvas::pop_clip() { clips_.pop_back(); }

}  // namespace test
