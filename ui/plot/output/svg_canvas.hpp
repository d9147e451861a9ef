// The Canvas of SVG: strokes and real text, written without any library. The reader's machine draws
// the text, in DejaVu Sans or a font that is about as wide.
#pragma once

#include <string>
#include <vector>

#include "ui/plot/canvas.hpp"

namespace plot {

class SvgCanvas final : public Canvas {
 public:
  /// So many points wide and high. `ids` begins every id: drawings on one page of HTML must not
  /// take each other's.
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
