// The host's clock, its rests while it waits, and what it does beside. Of its own, so that tests
// wait on a virtual clock.
#pragma once

#include <functional>
#include <memory>

namespace kernels::cuda {

/// Seconds on a clock that never goes back.
double host_seconds();

/// Lets others run: a moment when the end is near, else about 50 us.
void host_pause(bool near);

/// Work that a thread of its own does again and again while somebody asks for it. Nothing runs
/// before the first keep_on().
class Background {
 public:
  /// `period`: seconds from one call of `work` to the next.
  Background(std::function<void()> work, double period);
  /// Waits for the call at hand.
  ~Background();

  /// Works for another second. Never waits.
  void keep_on();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kernels::cuda
