// Times work on a stream with events. The stream is held until everything is queued, so that the
// time of queueing stays out of the number; right behind the timed work the clock is read.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <functional>
#include <optional>

#include "kernels/cuda/bodies/arguments.hpp"
#include "kernels/cuda/runtime/helpers.hpp"
#include "kernels/cuda/runtime/runtime.hpp"

namespace kernels::cuda {

/// How one trial holds the stream until all is queued. Where launches wait for their end (a
/// debugger, CUDA_LAUNCH_BLOCKING) every hold runs into its limit; after three in a row the trial
/// goes on without, so that its times include the queueing.
class Holds {
 public:
  /// `wanted` false: none at all.
  explicit Holds(bool wanted = true) : wanted_(wanted) {}
  bool on() const { return wanted_ && !given_up(); }
  bool given_up() const { return expired_in_a_row_ == most_expired; }
  void ended(bool expired) { expired_in_a_row_ = expired ? expired_in_a_row_ + 1 : 0; }

 private:
  static constexpr int most_expired = 3;
  bool wanted_;
  int expired_in_a_row_ = 0;
};

class Timer {
 public:
  /// Work for this stream. `clock_hz` bounds how long the hold lasts. Throws like check().
  Timer(cudaStream_t stream, double clock_hz);
  ~Timer();

  /// Seconds between the start and the end of what `queue` enqueues; with the time of the host
  /// where the stream is not held. Throws DeviceLost when it does not end.
  double region(Holds&, const std::function<void()>& queue);

  /// Seconds of regions since the last call, and how many of them other programs had the GPU before
  /// a region could begin: programs take turns, a few milliseconds each. Whatever the host does, it
  /// is not too long. A region that is shorter than a turn stays whole.
  struct Turns {
    double whole = 0, others = 0;            ///< of all regions
    double long_whole = 0, long_others = 0;  ///< of those that may have been cut
  };
  Turns take_turns();

  /// Clock of the multiprocessors right behind the last region, Hz, from their own counters.
  std::optional<double> clock_hz() const { return clock_hz_; }

  /// Seconds of what `queue` enqueues: once to load its kernels, then the better of two.
  double warm_region(Holds&, const std::function<void()>& queue);

  /// Called by `queue` before it enqueues more than the stream can hold back (a held stream takes
  /// about a thousand launches; one more would wait for the hold's own time limit).
  void release() noexcept;

  /// Waits until all enqueued work has ended. Throws DeviceLost when it does not end.
  void finish() { finish(spin); }
  /// The same, seen within about a microsecond of work that takes up to 0.1 s: for times of the
  /// host.
  void finish_exactly() { finish(0.1); }

  /// Page-locked host memory for copies: unlike one with pageable memory, a copy with it only
  /// enqueues and cannot hang with the GPU.
  static constexpr std::size_t staging_bytes = 256 * 1024;
  void* staging() const { return shared_->staging; }

  /// The GPU did not answer in time, and may never: from now on every call throws DeviceLost, and
  /// nothing may be called that waits for the GPU, as freeing memory does.
  bool gave_up() const { return gave_up_; }
  /// Throws DeviceLost when it gave up.
  void refuse_if_lost() const;

 private:
  static constexpr int probe_blocks = 4;
  /// Host memory that the device sees too.
  struct Shared {
    HoldFlags hold;
    ClockSample clock[probe_blocks];
    unsigned char staging[staging_bytes];
  };

  void start();
  void stop() noexcept;
  void arm();
  void probe();
  /// Seconds for which a wait spins, so that a sample costs no more than its time; then it sleeps.
  static constexpr double spin = 300e-6;

  void finish(double spins);
  void wait(const Event&, double spins = spin);
  void count_turns(double released, double region);

  cudaStream_t stream_;
  std::uint64_t hold_cycles_;
  Shared* shared_ = nullptr;  // the device's address is device_shared_
  Shared* device_shared_ = nullptr;
  Event start_, end_;
  Event after_;  // behind the clock's probe
  std::optional<double> clock_hz_;
  double unfinished_ = 0;  // when the last wait last saw its event unfinished
  Turns turns_;
  bool gave_up_ = false;
};

}  // namespace kernels::cuda
