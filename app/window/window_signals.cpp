#include "app/window/window_signals.hpp"

#include <pthread.h>

#include <utility>

#include "app/output/signals.hpp"

namespace app {

namespace {

sigset_t interrupts() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
  return set;
}

}  // namespace

BlockedSignals::BlockedSignals() {
  const sigset_t set = interrupts();
  pthread_sigmask(SIG_BLOCK, &set, &before_);
}

BlockedSignals::~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

SignalWatch::SignalWatch(std::function<void()> wake)
    : wake_(std::move(wake)), thread_([this] { watch(); }) {}

SignalWatch::~SignalWatch() {
  done_ = true;
  // The thread sleeps in sigwait: one of its own signals wakes it.
  pthread_kill(thread_.native_handle(), SIGTERM);
  thread_.join();
}

void SignalWatch::watch() {
  const sigset_t set = interrupts();
  int signal = 0;
  while (sigwait(&set, &signal) == 0 && !done_) {
    if (is_ignored(signal)) continue;  // a blocked signal arrives all the same
    take_interrupt();
    interrupted_ = true;
    wake_();
  }
}

}  // namespace app
