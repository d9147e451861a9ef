#include "app/output/output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "app/output/signals.hpp"
#include "engine/session/session_file.hpp"
#include "kernels/units.hpp"

namespace app {

void Output::say(std::string_view lines) { write(units::printable(lines, units::Lines::kept)); }

void Output::write(std::string_view bytes) {
  if (!usable()) return;
  // A reader that stands still (a pager) would keep an interrupted program for ever.
  const int error = engine::write_as_read(STDOUT_FILENO, bytes, interrupted);
  reader_left_ = error == EPIPE || error == EAGAIN;
  if (error != 0 && !reader_left_) problem_ = std::generic_category().message(error);
}

Exit Output::finish() const {
  if (problem_.empty()) return Exit::done;
  throw Failure(Exit::failed,
                fmt::format("cannot write to standard output: {}; redirect it", problem_));
}

}  // namespace app
