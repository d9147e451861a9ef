#include "ui/plot/output/cairo_canvas.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

namespace plot {
namespace {

// Of the Debian package fonts-dejavu-core; fontconfig replaces it where it is missing.
constexpr const char* font_family = "DejaVu Sans";

// So many points make a line whose corners nobody sees; round ones take Cairo twice the time.
constexpr std::size_t many = 256;

}  // namespace

CairoCanvas::CairoCanvas(cairo_surface_t* surface, double scale)
    : context_(cairo().create(surface), cairo().destroy) {
  check();
  cairo().scale(context_.get(), scale, scale);
  // Unhinted, so that texts are as wide in a PNG as in a PDF and at every scale.
  cairo_font_options_t* options = cairo().font_options_create();
  cairo().font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo().font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo().font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo().set_font_options(context_.get(), options);
  cairo().font_options_destroy(options);
}

void CairoCanvas::check() const {
  const cairo_status_t status = cairo().status(context_.get());
  if (status != CAIRO_STATUS_SUCCESS) {
    throw std::runtime_error(std::string("Cairo could not draw the picture: ") +
                             cairo().status_to_string(status));
  }
}

void CairoCanvas::set_colour(const Colour& c) {
  cairo().set_source_rgba(context_.get(), static_cast<double>(c.r), static_cast<double>(c.g),
                          static_cast<double>(c.b), static_cast<double>(c.a));
}

void CairoCanvas::trace(std::span<const Vec> points, bool closed) {
  cairo().new_path(context_.get());
  for (const Vec& point : points) {
    if (std::isfinite(point.x) && std::isfinite(point.y))
      cairo().line_to(context_.get(), point.x, point.y);
  }
  if (closed) cairo().close_path(context_.get());
}

void CairoCanvas::path(std::span<const Vec> points, Colour colour, double width, Dash dash,
                       bool closed) {
  trace(points, closed);
  set_colour(colour);
  cairo().set_line_width(context_.get(), width);
  cairo().set_line_join(context_.get(),
                        points.size() > many ? CAIRO_LINE_JOIN_BEVEL : CAIRO_LINE_JOIN_ROUND);
  const bool dotted = dash == Dash::dotted;
  cairo().set_line_cap(context_.get(), dotted ? CAIRO_LINE_CAP_ROUND : CAIRO_LINE_CAP_BUTT);
  // A round cap makes a dot out of a dash of no length.
  const std::array lengths{dotted ? 0.0 : 4 * width, dotted ? 2.5 * width : 3 * width, width,
                           3 * width};
  const int count = dash == Dash::solid ? 0 : dash == Dash::dash_dotted ? 4 : 2;
  cairo().set_dash(context_.get(), lengths.data(), count, 0);
  cairo().stroke(context_.get());
}

void CairoCanvas::fill(std::span<const Vec> points, Colour colour) {
  trace(points, true);
  set_colour(colour);
  cairo().fill(context_.get());
}

void CairoCanvas::dot(Vec centre, double radius, Colour colour) {
  if (!(radius > 0) || !std::isfinite(centre.x) || !std::isfinite(centre.y)) return;
  cairo().new_path(context_.get());
  cairo().arc(context_.get(), centre.x, centre.y, radius, 0, 2 * std::numbers::pi);
  set_colour(colour);
  cairo().fill(context_.get());
}

/// One path in a PDF, where two dots are two. In pixels a stroke takes longer than two dots.
void CairoCanvas::ring(Vec centre, double radius, double width, Colour edge, Colour face) {
  const bool pixels =
      cairo().surface_get_type(cairo().get_target(context_.get())) == CAIRO_SURFACE_TYPE_IMAGE;
  if (pixels) return Canvas::ring(centre, radius, width, edge, face);
  if (!(width > 0 && width < radius)) return dot(centre, radius, edge);
  if (!std::isfinite(centre.x) || !std::isfinite(centre.y)) return;
  const double middle = radius - width / 2;
  cairo().new_path(context_.get());
  cairo().arc(context_.get(), centre.x, centre.y, middle, 0, 2 * std::numbers::pi);
  set_colour(face);
  cairo().fill_preserve(context_.get());
  set_colour(edge);
  cairo().set_line_width(context_.get(), width);
  cairo().set_dash(context_.get(), nullptr, 0, 0);
  cairo().stroke(context_.get());
}

Vec CairoCanvas::text_extent(std::string_view text, double size, bool bold) {
  cairo().select_font_face(context_.get(), font_family, CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo().set_font_size(context_.get(), size);
  cairo_text_extents_t extents{};
  cairo_font_extents_t font{};
  cairo().text_extents(context_.get(), std::string(text).c_str(), &extents);
  cairo().font_extents(context_.get(), &font);
  return {extents.x_advance, font.ascent + font.descent};
}

void CairoCanvas::text(Vec at, std::string_view text, double size, Colour colour, Align align,
                       double angle, bool bold) {
  const double width = text_extent(text, size, bold).x;
  cairo_font_extents_t font{};
  cairo().font_extents(context_.get(), &font);
  const double left = align == Align::left ? 0 : align == Align::centre ? -width / 2 : -width;
  cairo().save(context_.get());
  cairo().translate(context_.get(), at.x, at.y);
  cairo().rotate(context_.get(), angle);
  cairo().move_to(context_.get(), left, (font.ascent - font.descent) / 2);
  set_colour(colour);
  cairo().show_text(context_.get(), std::string(text).c_str());
  cairo().restore(context_.get());
}

void CairoCanvas::push_clip(const Rect& rect) {
  cairo().save(context_.get());
  cairo().rectangle(context_.get(), rect.x, rect.y, rect.w, rect.h);
  cairo().clip(context_.get());
}

void CairoCanvas::pop_clip() { cairo().restore(context_.get()); }

}  // namespace plot
