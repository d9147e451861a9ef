#include "engine/knob_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/json_reader.hpp"
#include "engine/session_file.hpp"

namespace engine {
namespace {

/// What the user typed, safe to print: control characters replaced, long text cut.
std::string shown(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string safe = without_controls(text.substr(0, longest), '?');
  if (text.size() > longest) {
    // No half of a UTF-8 character at the cut.
    while (!safe.empty() && (static_cast<unsigned char>(safe.back()) & 0xc0U) == 0x80)
      safe.pop_back();
    if (!safe.empty() && static_cast<unsigned char>(safe.back()) >= 0xc0) safe.pop_back();
    safe += "...";
  }
  return safe.empty() ? "''" : safe;
}

}  // namespace

void refuse(std::string_view knob, std::string_view given, std::string_view expected) {
  throw BadInput(fmt::format("--{} {}: expected {}", knob, shown(given), expected));
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
