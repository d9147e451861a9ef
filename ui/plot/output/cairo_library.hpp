// Cairo, loaded when the first PNG or PDF is drawn, so that programs start and measure without it.
#pragma once

#include <cairo-pdf.h>
#include <cairo.h>

#include <string>

namespace plot {

/// The loaded library, or why it is of no use, in a sentence with a remedy.
class CairoLibrary {
 public:
  std::string why_not;

 protected:
  /// An address that becomes a pointer to the function it is of.
  struct Symbol {
    void* address = nullptr;
    template <class Function>
    operator Function*() const {
      return reinterpret_cast<Function*>(address);
    }
  };

  CairoLibrary();
  Symbol symbol(const char* name);

 private:
  void* handle_;  // stays until the process ends
};

/// The functions that are used, without the prefix cairo_.
struct Cairo : CairoLibrary {
  decltype(&cairo_arc) arc = symbol("cairo_arc");
  decltype(&cairo_clip) clip = symbol("cairo_clip");
  decltype(&cairo_close_path) close_path = symbol("cairo_close_path");
  decltype(&cairo_create) create = symbol("cairo_create");
  decltype(&cairo_destroy) destroy = symbol("cairo_destroy");
  decltype(&cairo_fill) fill = symbol("cairo_fill");
  decltype(&cairo_fill_preserve) fill_preserve = symbol("cairo_fill_preserve");
  decltype(&cairo_font_extents) font_extents = symbol("cairo_font_extents");
  decltype(&cairo_font_options_create) font_options_create = symbol("cairo_font_options_create");
  decltype(&cairo_font_options_destroy) font_options_destroy = symbol("cairo_font_options_destroy");
  decltype(&cairo_font_options_set_antialias) font_options_set_antialias =
      symbol("cairo_font_options_set_antialias");
  decltype(&cairo_font_options_set_hint_metrics) font_options_set_hint_metrics =
      symbol("cairo_font_options_set_hint_metrics");
  decltype(&cairo_font_options_set_hint_style) font_options_set_hint_style =
      symbol("cairo_font_options_set_hint_style");
  decltype(&cairo_get_target) get_target = symbol("cairo_get_target");
  decltype(&cairo_image_surface_create) image_surface_create = symbol("cairo_image_surface_create");
  decltype(&cairo_line_to) line_to = symbol("cairo_line_to");
  decltype(&cairo_move_to) move_to = symbol("cairo_move_to");
  decltype(&cairo_new_path) new_path = symbol("cairo_new_path");
  decltype(&cairo_pdf_surface_add_outline) pdf_surface_add_outline =
      symbol("cairo_pdf_surface_add_outline");
  decltype(&cairo_pdf_surface_create_for_stream) pdf_surface_create_for_stream =
      symbol("cairo_pdf_surface_create_for_stream");
  decltype(&cairo_pdf_surface_set_metadata) pdf_surface_set_metadata =
      symbol("cairo_pdf_surface_set_metadata");
  decltype(&cairo_rectangle) rectangle = symbol("cairo_rectangle");
  decltype(&cairo_restore) restore = symbol("cairo_restore");
  decltype(&cairo_rotate) rotate = symbol("cairo_rotate");
  decltype(&cairo_save) save = symbol("cairo_save");
  decltype(&cairo_scale) scale = symbol("cairo_scale");
  decltype(&cairo_select_font_face) select_font_face = symbol("cairo_select_font_face");
  decltype(&cairo_set_dash) set_dash = symbol("cairo_set_dash");
  decltype(&cairo_set_font_options) set_font_options = symbol("cairo_set_font_options");
  decltype(&cairo_set_font_size) set_font_size = symbol("cairo_set_font_size");
  decltype(&cairo_set_line_cap) set_line_cap = symbol("cairo_set_line_cap");
  decltype(&cairo_set_line_join) set_line_join = symbol("cairo_set_line_join");
  decltype(&cairo_set_line_width) set_line_width = symbol("cairo_set_line_width");
  decltype(&cairo_set_source_rgba) set_source_rgba = symbol("cairo_set_source_rgba");
  decltype(&cairo_show_page) show_page = symbol("cairo_show_page");
  decltype(&cairo_show_text) show_text = symbol("cairo_show_text");
  decltype(&cairo_status) status = symbol("cairo_status");
  decltype(&cairo_status_to_string) status_to_string = symbol("cairo_status_to_string");
  decltype(&cairo_stroke) stroke = symbol("cairo_stroke");
  decltype(&cairo_surface_destroy) surface_destroy = symbol("cairo_surface_destroy");
  decltype(&cairo_surface_finish) surface_finish = symbol("cairo_surface_finish");
  decltype(&cairo_surface_get_type) surface_get_type = symbol("cairo_surface_get_type");
  decltype(&cairo_surface_status) surface_status = symbol("cairo_surface_status");
  decltype(&cairo_surface_write_to_png_stream) surface_write_to_png_stream =
      symbol("cairo_surface_write_to_png_stream");
  decltype(&cairo_tag_begin) tag_begin = symbol("cairo_tag_begin");
  decltype(&cairo_tag_end) tag_end = symbol("cairo_tag_end");
  decltype(&cairo_text_extents) text_extents = symbol("cairo_text_extents");
  decltype(&cairo_translate) translate = symbol("cairo_translate");
};

/// Loaded at the first call. Throws std::runtime_error where it is not installed.
const Cairo& cairo();
/// Why that would throw, in a sentence with a remedy; empty where it would not.
const std::string& why_no_cairo();

}  // namespace plot
