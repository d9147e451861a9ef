#include "ui/plot/output/svg_canvas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <utility>

#include "kernels/units.hpp"
#include "ui/plot/boxes.hpp"

namespace plot {
namespace {

// Where DejaVu Sans is missing, Verdana is as wide (Windows, macOS); the others are narrower.
constexpr std::string_view font_families =
    "DejaVu Sans, Verdana, Bitstream Vera Sans, Geneva, Noto Sans, Arial, Helvetica, sans-serif";

/// Verdana's words are up to so much wider than those of DejaVu Sans: its space is.
constexpr double wider_fallback = 1.02;

/// Hundredths of a pixel, without what a reader does not need: "12.5", "-0.07", "3".
std::string number(double value) {
  constexpr double most = 1e9;  // readers count in single precision; nothing is seen out there
  const auto hundredths = std::llround(100 * std::clamp(value, -most, most));
  const auto [whole, rest] = std::lldiv(std::llabs(hundredths), 100);
  std::string text = hundredths < 0 ? "-" : "";
  text += std::to_string(whole);
  if (rest == 0) return text;
  text += rest < 10 ? ".0" : ".";
  text += std::to_string(rest % 10 == 0 ? rest / 10 : rest);
  return text;
}

bool is_finite(Vec point) { return std::isfinite(point.x) && std::isfinite(point.y); }

/// "#1b1e23", or "#fff".
std::string hex(Colour colour) {
  const auto channel = [](float share) {
    return static_cast<int>(std::lround(std::clamp(share, 0.0F, 1.0F) * 255));
  };
  const std::array rgb{channel(colour.r), channel(colour.g), channel(colour.b)};
  const bool brief = std::ranges::all_of(rgb, [](int c) { return c % 17 == 0; });
  return brief ? fmt::format("#{:x}{:x}{:x}", rgb[0] / 17, rgb[1] / 17, rgb[2] / 17)
               : fmt::format("#{:02x}{:02x}{:02x}", rgb[0], rgb[1], rgb[2]);
}

/// The attributes of a colour of `what`: fill or stroke.
std::string paint(std::string_view what, Colour colour) {
  std::string text = fmt::format(" {}=\"{}\"", what, hex(colour));
  if (colour.a < 1)
    text += fmt::format(" {}-opacity=\"{}\"", what, number(static_cast<double>(colour.a)));
  return text;
}

/// The data of a path; empty where it has no length.
std::string data_of(std::span<const Vec> points, bool closed) {
  std::string data;
  const Vec* last = nullptr;
  for (const Vec& point : points) {
    if (!is_finite(point)) continue;
    if (last == nullptr) {
      data += fmt::format("M{} {}", number(point.x), number(point.y));
    } else if (point.y == last->y) {
      data += "H" + number(point.x);
    } else if (point.x == last->x) {
      data += "V" + number(point.y);
    } else {
      data += fmt::format("L{} {}", number(point.x), number(point.y));
    }
    last = &point;
  }
  return closed && !data.empty() ? data + "Z" : data;
}

/// Dash lengths follow the width; a round cap makes a dot out of a dash of no length.
std::string dashes(Dash dash, double width) {
  const std::string gap = number(3 * width);
  switch (dash) {
    case Dash::solid:
      break;
    case Dash::dashed:
      return fmt::format(" stroke-dasharray=\"{} {}\"", number(4 * width), gap);
    case Dash::dotted:
      return fmt::format(" stroke-linecap=\"round\" stroke-dasharray=\"0 {}\"",
                         number(2.5 * width));
    case Dash::dash_dotted:
      return fmt::format(" stroke-dasharray=\"{} {} {} {}\"", number(4 * width), gap, number(width),
                         gap);
  }
  return "";
}

std::string_view anchor(Align align) {
  static constexpr std::array<std::string_view, 3> attributes{"", " text-anchor=\"middle\"",
                                                              " text-anchor=\"end\""};
  return attributes.at(static_cast<std::size_t>(align));
}

}  // namespace

std::string xml_escaped(std::string_view text) {
  // The last two are the characters of UTF-8 that XML 1.0 leaves out (production 2, Char).
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> escapes{
      {{"&", "&amp;"},
       {"<", "&lt;"},
       {">", "&gt;"},
       {"\"", "&quot;"},
       {"\ufffe", "\ufffd"},
       {"\uffff", "\ufffd"}}};
  std::string result = units::printable(text);
  for (const auto& [raw, escaped] : escapes) {
    for (std::size_t at = result.find(raw); at != std::string::npos;
         at = result.find(raw, at + escaped.size()))
      result.replace(at, raw.size(), escaped);
  }
  return result;
}

SvgCanvas::SvgCanvas(double width, double height, std::string ids)
    : ids_(std::move(ids)), whole_{0, 0, width, height} {
  result_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}pt\" height=\"{1}pt\" "
      "viewBox=\"0 0 {0} {1}\" fill=\"none\" stroke-linejoin=\"round\" font-family=\"{2}\">\n",
      number(width), number(height), font_families);
}

/// Lines that look alike and follow each other are one path.
void SvgCanvas::path(std::span<const Vec> points, Colour colour, double width, Dash dash,
                     bool closed) {
  const Stroke stroke{colour, width, dash};
  if (!(stroke == stroke_)) end_strokes();
  stroke_ = stroke;
  strokes_ += data_of(points, closed);
}

void SvgCanvas::end_strokes() {
  if (strokes_.empty()) return;
  result_ += fmt::format("<path d=\"{}\"{} stroke-width=\"{}\"{}/>\n", strokes_,
                         paint("stroke", stroke_.colour), number(stroke_.width),
                         dashes(stroke_.dash, stroke_.width));
  strokes_.clear();
}

void SvgCanvas::fill(std::span<const Vec> points, Colour colour) {
  end_strokes();
  result_ += fmt::format("<path d=\"{}\"{}/>\n", data_of(points, true), paint("fill", colour));
}

void SvgCanvas::dot(Vec centre, double radius, Colour colour) {
  if (!(radius > 0) || !is_finite(centre)) return;
  end_strokes();
  result_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{}/>\n", number(centre.x),
                         number(centre.y), number(radius), paint("fill", colour));
}

void SvgCanvas::ring(Vec centre, double radius, double width, Colour edge, Colour face) {
  if (!(width > 0 && width < radius)) return dot(centre, radius, edge);
  if (!is_finite(centre)) return;
  end_strokes();
  result_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{}{} stroke-width=\"{}\"/>\n",
                         number(centre.x), number(centre.y), number(radius - width / 2),
                         paint("fill", face), paint("stroke", edge), number(width));
}

void SvgCanvas::text(Vec at, std::string_view words, double size, Colour colour, Align align,
                     double angle, bool bold) {
  if (!is_finite(at)) return;
  end_strokes();
  const double down = (text_ascent - text_descent) / 2 * size;  // from the middle to the baseline
  const std::string place =
      angle == 0 ? fmt::format("x=\"{}\" y=\"{}\"", number(at.x), number(at.y + down))
                 : fmt::format("transform=\"translate({} {}) rotate({})\" y=\"{}\"", number(at.x),
                               number(at.y), number(angle * 180 / std::numbers::pi), number(down));
  result_ += fmt::format("<text {} font-size=\"{}\"{}{}{}>{}</text>\n", place, number(size),
                         bold ? " font-weight=\"bold\"" : "", anchor(align), paint("fill", colour),
                         xml_escaped(words));
}

Vec SvgCanvas::text_extent(std::string_view words, double size, bool bold) {
  return {wider_fallback * text_width(units::printable(words), bold) * size,
          (text_ascent + text_descent) * size};
}

void SvgCanvas::push_clip(const Rect& rect) {
  const bool needed = !inside(whole_, rect);
  clips_.push_back(needed);
  if (!needed) return;
  end_strokes();
  const std::string id = fmt::format("{}clip{}", ids_, ++clip_count_);
  result_ += fmt::format(
      "<clipPath id=\"{0}\"><path d=\"{1}\"/></clipPath>\n"
      "<g clip-path=\"url(#{0})\">\n",
      id, data_of(box_of(rect).corners(), true));
}

void SvgCanvas::pop_clip() {
  const bool has_element = clips_.back();
  clips_.pop_back();
  if (!has_element) return;
  end_strokes();
  result_ += "</g>\n";
}

std::string SvgCanvas::finish() {
  end_strokes();
  return std::move(result_) + "</svg>\n";
}

}  // namespace plot
