#include "app/output.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "app/exit_codes.hpp"

namespace app {

void Output::write(std::string_view text) {
  while (!text.empty() && usable()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {  // a pipe that its other end made non-blocking
      pollfd ready{STDOUT_FILENO, POLLOUT, 0};
      poll(&ready, 1, -1);
    } else if (errno == EPIPE) {
      reader_left_ = true;
    } else if (errno != EINTR) {
      problem_ = std::generic_category().message(errno);
    }
  }
}

void Output::finish() const {
  if (problem_.empty()) return;
  throw Failure(Exit::failed,
                fmt::format("cannot write to standard output: {}; send it elsewhere", problem_));
}

}  // namespace app
