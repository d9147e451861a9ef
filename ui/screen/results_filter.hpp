// What a filter of the results table asks for, and how words are found in a row. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ui {

struct ResultsFilter {
  std::vector<std::string> beginnings;  ///< of words in the cells of a row, in small letters
  std::vector<std::uint64_t> repeats;   ///< whole numbers
};

/// Its words, in any order and whatever the case of their letters.
ResultsFilter results_filter(const std::string& typed);

/// In small letters (ASCII).
std::string lower(std::string words);

/// Whether a word of the text begins like this: "fused" is no part of "unfused".
bool has_word(std::string_view text, std::string_view beginning);

}  // namespace ui
