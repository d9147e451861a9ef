#include "ui/plot/output/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <stdexcept>

#include "ui/plot/output/cairo_canvas.hpp"
#include "ui/plot/output/document.hpp"
#include "ui/plot/output/svg_canvas.hpp"

namespace plot {
namespace {

Surface png_surface(double width, double height, bool transparent) {
  // A row of pixels that the picture fills to less than half would be a dark line.
  const auto pixels = [](double side) { return std::max(static_cast<int>(std::lround(side)), 1); };
  Surface surface(
      cairo().image_surface_create(transparent ? CAIRO_FORMAT_ARGB32 : CAIRO_FORMAT_RGB24,
                                   pixels(width), pixels(height)),
      cairo().surface_destroy);
  check(cairo().surface_status(surface.get()));
  return surface;
}

void check_size(double width, double height, double scale) {
  constexpr double most = 32767;  // pixels of an image surface (cairo-image-surface.c)
  // A gigabyte of pixels, four bytes each, and most of a minute.
  constexpr double most_in_all = 300e6;
  if (width * height * scale * scale > most_in_all) {
    throw std::runtime_error(fmt::format(
        "a picture of {:.0f} million pixels is too large: at most {:.0f} million; take a smaller "
        "size or scale",
        width * height * scale * scale / 1e6, most_in_all / 1e6));
  }
  const bool ok =
      width >= 1 && height >= 1 && scale > 0 && width * scale <= most && height * scale <= most;
  if (!ok) {
    throw std::runtime_error(fmt::format(
        "a picture of {:g} x {:g} pixels cannot be drawn; each side must be from 1 to {:g}",
        width * scale, height * scale, most));
  }
}

/// In the order of the formats.
constexpr std::array<std::string_view, 4> endings{".png", ".svg", ".pdf", ".html"};

}  // namespace

std::optional<Format> format_of(std::string_view file_name) {
  std::string name(file_name);
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (std::size_t i = 0; i < endings.size(); ++i)
    if (name.ends_with(endings[i])) return static_cast<Format>(i);
  return {};
}

std::string_view ending_of(Format format) { return endings.at(static_cast<std::size_t>(format)); }

std::string why_not(Format format) {
  return format == Format::svg || format == Format::html ? "" : why_no_cairo();
}

std::string render(const Page& page, double width, double height, const Style& style, Format format,
                   double scale) {
  if (format == Format::svg) {
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" +
           svg_element(page, width, height, style, "");
  }
  if (format == Format::html) throw std::logic_error("a page of HTML is no picture");
  check_size(width, height, scale);
  const Rect whole{0, 0, width, height};
  if (format == Format::pdf) {
    Document document(width, height, page.title);
    draw_page(page, whole, style, document.canvas());
    return document.finish();
  }
  const Surface surface = png_surface(width * scale, height * scale, style.transparent);
  CairoCanvas canvas(surface.get(), scale);
  draw_page(page, whole, style, canvas);
  canvas.check();
  std::string bytes;
  check(cairo().surface_write_to_png_stream(surface.get(), append, &bytes));
  return bytes;
}

std::string svg_element(const Page& page, double width, double height, const Style& style,
                        const std::string& ids) {
  check_size(width, height, 1);
  SvgCanvas canvas(width, height, ids);
  draw_page(page, {0, 0, width, height}, style, canvas);
  return canvas.finish();
}

}  // namespace plot
