#include "ui/plot/output/document.hpp"

#include <fmt/format.h>

#include "ui/plot/output/cairo_canvas.hpp"

namespace plot {

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

void Document::next_page() { file_->canvas.next_page(); }

void Document::add_place(const std::string& name, const std::string& title) {
  file_->canvas.begin_tag(CAIRO_TAG_DEST, fmt::format("name='{}'", name));
  file_->canvas.end_tag(CAIRO_TAG_DEST);
  cairo().pdf_surface_add_outline(file_->surface.get(), CAIRO_PDF_OUTLINE_ROOT, title.c_str(),
                                  fmt::format("dest='{}'", name).c_str(),
                                  CAIRO_PDF_OUTLINE_FLAG_OPEN);
}

void Document::link(const std::string& name, const std::function<void()>& draw) {
  file_->canvas.begin_tag(CAIRO_TAG_LINK, fmt::format("dest='{}'", name));
  draw();
  file_->canvas.end_tag(CAIRO_TAG_LINK);
}

std::string Document::finish() {
  file_->canvas.check();
  cairo().surface_finish(file_->surface.get());
  check(cairo().surface_status(file_->surface.get()));
  return std::move(file_->bytes);
}

}  // namespace plot
