// Cells of a table for spreadsheets and scripts: RFC 4180.
#pragma once

#include <string>
#include <string_view>

namespace engine {

/// In quotes, whatever the text holds.
std::string text_cell(std::string_view);
/// Shortest text that reads back as the same double.
std::string number_cell(double);

}  // namespace engine
