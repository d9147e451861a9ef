#include "kernels/units.hpp"
#include "ui/plot/output/svg_canvas.hpp"

namespace plot {

std::string xml_escaped(std::string_view text) {
  std::string result;
  for (const char c : units::printable(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  // The two characters of UTF-8 that XML 1.0 leaves out (production 2, Char).
  for (const std::string_view forbidden : {"\ufffe", "\uffff"}) {
    for (std::size_t at = result.find(forbidden); at != std::string::npos;
         at = result.find(forbidden, at))
      result.replace(at, forbidden.size(), "\ufffd");
  }
  return result;
}

}  // namespace plot
