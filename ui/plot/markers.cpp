// The shapes of points, and the samples of lines and signs in legends.
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numbers>
#include <vector>

#include "ui/plot/scene.hpp"

namespace plot {
namespace {

constexpr double sample_em = 2.6;  // wide: dashes show on both sides of the marker

/// Corners of a marker's outline, clockwise; of a circle, points along it.
std::vector<Vec> outline_of(Marker marker, Vec at, double size) {
  constexpr int sides = 24;
  std::vector<Vec> corners;
  const auto add = [&](std::initializer_list<Vec> unit) {
    for (const Vec& corner : unit)
      corners.push_back({at.x + size * corner.x, at.y + size * corner.y});
  };
  switch (marker) {
    case Marker::circle:
      for (int i = 0; i < sides; ++i) {
        const double angle = 2 * std::numbers::pi * i / sides;
        add({{std::cos(angle), std::sin(angle)}});
      }
      break;
    case Marker::square:
      add({{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}});
      break;
    case Marker::triangle:
      add({{0, -1.15}, {1, 0.7}, {-1, 0.7}});
      break;
    case Marker::diamond:
      add({{0, -1.2}, {1.2, 0}, {0, 1.2}, {-1.2, 0}});
      break;
    case Marker::none:
      break;
  }
  return corners;
}

/// So many equal dashes around a closed outline, however small it is.
void paint_dashes(Scene& scene, const std::vector<Vec>& corners, int dashes, double width,
                  Colour colour) {
  constexpr double drawn = 0.6;  // of each dash and the gap behind it
  double around = 0;
  const auto side = [&](std::size_t i) {
    return distance(corners[i], corners[(i + 1) % corners.size()]);
  };
  for (std::size_t i = 0; i < corners.size(); ++i) around += side(i);
  const double period = around / dashes;
  for (int dash = 0; dash < dashes; ++dash) {
    const double from = dash * period, to = from + drawn * period;
    std::vector<Vec> piece;
    double at = 0;
    for (std::size_t i = 0; i < corners.size(); ++i) {
      const Vec &a = corners[i], &b = corners[(i + 1) % corners.size()];
      const double length = side(i), begin = std::max(from, at), end = std::min(to, at + length);
      if (begin < end) {
        if (piece.empty()) piece.push_back(between(a, b, (begin - at) / length));
        piece.push_back(between(a, b, (end - at) / length));
      }
      at += length;
    }
    if (piece.size() > 1) scene.canvas.path(piece, colour, width, Dash::solid, false);
  }
}

/// On the ground, where nothing shines through.
Colour opaque(const Scene& scene, Colour colour) {
  return mixed(scene.style.background, {colour.r, colour.g, colour.b, 1}, colour.a);
}

void fill_shape(Scene& scene, Marker marker, Vec at, double size, Colour colour) {
  if (marker == Marker::none) return;
  if (marker == Marker::circle)
    scene.canvas.dot(at, size, colour);
  else
    scene.canvas.fill(outline_of(marker, at, size), colour);
}

}  // namespace

void paint_marker(Scene& scene, const Series& series, Vec at, double radius, Colour colour) {
  const Colour face = opaque(scene, colour);
  const double edge = std::max(scene.px(1.5), 0.3 * radius);
  if (series.marker == Marker::circle && !series.filled) {
    scene.canvas.ring(at, radius, edge, face, scene.style.background);
  } else {
    fill_shape(scene, series.marker, at, radius, face);
    if (!series.filled) fill_shape(scene, series.marker, at, radius - edge, scene.style.background);
  }
  const bool open = !series.filled && series.marker != Marker::none;
  if (open && series.core == Core::dot) scene.canvas.dot(at, 0.55 * (radius - edge), face);
}

void paint_doubtful_marker(Scene& scene, const Series& series, Vec at, double radius,
                           Colour colour) {
  if (series.marker == Marker::none) return;
  const double size = 1.2 * radius;  // room for dashes and gaps
  const Colour face = opaque(scene, colour);
  fill_shape(scene, series.marker, at, size, scene.style.background);
  const int dashes = series.marker == Marker::triangle ? 6
                     : series.marker == Marker::circle ? 5
                                                       : 8;
  paint_dashes(scene, outline_of(series.marker, at, size), dashes, scene.px(1.3), face);
  // Filled and dotted ones still differ from open ones.
  if (series.filled)
    fill_shape(scene, series.marker, at, 0.5 * radius, face);
  else if (series.core == Core::dot)
    scene.canvas.dot(at, 0.3 * radius, face);
}

void paint_interval(Scene& scene, Vec top, Vec foot, double cap, Colour colour) {
  const auto paint = [&](Vec from, Vec to) {
    if (clip_segment(scene.layout.plot, from, to))
      scene.paint_line(from, to, colour, scene.px(1.2));
  };
  paint(top, foot);
  for (const Vec& end : {top, foot}) paint({end.x - cap, end.y}, {end.x + cap, end.y});
}

double sample_width(const Style& style) { return sample_em * style.font_size * style.scale; }

void draw_sample(const Series& series, const Rect& where, const Style& style, Canvas& canvas) {
  const Figure none;
  Scene scene(none, where, style, canvas);
  const double em = scene.em(), middle = where.y + where.h / 2;
  Colour colour = scene.series_colour(series.colour);
  if (series.hidden || series.faded) colour = faded(colour, 0.35F);
  if (series.is_solid()) {
    const double width = std::min(1.2 * em, where.w);
    paint_swatch(scene, {where.x + (where.w - width) / 2, middle - 0.4 * em, width, 0.8 * em},
                 colour);
    return;
  }
  if (series.line)
    scene.paint_line({where.x, middle}, {where.right(), middle}, colour,
                     scene.px(style.line_width * 0.8), series.dash);
  paint_marker(scene, series, {where.x + where.w / 2, middle}, scene.px(style.marker_size), colour);
}

void draw_sample(const Key& key, const Rect& where, const Style& style, Canvas& canvas) {
  const Figure none;
  Scene scene(none, where, style, canvas);
  const Vec middle{where.x + where.w / 2, where.y + where.h / 2};
  const double radius = scene.px(style.marker_size);
  const auto paint_line = [&](Colour colour, double width, Dash dash) {
    scene.paint_line({where.x, middle.y}, {where.right(), middle.y}, colour, scene.px(width), dash);
  };
  const Series open{.filled = false};
  switch (key.sign) {
    case Key::Sign::doubtful:
      return paint_doubtful_marker(scene, open, middle, radius, style.text_dim);
    case Key::Sign::faded: {
      const Colour pale = faded(style.text, 0.35F);
      paint_line(pale, style.line_width * 0.6, Dash::solid);
      return paint_marker(scene, open, middle, 0.8 * radius, pale);
    }
    case Key::Sign::interval: {
      const double half = 0.45 * where.h;
      return paint_interval(scene, {middle.x, middle.y - half}, {middle.x, middle.y + half},
                            0.7 * radius, style.text_dim);
    }
    case Key::Sign::guide:
      return paint_line(faded(style.roof_dim, 0.8F), 1, Dash::solid);
    case Key::Sign::ghost:
      return paint_line(style.roof_dim, style.line_width * 0.75, Dash::dotted);
    case Key::Sign::probe:
      return paint_probe(scene, middle);
    case Key::Sign::trail:
      return paint_trail(scene, middle, 1);
    case Key::Sign::density: {
      const double side = 0.8 * where.h;
      return paint_swatch(scene, {middle.x - side / 2, middle.y - side / 2, side, side},
                          density_colour(scene, 0.6F));
    }
  }
}

}  // namespace plot
