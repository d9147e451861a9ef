// Series and roofs as strokes: lines, error bars and markers.
#include <algorithm>
#include <cmath>
#include <ranges>
#include <span>

#include "ui/plot/scene.hpp"

namespace plot {

double radius_of(const Scene& scene, const Series& series) {
  return scene.px(scene.style.marker_size) * (series.faded ? 0.8 : 1.0);
}

namespace {

Colour colour_of(const Scene& scene, const Series& series) {
  const Colour colour = scene.series_colour(series.colour);
  return faded(colour, (series.faded ? 0.35F : 1) * (series.dimmed ? 0.25F : 1));
}

/// The pieces of a line within a rectangle, as whole polylines so that dashes run on.
void paint_clipped(Scene& scene, std::span<const Vec> pixels, const Rect& within, Colour colour,
                   double width, Dash dash) {
  if (std::ranges::all_of(pixels, [&](Vec pixel) { return within.contains(pixel); })) {
    scene.canvas.path(pixels, colour, width, dash, false);
    return;
  }
  std::vector<Vec> piece;
  const auto end_piece = [&] {
    if (piece.size() > 1) scene.canvas.path(piece, colour, width, dash, false);
    piece.clear();
  };
  for (std::size_t i = 0; i + 1 < pixels.size(); ++i) {
    Vec from = pixels[i], to = pixels[i + 1];
    if (!clip_segment(within, from, to)) {
      end_piece();
      continue;
    }
    if (piece.empty() || piece.back().x != from.x || piece.back().y != from.y) {
      end_piece();
      piece.push_back(from);
    }
    piece.push_back(to);
  }
  end_piece();
}

std::vector<Vec> pixels_of(const Scene& scene, const std::vector<Vec>& line) {
  std::vector<Vec> pixels;
  pixels.reserve(line.size());
  for (const Vec& shares : line) pixels.push_back(scene.pixel(shares));
  return pixels;
}

void paint_error_bar(Scene& scene, const Curve::Spot& spot, double radius, Colour colour) {
  const Vec top = scene.pixel({spot.at.x, spot.high}), foot = scene.pixel({spot.at.x, spot.low});
  // NaN included: a bar shorter than its marker says nothing that can be seen.
  if (!(foot.y - top.y > 2 * radius + scene.px(2))) return;
  paint_interval(scene, top, foot, 0.7 * radius, colour);
}

void map_curve(const Scene& scene, const Curve& curve, OccupancyMap& occupancy) {
  // A line that goes to and fro more often is everywhere, and nothing that a label could avoid.
  constexpr double most_crossings = 8;
  for (const std::vector<Vec>& line : curve.lines) {
    double travelled = 0;  // in widths of the plot
    for (std::size_t i = 0; i + 1 < line.size() && travelled < most_crossings; ++i) {
      occupancy.add_line(scene.pixel(line[i]), scene.pixel(line[i + 1]), Occupant::curve);
      travelled += std::abs(line[i + 1].x - line[i].x);
    }
  }
  const double radius = radius_of(scene, scene.figure.series[curve.series]);
  for (const Curve::Spot& spot : curve.spots)
    occupancy.add_dot(scene.pixel(spot.at), radius, Occupant::spot);
}

/// Of a series' line.
double width_of(const Scene& scene, const Series& series) {
  const double width = scene.px(scene.style.line_width * (series.faded ? 0.6 : 0.8));
  // No eye sees fractions of a pixel here, and whole widths cost a third of the triangles.
  constexpr std::size_t many = 256;
  return series.points->size() > many ? std::max(std::round(width), 1.0) : width;
}

void paint_curve(Scene& scene, const Curve& curve) {
  const Series& series = scene.figure.series[curve.series];
  const Colour colour = colour_of(scene, series);
  const double width = width_of(scene, series);
  for (const auto& line : curve.lines) {
    paint_clipped(scene, pixels_of(scene, line), scene.layout.plot, colour, width, series.dash);
  }
  const double radius = radius_of(scene, series);
  for (const Curve::Spot& spot : curve.spots) paint_error_bar(scene, spot, radius, colour);
  const auto paint = [&](const Curve::Spot& spot) {
    const Vec at = scene.pixel(spot.at);
    if (!scene.layout.plot.contains(at)) return;
    (spot.flagged ? paint_doubtful_marker : paint_marker)(scene, series, at, radius,
                                                          faded(colour, spot.strength));
  };
  // The strongest are the first of their points, and lie in front.
  if (series.points->strength.empty())
    std::ranges::for_each(curve.spots, paint);
  else
    std::ranges::for_each(curve.spots | std::views::reverse, paint);
}

}  // namespace

void map_occupancy(Scene& scene) {
  if (scene.curves.empty()) scene.curves = decimated(scene);
  OccupancyMap& occupancy = scene.layout.occupancy;
  occupancy = OccupancyMap(scene.layout.plot, std::max(scene.px(2.5), 2.0));
  for (const Curve& curve : scene.curves) map_curve(scene, curve, occupancy);
  map_solids(scene, occupancy);
  for (const Roof& roof : scene.figure.roofs) {
    const std::vector<Vec> pixels = scene.pixels_of_data(roof.x, roof.y);
    for (std::size_t i = 0; i + 1 < pixels.size(); ++i) {
      occupancy.add_line(pixels[i], pixels[i + 1], roof.thin ? Occupant::curve : Occupant::roof);
    }
  }
  // A guide is named at its foot.
  const Rect& plot = scene.layout.plot;
  for (const Guide& guide : scene.figure.guides) {
    const auto at = scene.vertical_at(guide.x);
    if (!guide.label.empty() && at)
      occupancy.add_line({*at, plot.bottom() - scene.em()}, {*at, plot.bottom()}, Occupant::guide);
  }
  for (const Mark& mark : scene.figure.marks) {
    const bool on_marker = mark.kind == Mark::Kind::best || mark.kind == Mark::Kind::knee;
    if (!on_marker)
      occupancy.add_dot(scene.pixel_of_data(mark.x, mark.y), scene.px(6), Occupant::spot);
    if (has_drop_line(mark)) {
      occupancy.add_line(scene.pixel_of_data(mark.x, mark.y), scene.foot_of(mark), Occupant::guide);
    }
  }
}

void paint_roofs(Scene& scene) {
  for (const Roof& roof : scene.figure.roofs) {
    const bool strong = roof.dash == Dash::solid && !roof.thin;
    const Colour neutral = strong ? scene.style.roof : scene.style.roof_dim;
    Colour colour = roof.colour < 0 ? neutral : scene.series_colour(roof.colour);
    if (roof.thin && !roof.ghost) colour = faded(colour, 0.6F);
    const double width = roof.thin ? 1
                         : strong  ? scene.style.line_width * 1.1
                                   : scene.style.line_width * 0.75;
    paint_clipped(scene, scene.pixels_of_data(roof.x, roof.y), scene.layout.plot, colour,
                  scene.px(width), roof.dash);
  }
}

void paint_curves(Scene& scene) {
  // What is dimmed lies behind, and earlier runs.
  const auto layer_of = [&](const Curve& curve) {
    const Series& series = scene.figure.series[curve.series];
    return (series.dimmed ? 0 : 2) + (series.faded ? 0 : 1);
  };
  for (int layer = 0; layer < 4; ++layer) {
    for (const Curve& curve : scene.curves)
      if (layer_of(curve) == layer) paint_curve(scene, curve);
  }
}

}  // namespace plot
