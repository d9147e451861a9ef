// Text that is safe to write into XML and HTML.
#pragma once

#include <string>
#include <string_view>

namespace plot {

/// As content of an element or between double quotes: no character of markup, and none that XML
/// forbids; bytes that are no UTF-8 and control characters become visible escapes (\x1b).
std::string xml_escaped(std::string_view text);

}  // namespace plot
