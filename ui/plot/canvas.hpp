// The handful of strokes that every output offers: screen, PNG, SVG, PDF. Pixels, y down.
#pragma once

#include <span>
#include <string_view>

#include "ui/plot/figure.hpp"

namespace plot {

struct Rect {
  double x = 0, y = 0, w = 0, h = 0;
  double right() const { return x + w; }
  double bottom() const { return y + h; }
  bool contains(Vec p) const { return p.x >= x && p.x <= right() && p.y >= y && p.y <= bottom(); }
  bool operator==(const Rect&) const = default;
};

/// Horizontal anchor of text; vertical anchor is the middle of the line.
enum class Align { left, centre, right };

class Canvas {
 public:
  virtual ~Canvas() = default;
  /// Open or closed polyline. Dash lengths follow the width.
  virtual void path(std::span<const Vec> points, Colour, double width, Dash dash, bool closed) = 0;
  /// Filled polygon (convex).
  virtual void fill(std::span<const Vec> points, Colour) = 0;
  /// Filled circle.
  virtual void dot(Vec centre, double radius, Colour) = 0;
  /// Filled circle with an edge of `width` below `radius`, which reaches to its outside; opaque.
  virtual void ring(Vec centre, double radius, double width, Colour edge, Colour face) {
    dot(centre, radius, edge);
    dot(centre, radius - width, face);
  }
  /// One line of UTF-8 text; `angle` in radians, clockwise, around `at`.
  virtual void text(Vec at, std::string_view, double size, Colour, Align, double angle,
                    bool bold) = 0;
  /// Width and height of that text, unrotated.
  virtual Vec text_extent(std::string_view, double size, bool bold) = 0;
  virtual void push_clip(const Rect&) = 0;
  virtual void pop_clip() = 0;
};

}  // namespace plot
