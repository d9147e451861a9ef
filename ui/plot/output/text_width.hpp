// How wide a text is, without a font: the advances of DejaVu Sans, for layouts of texts that the
// reader's machine draws.
#pragma once

#include <string_view>

namespace plot {

/// Of DejaVu Sans 2.37, regular and bold alike: above and below the baseline, in sizes of the type.
inline constexpr double text_ascent = 1901.0 / 2048, text_descent = 483.0 / 2048;

/// The width of one line of valid UTF-8 in DejaVu Sans, in sizes of the type. Characters outside
/// Latin-1 that figures do not use count as wide as the widest usual ones.
double text_width(std::string_view text, bool bold);

}  // namespace plot
