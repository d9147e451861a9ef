#include "engine/session/csv_cells.hpp"

#include <fmt/format.h>

namespace engine {

std::string text_cell(std::string_view text) {
  std::string cell = "\"";
  for (const char c : text) {
    if (c == '"') cell += '"';
    cell += c;
  }
  return cell + '"';
}

std::string number_cell(double value) { return fmt::format("{}", value); }

}  // namespace engine
