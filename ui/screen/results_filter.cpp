#include "ui/screen/results_filter.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <sstream>
#include <system_error>

namespace ui {

namespace {

/// Of ASCII: "±8" has the word "8", too.
bool goes_on_before(std::string_view text, std::size_t at) {
  return at > 0 && std::isalnum(static_cast<unsigned char>(text[at - 1])) != 0;
}

}  // namespace

std::string lower(std::string words) {
  std::ranges::transform(words, words.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return words;
}

bool has_word(std::string_view text, std::string_view beginning) {
  std::size_t at = text.find(beginning);
  while (at != std::string_view::npos && goes_on_before(text, at))
    at = text.find(beginning, at + 1);
  return at != std::string_view::npos;
}

ResultsFilter results_filter(const std::string& typed) {
  ResultsFilter wanted;
  std::istringstream in(lower(typed));
  for (std::string word; in >> word;) {
    std::uint64_t repeat = 0;
    const char* end = word.data() + word.size();
    const auto [stopped, error] = std::from_chars(word.data(), end, repeat);
    if (error == std::errc() && stopped == end) {
      wanted.repeats.push_back(repeat);
    } else {
      wanted.beginnings.push_back(word);
    }
  }
  return wanted;
}

}  // namespace ui
