// Ctrl-C and its relatives while the window is open: it closes in order, with its settings saved.
#pragma once

#include <signal.h>

#include <atomic>
#include <functional>
#include <thread>

namespace app {

/// Keeps SIGINT, SIGTERM and SIGHUP from every thread that is started while it lives.
class BlockedSignals {
 public:
  BlockedSignals();
  ~BlockedSignals();
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_;
};

/// Waits for one of them and calls `wake`; one more, a second or more later, ends the process at
/// once.
class SignalWatch {
 public:
  explicit SignalWatch(std::function<void()> wake);
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  bool interrupted() const { return interrupted_; }

 private:
  void watch();

  std::function<void()> wake_;
  std::atomic<bool> interrupted_ = false;
  std::atomic<bool> done_ = false;
  std::thread thread_;  // last member: it uses the others
};

}  // namespace app
