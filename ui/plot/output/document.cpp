#include "ui/plot/output/document.hpp"

#include <fmt/format.h>

#include "ui/plot/output/cairo_canvas.hpp"

namespace plot {

namespace {

/// Pages of such a size, in points, whose file is written into `bytes`.
Surface pdf_surface(std::string& bytes, double width, double height, const std::string& title) {
  Surface surface(cairo().pdf_surface_create_for_stream(append, &bytes, width, height),
                  cairo().surface_destroy);
  check(cairo().surface_status(surface.get()));
  // Two files of the same picture must not differ; the caption tells the time of measuring.
  cairo().pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATE_DATE,
                                   "2000-01-01T00:00:00Z");
  cairo().pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_TITLE, title.c_str());
  return surface;
}

}  // namespace

struct Document::File {
  std::string bytes;
  Surface surface;
  CairoCanvas canvas;

  File(double width, double height, const std::string& title)
      : surface(pdf_surface(bytes, width, height, title)), canvas(surface.get()) {}
};

Document::Document(double width, double height, const std::string& title)
    : file_(std::make_unique<File>(width, height, title)) {}

Document::~Document() = default;

Canvas& Document::canvas() { return file_->canvas; }

void Document::next_page() { cairo().show_page(file_->canvas.context()); }

void Document::add_place(const std::string& name, const std::string& title) {
  cairo_t* context = file_->canvas.context();
  cairo().tag_begin(context, CAIRO_TAG_DEST, fmt::format("name='{}'", name).c_str());
  cairo().tag_end(context, CAIRO_TAG_DEST);
  cairo().pdf_surface_add_outline(file_->surface.get(), CAIRO_PDF_OUTLINE_ROOT, title.c_str(),
                                  fmt::format("dest='{}'", name).c_str(),
                                  CAIRO_PDF_OUTLINE_FLAG_OPEN);
}

void Document::link(const std::string& name, const std::function<void()>& draw) {
  cairo_t* context = file_->canvas.context();
  cairo().tag_begin(context, CAIRO_TAG_LINK, fmt::format("dest='{}'", name).c_str());
  draw();
  cairo().tag_end(context, CAIRO_TAG_LINK);
}

std::string Document::finish() {
  file_->canvas.check();
  cairo().surface_finish(file_->surface.get());
  check(cairo().surface_status(file_->surface.get()));
  return std::move(file_->bytes);
}

}  // namespace plot
