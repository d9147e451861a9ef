// What NVML tells of a GPU, read by a thread of its own: a look takes 5 to 20 ms on an H200, as
// long as several visits to a point.
#pragma once

#include <condition_variable>
#include <mutex>

#include "kernels/cuda/libraries/nvml.hpp"
#include "kernels/cuda/runtime/host_time.hpp"

namespace kernels::cuda {

class Sensors {
 public:
  /// Reads nothing before keep_on(). `nvml` must outlive it.
  explicit Sensors(Nvml& nvml);

  /// Reads ten times a second for another second.
  void keep_on() { background_.keep_on(); }
  /// The newest reading, at most a quarter of a second old; waits for it a second at most.
  Conditions latest();

 private:
  void read();

  Nvml& nvml_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Conditions newest_;
  double newest_at_ = -1e9;  // by host_seconds()
  Background background_;    // last: it uses the others
};

}  // namespace kernels::cuda
