// Other programs: run with a time limit, and figures read from what they print.
#pragma once

#include <optional>
#include <string>

namespace bench {

/// What a command printed on stdout, and why it did not end well: a signal, an exit code, the
/// limit.
struct Output {
  std::string text;
  std::string why{};  ///< empty: it ended with 0
};
/// Runs a command of the shell for at most so many seconds.
Output output_of(const std::string& command, int seconds = 60);
/// True when a program is on PATH.
bool on_path(const std::string& program);

/// The first number behind a label; nothing when either is not there or the number is not positive
/// and finite.
std::optional<double> number_after(const std::string& text, const std::string& label);
/// The largest number behind a colon in the indented lines below a heading, up to the first line
/// without a colon.
std::optional<double> largest_below(const std::string& text, const std::string& heading);
/// The largest number of a column (from 0) in the lines that hold only numbers and commas: a CSV
/// table between lines of words.
std::optional<double> largest_in_column(const std::string& text, std::size_t column);

}  // namespace bench
