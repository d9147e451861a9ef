// Pages as files: SVG by our own canvas, PNG and PDF through Cairo. Needs no display.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ui/plot/draw.hpp"

namespace plot {

/// The last is no picture: ui/pages writes it.
enum class Format { png, svg, pdf, html };

/// By the ending of a file name; nothing when it is none of them.
std::optional<Format> format_of(std::string_view file_name);
/// ".png", as files are named.
std::string_view ending_of(Format);

/// Why this format cannot be drawn here, in a sentence with a remedy; empty when it can.
std::string why_not(Format);

/// The bytes of the picture: width x height in pixels at scale 1 (PDF, SVG: points), times `scale`
/// for PNG. Drawn twice it is byte-identical. Throws std::runtime_error with a size that cannot be
/// drawn, and when Cairo cannot (missing, memory).
std::string render(const Page&, double width, double height, const Style&, Format,
                   double scale = 1);

/// The element <svg> of the same drawing, for a page of HTML; `ids` begins every id in it.
std::string svg_element(const Page&, double width, double height, const Style&,
                        const std::string& ids);

}  // namespace plot
