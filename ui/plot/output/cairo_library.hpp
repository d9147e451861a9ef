// Cairo, loaded when the first PNG or PDF is drawn, so that programs start and measure without it.
#pragma once

#include <cairo-pdf.h>
#include <cairo.h>

#include <string>

namespace plot {

/// The functions that are used, without the prefix cairo_.
struct Cairo {
  decltype(&cairo_arc) arc;
  decltype(&cairo_clip) clip;
  decltype(&cairo_close_path) close_path;
  decltype(&cairo_create) create;
  decltype(&cairo_destroy) destroy;
  decltype(&cairo_fill) fill;
  decltype(&cairo_fill_preserve) fill_preserve;
  decltype(&cairo_font_extents) font_extents;
  decltype(&cairo_font_options_create) font_options_create;
  decltype(&cairo_font_options_destroy) font_options_destroy;
  decltype(&cairo_font_options_set_antialias) font_options_set_antialias;
  decltype(&cairo_font_options_set_hint_metrics) font_options_set_hint_metrics;
  decltype(&cairo_font_options_set_hint_style) font_options_set_hint_style;
  decltype(&cairo_get_target) get_target;
  decltype(&cairo_image_surface_create) image_surface_create;
  decltype(&cairo_line_to) line_to;
  decltype(&cairo_move_to) move_to;
  decltype(&cairo_new_path) new_path;
  decltype(&cairo_pdf_surface_add_outline) pdf_surface_add_outline;
  decltype(&cairo_pdf_surface_create_for_stream) pdf_surface_create_for_stream;
  decltype(&cairo_pdf_surface_set_metadata) pdf_surface_set_metadata;
  decltype(&cairo_rectangle) rectangle;
  decltype(&cairo_restore) restore;
  decltype(&cairo_rotate) rotate;
  decltype(&cairo_save) save;
  decltype(&cairo_scale) scale;
  decltype(&cairo_select_font_face) select_font_face;
  decltype(&cairo_set_dash) set_dash;
  decltype(&cairo_set_font_options) set_font_options;
  decltype(&cairo_set_font_size) set_font_size;
  decltype(&cairo_set_line_cap) set_line_cap;
  decltype(&cairo_set_line_join) set_line_join;
  decltype(&cairo_set_line_width) set_line_width;
  decltype(&cairo_set_source_rgba) set_source_rgba;
  decltype(&cairo_show_page) show_page;
  decltype(&cairo_show_text) show_text;
  decltype(&cairo_status) status;
  decltype(&cairo_status_to_string) status_to_string;
  decltype(&cairo_stroke) stroke;
  decltype(&cairo_surface_destroy) surface_destroy;
  decltype(&cairo_surface_finish) surface_finish;
  decltype(&cairo_surface_get_type) surface_get_type;
  decltype(&cairo_surface_status) surface_status;
  decltype(&cairo_surface_write_to_png_stream) surface_write_to_png_stream;
  decltype(&cairo_tag_begin) tag_begin;
  decltype(&cairo_tag_end) tag_end;
  decltype(&cairo_text_extents) text_extents;
  decltype(&cairo_translate) translate;
};

/// Loaded at the first call. Throws std::runtime_error where it is not installed.
const Cairo& cairo();
/// Why that would throw, in a sentence with a remedy; empty where it would not.
const std::string& why_no_cairo();

}  // namespace plot
