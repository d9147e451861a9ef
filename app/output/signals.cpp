#include "app/output/signals.hpp"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>

#include "app/cli/exit_codes.hpp"

namespace app {
namespace {

/// A group that is told to end often gets its signal twice (timeout signals the child, then the
/// child's group): only what comes this much later is a second wish.
constexpr std::int64_t patience_ns = 1'000'000'000;

/// When the first one came, on the monotonic clock; 0 = none did.
std::atomic<std::int64_t> first_interrupt{0};
static_assert(std::atomic<std::int64_t>::is_always_lock_free, "a signal handler may touch it");

extern "C" void on_interrupt(int) { take_interrupt(); }

}  // namespace

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = on_interrupt;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (!is_ignored(signal)) sigaction(signal, &action, nullptr);
  }
}

bool is_ignored(int signal) {
  struct sigaction now = {};
  return sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

void take_interrupt() {
  timespec time = {};
  clock_gettime(CLOCK_MONOTONIC, &time);
  const std::int64_t now = time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
  std::int64_t first = 0;
  if (first_interrupt.compare_exchange_strong(first, now)) return;
  if (now - first >= patience_ns) _exit(static_cast<int>(Exit::interrupted));
}

bool interrupted() { return first_interrupt.load() != 0; }

void ignore_write_signals() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

void occupy_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest free number is this one: all below it are open by now.
    const int opened = open("/dev/null", stream == STDERR_FILENO ? O_WRONLY : O_RDONLY);
    if (opened != stream && opened != -1) close(opened);
  }
}

}  // namespace app
