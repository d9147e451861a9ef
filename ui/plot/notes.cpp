// Notes about a series, each beside the point that it speaks of.
#include <algorithm>
#include <array>

#include "ui/plot/labels.hpp"

namespace plot {
namespace {

/// From a spot to the nearest point of its label.
std::array<Vec, 2> leader_of(Vec spot, const Box& label) {
  return {spot, nearest(spot, label.bounds())};
}

/// True when a roof lies between a spot and its label, which would seem to speak of the roof.
bool behind_roof(const Scene& scene, Vec spot, Vec label) {
  for (const Roof& roof : scene.figure.roofs) {
    if (roof.thin) continue;
    for (std::size_t i = 0; i + 1 < std::min(roof.x.size(), roof.y.size()); ++i) {
      const Vec from = scene.pixel_of_data(roof.x[i], roof.y[i]);
      const Vec to = scene.pixel_of_data(roof.x[i + 1], roof.y[i + 1]);
      if (cross(spot, label, from, to)) return true;
    }
  }
  return false;
}

/// True when a label would stand nearer to a marker of another series than to its own spot. In a
/// crowd of markers a label tells its spot by its leader alone.
bool is_nearer_to_another(const Scene& scene, Vec spot, const Rect& label) {
  constexpr std::size_t crowd = 400;
  std::size_t markers = 0;
  for (const Curve& curve : scene.curves) markers += curve.spots.size();
  if (markers > crowd) return false;
  const double own = distance(spot, label), radius = scene.px(scene.style.marker_size);
  return std::ranges::any_of(scene.curves, [&](const Curve& curve) {
    const bool same = std::ranges::any_of(curve.spots, [&](const Curve::Spot& one) {
      return distance(scene.pixel(one.at), spot) < 0.5;
    });
    return !same && !scene.figure.series[curve.series].faded &&
           std::ranges::any_of(curve.spots, [&](const Curve::Spot& other) {
             const Vec at = scene.pixel(other.at);
             // A marker that covers the spot is told by the same leader.
             return distance(at, spot) > radius && distance(at, label) < own;
           });
  });
}

/// A note about a series, in its hue; where it would lie on anything it is left out.
bool place_text(Scene& scene, const Mark& mark, const std::string& text) {
  const Vec at = scene.pixel_of_data(mark.x, mark.y);
  if (text.empty() || !scene.layout.plot.contains(at)) return false;
  static constexpr Vec around[] = {{0, -1}, {0, 1},  {-1, -1}, {1, -1},
                                   {1, 1},  {-1, 1}, {-1, 0},  {1, 0}};
  const double size = small_share * scene.em();
  const Vec extent = scene.extent(text, size);
  Choice choice;
  double penalty = 0;
  for (const Vec& direction : around) {
    for (const double far : {7.0, 12.0, 20.0, 30.0}) {
      const double own_penalty = penalty + 0.5 * (far - 7);
      if (own_penalty >= choice.cost) continue;
      const Vec centre{at.x + direction.x * (extent.x / 2 + scene.px(far)),
                       at.y + direction.y * (extent.y / 2 + scene.px(far))};
      const Box box{centre, extent.x, extent.y, 0};
      if (!inside(box.bounds(), scene.layout.plot) || behind_roof(scene, at, centre) ||
          leads_through_text(scene, at, box) || is_nearer_to_another(scene, at, box.bounds())) {
        continue;
      }
      choice.consider(scene, box, own_penalty);
    }
    penalty += 1;
  }
  const Colour colour = scene.label_colour(mark.colour, scene.style.text);
  return choice.cover <= note_cover &&
         scene.place({text, choice.box, size, colour, false, true, at}, scene.layout.plot);
}

}  // namespace

bool leads_through_text(const Scene& scene, Vec spot, const Box& label) {
  const std::array<Vec, 2> leader = leader_of(spot, label);
  const auto [left, right] = std::minmax(leader[0].x, leader[1].x);
  const auto [top, bottom] = std::minmax(leader[0].y, leader[1].y);
  const Rect around{left, top, right - left, bottom - top};
  for (const PlacedText& text : scene.layout.texts) {
    if (!overlap(around, text.box)) continue;  // as of nearly all
    const auto corners = text.turned.corners();
    for (std::size_t k = 0; k < corners.size(); ++k) {
      if (cross(leader[0], leader[1], corners[k], corners[(k + 1) % corners.size()])) return true;
    }
  }
  return false;
}

void place_note(Scene& scene, const Mark& mark) {
  if (!place_text(scene, mark, mark.label)) place_text(scene, mark, mark.short_label);
}

void paint_leader(Scene& scene, const PlacedText& label) {
  const std::array line = leader_of(*label.spot, label.turned);
  const double share = 1.3 * scene.px(scene.style.marker_size) / distance(line[0], line[1]);
  if (!(share < 1)) return;
  // Beyond the marker.
  scene.paint_line(between(line[0], line[1], share), line[1], faded(label.colour, 0.7F),
                   scene.px(1));
}

}  // namespace plot
