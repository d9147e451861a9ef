// Labels inside the plot. Each looks for a place where no text and as few lines and markers as
// possible lie; one that finds no place is left out.
#include "ui/plot/labels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

namespace plot {
namespace {

/// A label of a spot.
struct SpotLabel {
  const std::string& text;
  Colour colour;
  bool bold;
  double distance;
  double most_cover;
  bool leads = false;  ///< a line leads to it where it stands far from its spot
};

/// From a spot; such a label would seem to speak of something else.
bool is_far(const Scene& scene, Vec spot, const Rect& label) {
  return distance(spot, label) > scene.px(13);
}

/// Places it around `at`, the wanted direction first.
bool place_around(Scene& scene, Vec at, const SpotLabel& label, std::span<const Vec> directions) {
  const double size = small_share * scene.em();
  const Vec extent = scene.extent(label.text, size, label.bold);
  Choice choice;
  double penalty = 0;
  for (const Vec& direction : directions) {
    for (const double far : {1.0, 1.8, 3.0, 4.5}) {
      if (far > 3 && !label.leads) continue;
      const Vec centre{at.x + direction.x * (extent.x / 2 + far * label.distance),
                       at.y + direction.y * (extent.y / 2 + far * label.distance)};
      const Box box{centre, extent.x, extent.y, 0};
      const bool leads = label.leads && is_far(scene, at, box.bounds());
      if (leads && leads_through_text(scene, at, box)) continue;
      choice.consider(scene, box, penalty + 6 * (far - 1));
    }
    penalty += 2;
  }
  PlacedText text{label.text, choice.box, size, label.colour, label.bold, true, {}};
  if (label.leads && std::isfinite(choice.cost) && is_far(scene, at, choice.box.bounds()))
    text.spot = at;
  return choice.cover <= label.most_cover && scene.place(std::move(text), scene.layout.plot);
}

void place_mark_label(Scene& scene, const Mark& mark) {
  const Vec at = scene.pixel_of_data(mark.x, mark.y);
  if (mark.faded || mark.label.empty() || !scene.layout.plot.contains(at)) return;
  static constexpr Vec around[] = {{1, 1},  {1, 0},  {-1, -1}, {-1, 0},
                                   {1, -1}, {-1, 1}, {0, 1},   {0, -1}};
  const bool probe = mark.kind == Mark::Kind::probe;
  const Colour colour = probe ? scene.style.accent : scene.style.cursor;
  for (const std::string& text : {mark.label, mark.short_label}) {
    if (!text.empty() &&
        place_around(scene, at, {text, colour, probe, scene.px(8), most_cover, true}, around))
      return;
  }
}

/// True where a label of this width to the right of a mark's drop line would lie on the next one,
/// and to the left would not, or farther from its own.
bool belongs_on_left(const Scene& scene, const Mark& mark, double width) {
  double left = INFINITY, right = INFINITY;
  for (const Mark& other : scene.figure.marks) {
    if (!has_drop_line(other) || other.x == mark.x) continue;
    const double distance = scene.foot_of(other).x - scene.foot_of(mark).x;
    double& side = distance > 0 ? right : left;
    side = std::min(side, std::abs(distance));
  }
  return right < width && left > right;
}

/// A ridge has free space outside its corner, up to the left; else its name stands where its
/// vertical meets the axis, on the side where the next vertical is farther.
void place_ridge_label(Scene& scene, const Mark& mark) {
  const Vec at = scene.pixel_of_data(mark.x, mark.y);
  if (mark.label.empty() || !scene.layout.plot.contains(at)) return;
  static constexpr Vec outside[] = {{-1, -1}, {-1, 0}};
  const SpotLabel label{mark.label, scene.label_colour(mark.colour, scene.style.text), false,
                        scene.px(5), clear_cover};
  if (place_around(scene, at, label, outside)) return;
  std::array<Vec, 2> beside{{{1, 0}, {-1, 0}}};
  const double width = scene.extent(mark.label, small_share * scene.em()).x + label.distance;
  if (belongs_on_left(scene, mark, width)) std::swap(beside[0], beside[1]);
  for (const Vec& side : beside) {
    for (const double up : {1.0, 2.5, 4.0, 5.5}) {
      const Vec low{at.x, scene.layout.plot.bottom() - up * scene.em()};
      if (low.y > at.y + scene.em() && place_around(scene, low, label, std::span(&side, 1))) return;
    }
  }
}

void place_cursor_label(Scene& scene, const Cursor& cursor) {
  const Rect& plot = scene.layout.plot;
  const auto at = scene.vertical_at(cursor.x);
  if (cursor.label.empty() || !at) return;
  const double size = small_share * scene.em(), gap = 0.4 * scene.em();
  const Vec extent = scene.extent(cursor.label, size);
  Choice choice;
  constexpr int rows = 16;
  for (int step = 0; step <= rows; ++step) {
    const double share = static_cast<double>(step) / rows;
    const double y = plot.bottom() - gap - extent.y / 2 - share * (plot.h - extent.y - 2 * gap);
    for (const double side : {1.0, -1.0}) {
      const Box box{{*at + side * (extent.x / 2 + gap), y}, extent.x, extent.y, 0};
      choice.consider(scene, box, 30 * share + (side < 0 ? 1 : 0));
    }
  }
  if (choice.cover > most_cover) return;
  scene.place({cursor.label, choice.box, size, scene.style.cursor, false, true}, plot);
}

/// At the foot of its line, left of it: what ends there is named.
void place_guide_label(Scene& scene, const Guide& guide) {
  const Rect& plot = scene.layout.plot;
  const auto at = scene.vertical_at(guide.x);
  if (guide.label.empty() || !at) return;
  const double size = small_share * scene.em(), gap = 0.35 * scene.em();
  const Vec extent = scene.extent(guide.label, size);
  Choice choice;
  for (int row = 0; row < 6; ++row) {
    const double y = plot.bottom() - gap - extent.y * (0.5 + row);
    for (const double side : {-1.0, 1.0}) {
      const Box box{{*at + side * (extent.x / 2 + gap), y}, extent.x, extent.y, 0};
      choice.consider(scene, box, 4 * row + (side > 0 ? 2 : 0));
    }
  }
  if (choice.cover > most_cover) return;
  scene.place({guide.label, choice.box, size, scene.style.text_dim, false, true}, plot);
}

/// True when a box lies wholly under the region's line and between its ends.
bool under_line(const Scene& scene, const Region& region, const Rect& box) {
  bool covered_left = false, covered_right = false;
  const std::vector<Vec> line = scene.pixels_of_data(region.x, region.y);
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    const Vec from = line[i], to = line[i + 1];
    for (const double x : {box.x, box.right()}) {
      if (!(x >= from.x && x <= to.x)) continue;
      (x == box.x ? covered_left : covered_right) = true;
      if (!(box.y > from.y + (x - from.x) / (to.x - from.x) * (to.y - from.y))) return false;
    }
  }
  return covered_left && covered_right;
}

void place_region_name(Scene& scene, const Region& region) {
  if (region.name.empty() || region.x.empty() || region.y.empty()) return;
  const Rect& plot = scene.layout.plot;
  const Vec extent = scene.extent(region.name, scene.em());
  const double left = std::max(scene.pixel_of_data(region.x.front(), region.y.front()).x, plot.x);
  const double right =
      std::min(scene.pixel_of_data(region.x.back(), region.y.back()).x, plot.right());
  if (!(right - left > extent.x)) return;
  const double at_foot = 1 - (0.5 * extent.y + 0.12 * scene.em()) / plot.h;
  for (const double down : {0.93, 0.8, 0.65, 0.5, at_foot}) {
    for (const double across : {0.5, 0.65, 0.35, 0.8, 0.2, 0.05}) {
      const Vec centre{left + extent.x / 2 + across * (right - left - extent.x),
                       plot.y + down * plot.h};
      const Box box{centre, extent.x, extent.y, 0};
      if (scene.layout.occupancy.under(box, 0) > 0 || !under_line(scene, region, box.bounds()))
        continue;
      const Colour colour = scene.style.colour_of(region.regime);
      if (scene.place({region.name, box, scene.em(), colour, false, false}, plot)) return;
    }
  }
}

/// In the middle, or above or below what roofs there are.
void place_empty_text(Scene& scene) {
  const bool has_spots = std::ranges::any_of(
      scene.figure.series, [](const Series& series) { return series.points->size() > 0; });
  if (scene.figure.empty_text.empty() || has_spots) return;
  const Rect& plot = scene.layout.plot;
  const double size = scene.em(), row = 1.5 * size;
  const std::vector<std::string> lines =
      wrapped(scene.canvas, scene.figure.empty_text, size, false, 0.75 * plot.w);
  double width = 0;
  for (const std::string& line : lines) width = std::max(width, scene.extent(line, size).x);
  const double height = row * static_cast<double>(lines.size());
  Choice choice;
  for (const double down : {0.5, 0.65, 0.8, 0.35, 0.2, 0.9}) {
    const Vec middle{plot.x + plot.w / 2, plot.y + down * plot.h};
    choice.consider(scene, {middle, width, height, 0}, std::abs(down - 0.5));
  }
  double y = choice.box.centre.y - (height - row) / 2;
  for (const std::string& line : lines) {
    const Vec extent = scene.extent(line, size);
    const Box box{{choice.box.centre.x, y}, extent.x, extent.y, 0};
    scene.place({line, box, size, scene.style.text_dim, false, true}, plot);
    y += row;
  }
}

void place_label_of(Scene& scene, const Mark& mark) {
  switch (mark.kind) {
    case Mark::Kind::ridge:
      return place_ridge_label(scene, mark);
    case Mark::Kind::probe:
    case Mark::Kind::predicted:
      return place_mark_label(scene, mark);
    case Mark::Kind::best:
    case Mark::Kind::knee:
      return place_note(scene, mark);
  }
}

void place_labels_of(Scene& scene, const std::vector<Mark>& marks, Mark::Kind kind) {
  for (const Mark& mark : marks)
    if (mark.kind == kind) place_label_of(scene, mark);
}

bool is_thumbnail(const Scene& scene) {
  const Rect& plot = scene.layout.plot;
  return plot.w < 14 * scene.em() || plot.h < 6 * scene.em();
}

/// Where the canvas puts a text so that it fills its box.
Vec anchor_of(const PlacedText& text) {
  const Box& box = text.turned;
  const double along = text.align == Align::left    ? -box.w / 2
                       : text.align == Align::right ? box.w / 2
                                                    : 0;
  return {box.centre.x + along * std::cos(box.angle), box.centre.y + along * std::sin(box.angle)};
}

}  // namespace

void lay_out_labels(Scene& scene) {
  place_empty_text(scene);
  if (is_thumbnail(scene)) return;
  place_roof_labels(scene);
  // Two words that explain the picture, before numbers that the axis tells, too.
  for (const Region& region : scene.figure.regions) place_region_name(scene, region);
  place_labels_of(scene, scene.figure.marks, Mark::Kind::ridge);
  for (const Guide& guide : scene.figure.guides) place_guide_label(scene, guide);
  place_labels_of(scene, scene.figure.marks, Mark::Kind::knee);
  place_labels_of(scene, scene.figure.marks, Mark::Kind::best);
}

void lay_out_labels(Scene& scene, const Overlay& overlay) {
  if (is_thumbnail(scene)) return;
  place_labels_of(scene, overlay.marks, Mark::Kind::probe);
  if (overlay.cursor) place_cursor_label(scene, *overlay.cursor);
  place_labels_of(scene, overlay.marks, Mark::Kind::predicted);
}

void paint_texts(Scene& scene) {
  for (const PlacedText& text : scene.layout.texts) {
    if (text.spot) paint_leader(scene, text);
    if (text.halo && !scene.style.transparent) {
      const Box behind{text.turned.centre, text.turned.w + scene.px(4), 0.9 * text.turned.h,
                       text.turned.angle};
      scene.canvas.fill(behind.corners(), faded(scene.style.background, 0.7F));
    }
    scene.canvas.text(anchor_of(text), text.text, text.size, text.colour, text.align,
                      text.turned.angle, text.bold);
  }
}

}  // namespace plot
