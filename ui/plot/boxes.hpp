// Turned rectangles, and a coarse map of occupied places: what keeps labels off each other.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "ui/plot/canvas.hpp"

namespace plot {

/// A rectangle turned by `angle` (radians, clockwise on screen) around its centre.
struct Box {
  Vec centre;
  double w = 0, h = 0;
  double angle = 0;

  std::array<Vec, 4> corners() const;  ///< clockwise from the top left of the unturned box
  Rect bounds() const;
  Box grown(double by) const { return {centre, w + 2 * by, h + 2 * by, angle}; }
};

Box box_of(const Rect&);
bool overlap(const Box&, const Box&);
bool overlap(const Rect&, const Rect&);
bool inside(const Rect& inner, const Rect& outer);

/// The point at a share of the way from one to another.
inline Vec between(Vec a, Vec b, double share) {
  return {a.x + share * (b.x - a.x), a.y + share * (b.y - a.y)};
}
inline double distance(Vec a, Vec b) { return std::hypot(a.x - b.x, a.y - b.y); }

/// The point of a rectangle that lies nearest to another, and how far off it is.
Vec nearest(Vec, const Rect&);
double distance(Vec, const Rect&);

/// True when the segments a-b and c-d cross.
bool cross(Vec a, Vec b, Vec c, Vec d);

/// The part of a segment within a rectangle; false when there is none or an end is not a number.
bool clip_segment(const Rect&, Vec& from, Vec& to);

/// What lies in a cell of the plot; the values are weights: text must not cover the heaviest.
enum class Occupant : std::uint8_t { none = 0, guide = 1, curve = 3, roof = 5, spot = 8 };

/// The heaviest occupant of each square cell of an area.
class OccupancyMap {
 public:
  OccupancyMap() = default;
  OccupancyMap(const Rect& area, double cell);

  void add_dot(Vec centre, double radius, Occupant);
  void add_line(Vec from, Vec to, Occupant);

  /// Sum of the weights beneath a box, cell by cell; stops counting above `limit`.
  double under(const Box&, double limit) const;

 private:
  /// Part of one column of cells, ends included.
  void add_run(int column, double from_row, double to_row, Occupant);

  Rect area_;
  double cell_ = 1, per_pixel_ = 1;
  int columns_ = 0, rows_ = 0;
  std::vector<std::uint8_t> cells_;  // one column after another, because lines are mostly steep
};

}  // namespace plot
