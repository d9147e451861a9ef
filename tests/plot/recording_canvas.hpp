// A canvas that keeps what was drawn, as strokes to look at. Its texts are 0.6 of their size wide
// for each character.
#pragma once

#include <string>
#include <vector>

#include "ui/plot/draw.hpp"

namespace test {

class RecordingCanvas : public plot::Canvas {
 public:
  struct Dot {
    plot::Vec centre;
    double radius;
    plot::Colour colour;
  };
  struct Path {
    std::vector<plot::Vec> points;
    plot::Colour colour;
    double width;
    plot::Dash dash;
    plot::Rect clip;
  };
  struct Text {
    plot::Vec at;
    std::string text;
    double size;
    double angle;
  };

  RecordingCanvas(double width, double height);

  void path(std::span<const plot::Vec>, plot::Colour, double width, plot::Dash,
            bool closed) override;
  void fill(std::span<const plot::Vec>, plot::Colour) override;
  void dot(plot::Vec, double radius, plot::Colour) override;
  void text(plot::Vec, std::string_view, double size, plot::Colour, plot::Align, double angle,
            bool bold) override;
  plot::Vec text_extent(std::string_view, double size, bool bold) override;
  void push_clip(const plot::Rect&) override;
  void pop_clip() override;

  bool all_finite() const { return all_finite_; }
  std::size_t open_clips() const { return clips_.size(); }

  std::vector<Dot> dots;
  std::vector<Path> paths;
  std::vector<std::vector<plot::Vec>> fills;
  std::vector<Text> texts;

 private:
  void expect_finite(std::span<const plot::Vec>);

  plot::Rect whole_;
  std::vector<plot::Rect> clips_;
  bool all_finite_ = true;
};

/// Characters of UTF-8 text.
std::size_t characters(std::string_view);

}  // namespace test
