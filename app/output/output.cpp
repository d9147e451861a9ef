#include "app/output/output.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <system_error>

#include "app/output/signals.hpp"
#include "kernels/units.hpp"

namespace app {

void Output::say(std::string_view lines) { write(units::printable(lines, units::Lines::kept)); }

void Output::write(std::string_view bytes) {
  while (!bytes.empty() && usable()) {
    if (!wait_for_room()) continue;
    const ssize_t written =
        ::write(STDOUT_FILENO, bytes.data(), std::min<std::size_t>(bytes.size(), PIPE_BUF));
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EPIPE) {
      reader_left_ = true;
    } else if (errno != EINTR && errno != EAGAIN) {
      problem_ = std::generic_category().message(errno);
    }
  }
}

bool Output::wait_for_room() {
  constexpr int glance_ms = 200;  // how long an interrupt may stay unnoticed
  pollfd room{STDOUT_FILENO, POLLOUT, 0};
  const int found = poll(&room, 1, glance_ms);
  if (found < 0 && errno == EINTR) return false;
  if (found != 0) return true;
  // A reader that stands still (a pager) would keep an interrupted program for ever.
  if (interrupted()) reader_left_ = true;
  return false;
}

Exit Output::finish() const {
  if (problem_.empty()) return Exit::done;
  throw Failure(Exit::failed,
                fmt::format("cannot write to standard output: {}; redirect it", problem_));
}

}  // namespace app
