#include "tests/plot/recording_canvas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace test {
namespace {

using plot::Vec;

std::string colour_text(plot::Colour c) {
  const auto channel = [](float share) { return static_cast<int>(std::lround(share * 255)); };
  return fmt::format("rgba({},{},{},{:.2f})", channel(c.r), channel(c.g), channel(c.b), c.a);
}

/// One decimal, and no minus before a zero.
std::string number(double value) {
  return fmt::format("{:.1f}", std::round(value * 10) / 10 + 0.0);
}

std::string points_text(std::span<const Vec> points) {
  std::string text;
  for (const Vec& point : points)
    text += fmt::format("{}{},{}", text.empty() ? "" : " ", number(point.x), number(point.y));
  return text;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace

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
                           plot::Dash dash, bool closed) {
  expect_finite(points);
  paths.push_back({{points.begin(), points.end()},
                   colour,
                   width,
                   dash,
                   clips_.empty() ? whole_ : clips_.back()});
  const std::string_view pattern = dash == plot::Dash::dashed   ? " stroke-dasharray=\"8 6\""
                                   : dash == plot::Dash::dotted ? " stroke-dasharray=\"1 4\""
                                   : dash == plot::Dash::dash_dotted
                                       ? " stroke-dasharray=\"8 6 2 6\""
                                       : "";
  body_ += fmt::format("<{} points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"{}/>\n",
                       closed ? "polygon" : "polyline", points_text(points), colour_text(colour),
                       number(width), pattern);
}

void RecordingCanvas::fill(std::span<const Vec> points, plot::Colour colour) {
  expect_finite(points);
  fills.emplace_back(points.begin(), points.end());
  body_ += fmt::format("<polygon points=\"{}\" fill=\"{}\"/>\n", points_text(points),
                       colour_text(colour));
}

void RecordingCanvas::dot(Vec centre, double radius, plot::Colour colour) {
  expect_finite({&centre, 1});
  dots.push_back({centre, radius, colour});
  body_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\"/>\n", number(centre.x),
                       number(centre.y), number(radius), colour_text(colour));
}

void RecordingCanvas::text(Vec at, std::string_view text, double size, plot::Colour colour,
                           plot::Align align, double angle, bool bold) {
  expect_finite({&at, 1});
  texts.push_back({at, std::string(text), size, angle});
  const std::string_view anchor = align == plot::Align::left     ? "start"
                                  : align == plot::Align::centre ? "middle"
                                                                 : "end";
  body_ += fmt::format(
      "<text transform=\"translate({} {}) rotate({})\" dy=\"0.35em\" text-anchor=\"{}\" "
      "font-family=\"DejaVu Sans\" "
      "font-size=\"{}\" font-weight=\"{}\" fill=\"{}\">{}</text>\n",
      number(at.x), number(at.y), number(angle * 180 / std::numbers::pi), anchor, number(size),
      bold ? "bold" : "normal", colour_text(colour), escaped(text));
}

Vec RecordingCanvas::text_extent(std::string_view text, double size, bool) {
  return {0.6 * size * static_cast<double>(characters(text)), 1.17 * size};
}

void RecordingCanvas::push_clip(const plot::Rect& rect) {
  clips_.push_back(rect);
  ++clip_count_;
  body_ += fmt::format(
      "<clipPath id=\"c{0}\"><rect x=\"{1}\" y=\"{2}\" width=\"{3}\" "
      "height=\"{4}\"/></clipPath>\n<g clip-path=\"url(#c{0})\">\n",
      clip_count_, number(rect.x), number(rect.y), number(rect.w), number(rect.h));
}

void RecordingCanvas::pop_clip() {
  clips_.pop_back();
  body_ += "</g>\n";
}

std::string RecordingCanvas::svg() const {
  return fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\">\n{}</svg>\n",
                     number(whole_.w), number(whole_.h), body_);
}

}  // namespace test
