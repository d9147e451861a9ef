#include "app/cli/suggest.hpp"

#include <algorithm>
#include <numeric>

namespace app {
namespace {

/// Levenshtein distance: insertions, deletions and replacements that turn a into b.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, replaced});
    }
  }
  return row.back();
}

}  // namespace

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t longest_word = 64;  // longer is no typing error, and costs time
  if (known.empty() || word.size() > longest_word) return "";
  const auto nearer = [&](const std::string& a, const std::string& b) {
    return distance(word, a) < distance(word, b);
  };
  const std::string& best = *std::min_element(known.begin(), known.end(), nearer);
  const std::size_t edits = distance(word, best);
  const bool near = edits <= 2 && edits < best.size() && edits < word.size();
  return near ? "; did you mean '" + best + "'?" : "";
}

}  // namespace app
