// Pages as files: PNG, SVG and PDF through Cairo. Needs no display.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/plot/draw.hpp"

namespace plot {

enum class Format { png, svg, pdf };

/// By the ending of a file name; nothing when it is none of them.
std::optional<Format> format_of(std::string_view file_name);

/// Why no picture can be drawn, in a sentence with a remedy; empty when it can.
const std::string& why_no_pictures();

/// The bytes of the picture: width x height in pixels at scale 1 (PDF, SVG: points), times `scale`
/// for PNG. Drawn twice it is byte-identical. Throws std::runtime_error when Cairo cannot (size,
/// memory).
std::string render(const Page&, double width, double height, const Style&, Format,
                   double scale = 1);

/// The layouts of the same drawing, for tests and text checks.
std::vector<Layout> layout_of(const Page&, double width, double height, const Style&);

}  // namespace plot
