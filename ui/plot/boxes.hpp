// Rectangles that may be turned, and a coarse map of where ink lies: what labels need to keep out
// of each other's way.
#pragma once

#include <array>
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
bool inside(const Rect& inner, const Rect& outer);

/// The part of a segment within a rectangle; false when there is none or an end is not a number.
bool clip_segment(const Rect&, Vec& from, Vec& to);

/// How much ink lies where, in square cells: 0 free, more = worse to cover with text.
class InkMap {
 public:
  InkMap() = default;
  InkMap(const Rect& area, double cell);

  void add_dot(Vec centre, double radius, std::uint8_t weight);
  void add_line(Vec from, Vec to, std::uint8_t weight);

  /// Sum of the weights beneath a box, per cell.
  double under(const Box&) const;

 private:
  std::uint8_t* cell_at(Vec);

  Rect area_;
  double cell_ = 1;
  int columns_ = 0, rows_ = 0;
  std::vector<std::uint8_t> cells_;
};

}  // namespace plot
