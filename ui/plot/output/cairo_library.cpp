#include "ui/plot/output/cairo_library.hpp"

#include <dlfcn.h>

#include <stdexcept>
#include <string>

namespace plot {
namespace {

struct Library {
  void* handle = dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL);  // stays until the process ends
  Cairo functions{};
  std::string why_not;

  Library() {
    if (handle == nullptr) {
      why_not =
          "PNG and PDF need Cairo (libcairo.so.2), which is not here; install libcairo2, or take "
          "SVG or HTML, which need no library";
      return;
    }
    load(functions);
  }

 private:
  template <class Function>
  void find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(handle, name));
    if (function == nullptr)
      why_not = std::string("Cairo lacks ") + name + "; install libcairo2 1.16 or newer";
  }
  void load(Cairo& c);
};

void Library::load(Cairo& c) {
  find(c.arc, "cairo_arc");
  find(c.clip, "cairo_clip");
  find(c.close_path, "cairo_close_path");
  find(c.create, "cairo_create");
  find(c.destroy, "cairo_destroy");
  find(c.fill, "cairo_fill");
  find(c.fill_preserve, "cairo_fill_preserve");
  find(c.font_extents, "cairo_font_extents");
  find(c.font_options_create, "cairo_font_options_create");
  find(c.font_options_destroy, "cairo_font_options_destroy");
  find(c.font_options_set_antialias, "cairo_font_options_set_antialias");
  find(c.font_options_set_hint_metrics, "cairo_font_options_set_hint_metrics");
  find(c.font_options_set_hint_style, "cairo_font_options_set_hint_style");
  find(c.get_target, "cairo_get_target");
  find(c.image_surface_create, "cairo_image_surface_create");
  find(c.line_to, "cairo_line_to");
  find(c.move_to, "cairo_move_to");
  find(c.new_path, "cairo_new_path");
  find(c.pdf_surface_add_outline, "cairo_pdf_surface_add_outline");
  find(c.pdf_surface_create_for_stream, "cairo_pdf_surface_create_for_stream");
  find(c.pdf_surface_set_metadata, "cairo_pdf_surface_set_metadata");
  find(c.rectangle, "cairo_rectangle");
  find(c.restore, "cairo_restore");
  find(c.rotate, "cairo_rotate");
  find(c.save, "cairo_save");
  find(c.scale, "cairo_scale");
  find(c.select_font_face, "cairo_select_font_face");
  find(c.set_dash, "cairo_set_dash");
  find(c.set_font_options, "cairo_set_font_options");
  find(c.set_font_size, "cairo_set_font_size");
  find(c.set_line_cap, "cairo_set_line_cap");
  find(c.set_line_join, "cairo_set_line_join");
  find(c.set_line_width, "cairo_set_line_width");
  find(c.set_source_rgba, "cairo_set_source_rgba");
  find(c.show_page, "cairo_show_page");
  find(c.show_text, "cairo_show_text");
  find(c.status, "cairo_status");
  find(c.status_to_string, "cairo_status_to_string");
  find(c.stroke, "cairo_stroke");
  find(c.surface_destroy, "cairo_surface_destroy");
  find(c.surface_finish, "cairo_surface_finish");
  find(c.surface_get_type, "cairo_surface_get_type");
  find(c.surface_status, "cairo_surface_status");
  find(c.surface_write_to_png_stream, "cairo_surface_write_to_png_stream");
  find(c.tag_begin, "cairo_tag_begin");
  find(c.tag_end, "cairo_tag_end");
  find(c.text_extents, "cairo_text_extents");
  find(c.translate, "cairo_translate");
}

const Library& library() {
  static const Library instance;
  return instance;
}

}  // namespace

const Cairo& cairo() {
  if (!library().why_not.empty()) throw std::runtime_error(library().why_not);
  return library().functions;
}

const std::string& why_no_cairo() { return library().why_not; }

}  // namespace plot
