#include "app/output/progress_bar.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "kernels/units.hpp"

namespace app {
namespace {

constexpr int bar_width = 24;
constexpr int default_columns = 80;

bool can_move_cursor() {
  const char* term = std::getenv("TERM");
  return isatty(STDERR_FILENO) != 0 && term != nullptr && std::string_view(term) != "dumb";
}

std::string time_left(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return "";
  const auto whole = static_cast<long>(std::min(std::ceil(seconds), 1e9));
  return whole < 60 ? fmt::format("{} s left", whole)
                    : fmt::format("{}:{:02} min left", whole / 60, whole % 60);
}

}  // namespace

void print_to_stderr(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

std::optional<int> columns_of(int stream) {
  winsize size{};
  const bool known = ioctl(stream, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? std::optional<int>(size.ws_col) : std::nullopt;
}

std::string bar_line(const engine::Progress& progress, int columns) {
  const double share = progress.total == 0 ? 0
                                           : static_cast<double>(progress.done) /
                                                 static_cast<double>(progress.total);
  const int full = static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * bar_width));
  std::string line = fmt::format(
      "[{:#<{}}{:.<{}}] {}/{}  {}  {}{}", "", full, "", bar_width - full, progress.done,
      progress.total, time_left(progress.seconds_left),
      progress.pass > 0 ? fmt::format("pass {}, ", progress.pass + 1) : "", progress.now);
  // One column stays free: a terminal wraps when the last one is written.
  if (columns > 1 && line.size() >= static_cast<std::size_t>(columns)) {
    line.resize(static_cast<std::size_t>(columns) - 1);
  }
  return line;
}

Console::Console() : terminal_(can_move_cursor()) {}

Console::~Console() { clear(); }

void Console::say(std::string_view sentence) {
  clear();
  print_to_stderr(fmt::format("ridgepoint: {}\n", units::printable(sentence)));
}

void Console::show(const engine::Progress& progress) {
  if (!terminal_) return;
  print_to_stderr("\r\x1b[K" +
                  bar_line(progress, columns_of(STDERR_FILENO).value_or(default_columns)));
  bar_shown_ = true;
}

void Console::clear() {
  if (!bar_shown_) return;
  print_to_stderr("\r\x1b[K");
  bar_shown_ = false;
}

Exit interrupted_too_early(Console& console) {
  console.say("interrupted before anything was measured; no file was written");
  return Exit::interrupted;
}

}  // namespace app
