// Times work on a stream with events. The stream is held until everything is queued, so that the
// time of queueing stays out of the number.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <functional>

#include "kernels/cuda/arguments.hpp"

namespace kernels::cuda {

class Timer {
 public:
  /// Work for this stream. `clock_hz` bounds how long the hold lasts. Throws like check().
  Timer(cudaStream_t stream, double clock_hz);
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  /// Whether the stream waits until all is queued. Off: the time includes that of the host.
  enum class Hold { yes, no };

  /// Seconds between the start and the end of what `queue` enqueues. Throws DeviceLost when it does
  /// not end.
  double region(Hold, const std::function<void()>& queue);

  /// Seconds of what `queue` enqueues: once to load its kernels, then the better of two.
  double warm_region(const std::function<void()>& queue);

  /// Called by `queue` before it enqueues more than the stream can hold back (a held stream takes
  /// about a thousand launches; one more would wait for the hold's own time limit).
  void release();

  /// Waits until all enqueued work has ended. Throws DeviceLost when it does not end.
  void finish();

 private:
  void arm();
  void wait(cudaEvent_t);

  cudaStream_t stream_;
  std::uint64_t hold_cycles_;
  HoldFlags* flags_ = nullptr;  // host memory, the device's address is device_flags_
  HoldFlags* device_flags_ = nullptr;
  cudaEvent_t start_ = nullptr;
  cudaEvent_t end_ = nullptr;
  int expired_in_a_row_ = 0;
};

}  // namespace kernels::cuda
