// The Canvas of SVG: strokes and real text, written without any library. The reader's machine draws
// the text, in DejaVu Sans or a font that is about as wide.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ui/plot/canvas.hpp"

namespace plot {

/// As content of an element or between double quotes: no character of markup, and none that XML
/// forbids; bytes that are no UTF-8 and control characters become visible escapes (\x1b).
std::string xml_escaped(std::string_view text);

/// Of DejaVu Sans 2.37, regular and bold alike: above and below the baseline, in sizes of the type.
inline constexpr double text_ascent = 1901.0 / 2048, text_descent = 483.0 / 2048;

/// The width of one line of valid UTF-8 in DejaVu Sans, in sizes of the type. Characters outside
/// Latin-1 that figures do not use count as wide as the widest usual ones.
double text_width(std::string_view text, bool bold);

class SvgCanvas final : public Canvas {
 public:
  /// In points. `ids` begins every id: drawings on one page of HTML must not share any.
  SvgCanvas(double width, double height, std::string ids = {});

  void path(std::span<const Vec> points, Colour, double width, Dash dash, bool closed) override;
  void fill(std::span<const Vec> points, Colour) override;
  void dot(Vec centre, double radius, Colour) override;
  void ring(Vec centre, double radius, double width, Colour edge, Colour face) override;
  void text(Vec at, std::string_view, double size, Colour, Align, double angle, bool bold) override;
  Vec text_extent(std::string_view, double size, bool bold) override;
  void push_clip(const Rect&) override;
  void pop_clip() override;

  /// The element <svg>, once every clip has been popped; nothing can be drawn afterwards.
  std::string finish();

 private:
  struct Stroke {
    Colour colour;
    double width = 0;
    Dash dash = Dash::solid;
    bool operator==(const Stroke&) const = default;
  };
  void end_strokes();

  std::string ids_;
  std::string result_;
  Rect whole_;
  std::vector<bool> clips_;  // whether each has an element
  std::size_t clip_count_ = 0;
  Stroke stroke_;        // of the path that is being written
  std::string strokes_;  // its data; empty: none is
};

}  // namespace plot
