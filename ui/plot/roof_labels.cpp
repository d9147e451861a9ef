// Labels along roofs, turned to their slope. A label never stands behind another roof, to which it
// would seem to belong.
#include <algorithm>
#include <cmath>

#include "ui/plot/labels.hpp"

namespace plot {
namespace {

/// A roof as it lies on screen.
struct Line {
  const Roof* roof;
  std::vector<Vec> pixels;
};

bool is_guide(const Line& line) { return line.roof->thin || line.roof->label.empty(); }

double distance_to(const Line& line, Vec place) {
  double least = INFINITY;
  for (std::size_t i = 0; i + 1 < line.pixels.size(); ++i) {
    const Vec from = line.pixels[i], to = line.pixels[i + 1];
    const double x = to.x - from.x, y = to.y - from.y, squared = x * x + y * y;
    const double share =
        squared > 0 ? ((place.x - from.x) * x + (place.y - from.y) * y) / squared : 0;
    const double at = std::clamp(share, 0.0, 1.0);
    least = std::min(least, distance(between(from, to, at), place));
  }
  return least;
}

/// One straight piece of a line.
struct Track {
  Vec from, along;
  double length, angle;

  Vec point_at(double at, double off) const {
    return {from.x + at * along.x - off * along.y, from.y + at * along.y + off * along.x};
  }
};

/// What the places along one line are judged by.
struct Search {
  const Scene& scene;
  const std::vector<Line>& lines;
  const Roof* own;
  Vec extent;
  Choice choice;

  /// How near two roofs lie that share a place: a label may stand beyond both.
  double alike() const { return 0.3 * scene.em(); }

  /// The worst line between a label and its roof: another strong roof rules the place out.
  double penalty_of_crossing(Vec roof, Vec label) const {
    const auto off_roof = [&](double far) {
      return between(roof, label, std::min(1.0, far / distance(roof, label)));
    };
    const auto crosses = [&](const Line& line, Vec from) {
      for (std::size_t i = 0; i + 1 < line.pixels.size(); ++i)
        if (cross(from, label, line.pixels[i], line.pixels[i + 1])) return true;
      return false;
    };
    double penalty = 0;
    for (const Line& line : lines) {
      if (line.roof == own) continue;
      if (is_guide(line)) {
        // It shares the label of the roof on which it nearly lies.
        if (crosses(line, off_roof(0.9 * scene.em()))) penalty = std::max(penalty, 9.0);
      } else if (crosses(line, line.roof->dash == Dash::solid ? roof : off_roof(alike()))) {
        return INFINITY;
      } else if (crosses(line, roof)) {
        penalty = std::max(penalty, 12.0);
      }
    }
    return penalty;
  }

  /// Whether a label would seem to belong to another roof of its colour, since that lies nearer.
  bool is_nearer_to_another(Vec roof, Vec label) const {
    const double own_distance = distance(roof, label);
    return std::ranges::any_of(lines, [&](const Line& line) {
      return line.roof != own && !is_guide(line) && line.roof->colour == own->colour &&
             distance_to(line, roof) > alike() && distance_to(line, label) < own_distance;
    });
  }

  /// Of a label longer than its flat line: no other roof may be as near to its ends as its own is.
  double penalty_of_neighbours(Vec label, double off) const {
    double penalty = 0;
    for (const double end : {label.x - extent.x / 2, label.x + extent.x / 2}) {
      penalty += penalty_of_crossing({end, label.y - off}, {end, label.y + off});
    }
    return penalty;
  }

  /// Above the line or, failing that, below; farther off where points lie.
  void consider_beside(const Track& track, double at, double penalty) {
    for (const double side : {-1.0, 1.0}) {
      for (const double gap : {0.1, 0.45, 0.65, 0.9, 1.4}) {
        const double own_penalty = penalty + 8 * (gap - 0.1) + (side > 0 ? 10 : 0);
        if (own_penalty >= choice.cost) continue;
        const double off = side * (gap * scene.em() + extent.y / 2);
        const Vec centre = track.point_at(at, off);
        const Vec on_line = track.point_at(std::clamp(at, 0.0, track.length), 0);
        if (is_nearer_to_another(on_line, centre)) continue;
        double crossing = penalty_of_crossing(on_line, centre);
        if (extent.x > track.length) crossing += penalty_of_neighbours(centre, std::abs(off));
        choice.consider(scene, {centre, extent.x, extent.y, track.angle}, own_penalty + crossing);
      }
    }
  }

  /// A label longer than its flat line: flush with one of its ends, or over its middle.
  void consider_across(const Track& track) {
    constexpr double longest = 2.5, penalty = 3;
    if (std::abs(track.along.y) > 0.01 || extent.x > longest * track.length) return;
    consider_beside(track, track.length / 2, penalty);
    consider_beside(track, extent.x / 2, penalty);
    consider_beside(track, track.length - extent.x / 2, penalty);
  }

  void consider_along(Vec from, Vec to) {
    if (from.x > to.x) std::swap(from, to);
    const double length = distance(from, to), end_gap = 0.4 * scene.em();
    const double room = length - extent.x - 2 * end_gap;
    const Vec along{(to.x - from.x) / length, (to.y - from.y) / length};
    const Track track{from, along, length, std::atan2(along.y, along.x)};
    if (room < 0) {
      consider_across(track);
      return;
    }
    // A flat roof is named at its open end, a slope in its middle; nearest places first.
    const double wanted = std::abs(along.y) < 0.1 ? 1 : 0.5;
    constexpr int slots = 24;
    for (int distance = 0; distance <= slots; ++distance) {
      for (const int direction : {-1, 1}) {
        const double share = wanted + direction * static_cast<double>(distance) / slots;
        if (share < 0 || share > 1 || (distance == 0 && direction > 0)) continue;
        consider_beside(track, end_gap + extent.x / 2 + share * room,
                        24 * std::abs(share - wanted));
      }
    }
  }
};

Choice best_along(Scene& scene, const std::vector<Line>& lines, const Line& line,
                  const std::string& text) {
  Search search{scene, lines, line.roof, scene.extent(text, small_share * scene.em()), {}};
  for (std::size_t i = 0; i + 1 < line.pixels.size(); ++i) {
    Vec from = line.pixels[i], to = line.pixels[i + 1];
    if (clip_segment(scene.layout.plot, from, to)) search.consider_along(from, to);
  }
  return search.choice;
}

void place_label(Scene& scene, const std::vector<Line>& lines, const Line& line) {
  const Roof& roof = *line.roof;
  if (roof.label.empty()) return;
  const Colour colour =
      scene.label_colour(roof.colour, roof.thin ? scene.style.text_dim : scene.style.text);
  for (const double limit :
       {clear_cover, roof.dash == Dash::solid ? most_cover : most_cover_dashed}) {
    for (const std::string& text : {roof.long_label, roof.label, roof.short_label}) {
      if (text.empty()) continue;
      const Choice choice = best_along(scene, lines, line, text);
      if (choice.cover > limit) continue;
      const PlacedText label{text, choice.box, small_share * scene.em(), colour, false, true};
      if (scene.place(label, scene.layout.plot)) return;
    }
  }
}

}  // namespace

void place_roof_labels(Scene& scene) {
  std::vector<Line> lines;
  for (const Roof& roof : scene.figure.roofs)
    lines.push_back({&roof, scene.pixels_of_data(roof.x, roof.y)});
  for (const Line& line : lines) place_label(scene, lines, line);
}

}  // namespace plot
