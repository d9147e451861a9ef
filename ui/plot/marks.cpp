// Spots that stand out: ridge points, the probe and its predictions; guides, and the cursor's line.
#include <algorithm>
#include <array>
#include <vector>

#include "ui/plot/scene.hpp"

namespace plot {
namespace {

void paint_diamond(Scene& scene, Vec at, double radius, Colour colour) {
  const std::array corners{Vec{at.x, at.y - radius}, Vec{at.x + radius, at.y},
                           Vec{at.x, at.y + radius}, Vec{at.x - radius, at.y}};
  scene.canvas.fill(corners, colour);
}

void paint_ridge(Scene& scene, const Mark& mark, Vec at) {
  const double size = scene.px(scene.style.marker_size);
  paint_diamond(scene, at, 1.6 * size, scene.style.background);
  paint_diamond(scene, at, 1.2 * size,
                mark.colour < 0 ? scene.style.roof : scene.series_colour(mark.colour));
}

/// Across the cursor line. A marker on top of it leaves both of its ends in sight.
void paint_predicted(Scene& scene, Vec at) {
  const double half = 2.4 * scene.px(scene.style.marker_size);
  const Vec left{at.x - half, at.y}, right{at.x + half, at.y};
  scene.paint_line(left, right, scene.style.background, scene.px(4.5));
  scene.paint_line(left, right, scene.style.cursor, scene.px(2.5));
}

void paint_mark(Scene& scene, const Mark& mark, Vec at) {
  switch (mark.kind) {
    case Mark::Kind::ridge:
      return paint_ridge(scene, mark, at);
    case Mark::Kind::probe:
      return mark.faded ? paint_trail(scene, at, mark.strength) : paint_probe(scene, at);
    case Mark::Kind::predicted:
      return paint_predicted(scene, at);
    case Mark::Kind::best:
    case Mark::Kind::knee:
      return;  // the series' own marker is there
  }
}

void paint_marks_of(Scene& scene, const std::vector<Mark>& marks, Mark::Kind kind) {
  for (const Mark& mark : marks) {
    const Vec at = scene.pixel_of_data(mark.x, mark.y);
    if (mark.kind == kind && scene.layout.plot.contains(at)) paint_mark(scene, mark, at);
  }
}

/// From top to bottom, but not through texts.
void paint_cursor(Scene& scene, const Cursor& cursor) {
  const Rect& plot = scene.layout.plot;
  const auto at = scene.vertical_at(cursor.x);
  if (!at) return;
  std::vector<Rect> crossed;
  const auto cross = [&](const Rect& box) {
    if (*at >= box.x && *at <= box.right() && overlap(box, plot)) crossed.push_back(box);
  };
  for (const PlacedText& text : scene.layout.texts) cross(text.box);
  if (scene.layout.legend_box) cross(*scene.layout.legend_box);
  std::ranges::sort(crossed, {}, &Rect::y);
  crossed.push_back({*at, plot.bottom(), 0, 0});
  double from = plot.y;
  for (const Rect& box : crossed) {
    if (box.y > from)
      scene.paint_line({*at, from}, {*at, box.y}, faded(scene.style.cursor, 0.8F), scene.px(1.2));
    from = std::max(from, box.bottom());
  }
}

}  // namespace

void paint_probe(Scene& scene, Vec at) {
  const double size = scene.px(scene.style.marker_size);
  scene.canvas.dot(at, 1.9 * size, scene.style.background);
  scene.canvas.dot(at, 1.6 * size, scene.style.accent);
  scene.canvas.dot(at, 1.05 * size, scene.style.background);
  scene.canvas.dot(at, 0.6 * size, scene.style.accent);
}

void paint_trail(Scene& scene, Vec at, float strength) {
  const double size = 0.6 * scene.px(scene.style.marker_size);
  scene.canvas.dot(at, 1.9 * size, faded(scene.style.background, strength));
  scene.canvas.dot(at, 1.5 * size, faded(scene.style.text_dim, strength));
}

void paint_guides(Scene& scene) {
  const Rect& plot = scene.layout.plot;
  for (const Guide& guide : scene.figure.guides) {
    if (const auto at = scene.vertical_at(guide.x))
      scene.paint_line({*at, plot.y}, {*at, plot.bottom()}, faded(scene.style.text_dim, 0.8F),
                       scene.px(1.2), Dash::dashed);
  }
}

void paint_marks(Scene& scene) {
  for (const Mark& mark : scene.figure.marks) {
    Vec top = scene.pixel_of_data(mark.x, mark.y), foot = scene.foot_of(mark);
    if (!has_drop_line(mark) || !clip_segment(scene.layout.plot, top, foot)) continue;
    const Colour colour = mark.colour < 0 ? scene.style.roof_dim : scene.series_colour(mark.colour);
    scene.paint_line(top, foot, faded(colour, 0.7F), scene.px(1), Dash::dotted);
  }
  paint_marks_of(scene, scene.figure.marks, Mark::Kind::ridge);
}

void paint_overlay(Scene& scene, const Overlay& overlay) {
  if (overlay.cursor) paint_cursor(scene, *overlay.cursor);
  paint_marks_of(scene, overlay.marks, Mark::Kind::predicted);
  paint_marks_of(scene, overlay.marks, Mark::Kind::probe);
}

}  // namespace plot
