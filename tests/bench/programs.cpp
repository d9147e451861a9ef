#include "tests/bench/programs.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <vector>

namespace bench {
namespace {

constexpr int exit_of_timeout = 124, not_executable = 126, not_found = 127;

std::string why_of(int status, int seconds) {
  if (status == -1) return "it could not be started";
  if (WIFSIGNALED(status)) return fmt::format("it was ended by signal {}", WTERMSIG(status));
  const int code = WEXITSTATUS(status);
  if (code == 0) return "";
  if (code == exit_of_timeout || code == 128 + 9)
    return fmt::format("it did not end within {} s", seconds);
  if (code == not_executable || code == not_found) return "it could not be started";
  if (code > 128) return fmt::format("it was ended by signal {}", code - 128);
  return fmt::format("it failed with exit code {}", code);
}

std::optional<double> positive(double value) {
  return value > 0 && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, at);) parts.push_back(part);
  return parts;
}

}  // namespace

Output output_of(const std::string& command, int seconds) {
  // A program that ignores SIGTERM is killed two seconds later.
  FILE* const pipe =
      popen(fmt::format("timeout -k 2 {} {} </dev/null", seconds, command).c_str(), "r");
  if (pipe == nullptr) return {"", why_of(-1, seconds)};
  Output output;
  std::array<char, 4096> buffer{};
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe))
    output.text.append(buffer.data(), n);
  output.why = why_of(pclose(pipe), seconds);
  return output;
}

bool on_path(const std::string& program) {
  return output_of("sh -c 'command -v " + program + "'").why.empty();
}

std::optional<double> number_after(const std::string& text, const std::string& label) {
  const std::size_t at = text.find(label);
  if (at == std::string::npos) return std::nullopt;
  return positive(std::strtod(text.c_str() + at + label.size(), nullptr));
}

std::optional<double> largest_below(const std::string& text, const std::string& heading) {
  const std::size_t at = text.find(heading);
  if (at == std::string::npos) return std::nullopt;
  const std::vector<std::string> lines = split(text.substr(at), '\n');
  double best = 0;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::size_t colon = lines[i].find(':');
    if (colon == std::string::npos) break;
    best = std::max(best, std::strtod(lines[i].c_str() + colon + 1, nullptr));
  }
  return positive(best);
}

std::optional<double> largest_in_column(const std::string& text, std::size_t column) {
  double best = 0;
  for (const std::string& line : split(text, '\n')) {
    const bool numbers = line.find_first_not_of(" \t\r,.0123456789") == std::string::npos;
    const std::vector<std::string> cells = split(line, ',');
    if (numbers && column < cells.size())
      best = std::max(best, std::strtod(cells[column].c_str(), nullptr));
  }
  return positive(best);
}

}  // namespace bench
