#include "ui/pages/markdown.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "kernels/units.hpp"

namespace ui {

std::string markdown_escaped(std::string_view text) {
  std::string shown(text);
  std::ranges::replace(shown, '\n', ' ');
  shown = units::printable(shown);
  const auto in_word = [&](std::size_t i) {
    return i > 0 && i + 1 < shown.size() &&
           std::isalnum(static_cast<unsigned char>(shown[i - 1])) &&
           std::isalnum(static_cast<unsigned char>(shown[i + 1]));
  };
  std::string escaped;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const char c = shown[i];
    if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (c == '&') {
      escaped += "&amp;";
    } else {
      const bool markup = std::string_view("\\`*[]|~$").find(c) != std::string_view::npos ||
                          (c == '_' && !in_word(i));
      if (markup) escaped += '\\';
      escaped += c;
      // A word joiner: what follows is no person, who would be told, no issue, and no address.
      const bool number =
          i + 1 < shown.size() && std::isdigit(static_cast<unsigned char>(shown[i + 1]));
      const bool issue = number && (c == '#' || (i >= 2 && shown.compare(i - 2, 3, "GH-") == 0));
      if (c == '@' || issue || shown.compare(i, 3, "://") == 0 ||
          (i >= 3 && shown.compare(i - 3, 4, "www.") == 0))
        escaped += "\u2060";
    }
  }
  return escaped;
}

std::string markdown_table(std::vector<std::vector<std::string>> rows,
                           const std::vector<std::size_t>& left) {
  if (rows.size() < 2) return "";
  const auto is_left = [&](std::size_t i) { return std::ranges::find(left, i) != left.end(); };
  constexpr std::size_t narrowest = 3;
  std::vector<std::size_t> widths(rows.front().size(), narrowest);
  for (auto& row : rows) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      row[i] = markdown_escaped(row[i]);
      widths[i] = std::max(widths[i], units::width_of(row[i]));
    }
  }
  std::vector<std::string> rule;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const std::string dashes(widths[i] - 1, '-');
    rule.push_back(is_left(i) ? ":" + dashes : dashes + ":");
  }
  rows.insert(rows.begin() + 1, std::move(rule));
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const std::string padding(widths[i] - units::width_of(row[i]), ' ');
      text += "| " + (is_left(i) ? row[i] + padding : padding + row[i]) + " ";
    }
    text += "|\n";
  }
  return text;
}

}  // namespace ui
