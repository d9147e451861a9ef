// The Canvas of PNG and PDF: strokes on any Cairo surface; and what pictures and documents share.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "ui/plot/canvas.hpp"
#include "ui/plot/output/cairo_library.hpp"

namespace plot {

using Surface = std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)>;

/// Throws std::runtime_error with Cairo's words.
inline void check(cairo_status_t status) {
  if (status != CAIRO_STATUS_SUCCESS) {
    throw std::runtime_error(
        fmt::format("Cairo could not make the picture: {}", cairo().status_to_string(status)));
  }
}

/// What Cairo calls with the bytes that it has made; `bytes` is the string.
inline cairo_status_t append(void* bytes, const unsigned char* data, unsigned int length) {
  static_cast<std::string*>(bytes)->append(data, data + length);
  return CAIRO_STATUS_SUCCESS;
}

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

  cairo_t* context() const { return context_.get(); }
  /// Throws std::runtime_error with Cairo's words when any stroke failed.
  void check() const;

 private:
  void trace(std::span<const Vec> points, bool closed);
  void set_colour(const Colour&);

  std::unique_ptr<cairo_t, void (*)(cairo_t*)> context_;
};

}  // namespace plot
