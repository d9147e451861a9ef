// What pictures and documents share: surfaces that write into a string.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "ui/plot/output/cairo_library.hpp"

namespace plot {

struct DestroySurface {
  void operator()(cairo_surface_t* surface) const { cairo().surface_destroy(surface); }
};
using Surface = std::unique_ptr<cairo_surface_t, DestroySurface>;

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

/// Pages of such a size, in points.
inline Surface pdf_surface(std::string& bytes, double width, double height,
                           const std::string& title) {
  Surface surface(cairo().pdf_surface_create_for_stream(append, &bytes, width, height));
  // The time of writing would make two files of the same picture differ; the caption tells the
  // time of measuring.
  cairo().pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATE_DATE,
                                   "2000-01-01T00:00:00Z");
  cairo().pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_TITLE, title.c_str());
  return surface;
}

}  // namespace plot
