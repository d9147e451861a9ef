// Words and tables of Markdown, as people paste them into an issue. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ui {

/// As text of one line: nothing in it is markup or a link, and nobody is called by an "@".
std::string markdown_escaped(std::string_view text);

/// Rows of cells, which are text, the first with titles; empty without others. Aligned as text,
/// too. The columns in `left` are words, the others numbers.
std::string markdown_table(std::vector<std::vector<std::string>> rows,
                           const std::vector<std::size_t>& left);

}  // namespace ui
