#include "engine/knob_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/session/session_file.hpp"
#include "kernels/units.hpp"

namespace engine {
void refuse(std::string_view knob, std::string_view given, std::string_view expected) {
  constexpr std::size_t longest = 40;
  const std::string shown =
      given.empty() ? "''" : units::printable(units::shortened(given, longest));
  throw BadInput(fmt::format("--{} {}: expected {}", knob, shown, expected));
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

bool all_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace engine
