// How much of the time that a thread wanted to run it ran.
#pragma once

namespace kernels::cpu {

/// Kept by the thread itself: what it did not run of the time it was awake is what others took.
/// Costs nothing between the calls.
class alignas(64) Attendance {  // a cache line each
 public:
  /// From here on the thread wants to run.
  void begin();
  /// It wanted nothing for some time.
  void slept(double seconds) { slept_ += seconds; }
  /// Adds what has been missed since begin() or the last call.
  void update();

  double missed() const { return missed_; }  ///< s

 private:
  double wall_ = 0;  // at begin() or the last update(), as the next
  double ran_ = 0;
  double slept_ = 0;  // since then
  double missed_ = 0;
};

}  // namespace kernels::cpu
