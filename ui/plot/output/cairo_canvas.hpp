// The Canvas of PNG and PDF: strokes on any Cairo surface.
#pragma once

#include <memory>
#include <string>

#include "ui/plot/canvas.hpp"
#include "ui/plot/output/cairo_library.hpp"

namespace plot {

class CairoCanvas final : public Canvas {
 public:
  /// Draws on `surface`, which it does not own. Throws std::runtime_error when Cairo cannot.
  explicit CairoCanvas(cairo_surface_t* surface, double scale = 1);

  void path(std::span<const Vec> points, Colour, double width, Dash dash, bool closed) override;
  void fill(std::span<const Vec> points, Colour) override;
  void dot(Vec centre, double radius, Colour) override;
  void ring(Vec centre, double radius, double width, Colour edge, Colour face) override;
  void text(Vec at, std::string_view, double size, Colour, Align, double angle, bool bold) override;
  Vec text_extent(std::string_view, double size, bool bold) override;
  void push_clip(const Rect&) override;
  void pop_clip() override;

  /// What follows is on a new page, of a surface that has pages.
  void next_page();
  /// What is drawn until end_tag() has a meaning in a PDF (the tags of Cairo 1.16).
  void begin_tag(const char* tag, const std::string& attributes);
  void end_tag(const char* tag);

  /// Throws std::runtime_error with Cairo's words when any stroke failed.
  void check() const;

 private:
  void trace(std::span<const Vec> points, bool closed);
  void set_colour(const Colour&);
  void set_font(double size, bool bold);

  struct Destroy {
    void operator()(cairo_t* context) const { cairo().destroy(context); }
  };
  std::unique_ptr<cairo_t, Destroy> context_;
};

}  // namespace plot
