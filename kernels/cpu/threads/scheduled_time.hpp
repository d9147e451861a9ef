// Scheduled time: for how long a thread that wanted to run was not scheduled.
#pragma once

namespace kernels::cpu {

/// Each thread updates its own: time awake minus CPU time is what other work took. Costs nothing
/// between the calls.
class alignas(64) ScheduledTime {  // a cache line each
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
