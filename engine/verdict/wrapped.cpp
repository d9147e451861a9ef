#include "engine/verdict/wrapped.hpp"

#include <algorithm>

#include "kernels/units.hpp"

namespace engine {

std::string wrapped(const std::string& begin, std::string_view text) {
  constexpr std::size_t columns = 100;
  std::string lines;
  std::string line = begin;
  bool fresh = true;
  while (!text.empty()) {
    const auto space = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, space);
    text.remove_prefix(std::min(space + 1, text.size()));
    if (!fresh && units::width_of(line) + 1 + units::width_of(word) > columns) {
      lines += line + "\n";
      line.assign(begin.size(), ' ');
      fresh = true;
    }
    // A word longer than a line (an address) is cut rather than sticking out.
    while (units::width_of(line) + (fresh ? 0 : 1) + units::width_of(word) > columns) {
      const std::size_t room = columns - units::width_of(line);
      std::size_t end = std::min(room, word.size());
      while (end > 0 && (static_cast<unsigned char>(word[end]) & 0xC0U) == 0x80U) --end;
      lines += line + std::string(word.substr(0, end)) + "\n";
      word.remove_prefix(end);
      line.assign(begin.size(), ' ');
    }
    if (!fresh) line += ' ';
    line += word;
    fresh = false;
  }
  return lines + line + "\n";
}

}  // namespace engine
