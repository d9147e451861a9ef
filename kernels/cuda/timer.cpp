#include "kernels/cuda/timer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "kernels/cuda/runtime.hpp"
#include "kernels/cuda/tables.hpp"
#include "kernels/device.hpp"

namespace kernels::cuda {
namespace {

using Clock = std::chrono::steady_clock;

// Queueing takes milliseconds at most; past this the hold gives up.
constexpr double hold_seconds = 0.1;
// Where launches wait for their end (a debugger, CUDA_LAUNCH_BLOCKING), every hold runs into its
// limit; after so many there are no more holds.
constexpr int most_expired = 3;
// No wait covers more than about 0.1 s of work; other programs may share the GPU, hence so much
// more.
constexpr std::chrono::seconds patience{30};
// Below this a wait spins, so that a sample costs no more than its time; above it sleeps.
constexpr std::chrono::microseconds spin{300};

}  // namespace

Timer::Timer(cudaStream_t stream, double clock_hz)
    : stream_(stream),
      hold_cycles_(static_cast<std::uint64_t>(hold_seconds * (clock_hz > 0 ? clock_hz : 1e9))) {
  check(cudaHostAlloc(reinterpret_cast<void**>(&flags_), sizeof(HoldFlags), cudaHostAllocMapped),
        "allocating host memory");
  try {
    *flags_ = {};
    check(cudaHostGetDevicePointer(reinterpret_cast<void**>(&device_flags_), flags_, 0),
          "mapping host memory");
    check(cudaEventCreate(&start_), "creating an event");
    check(cudaEventCreate(&end_), "creating an event");
    // Once without a hold: a kernel that is loaded for the first time may wait for the stream it
    // holds.
    flags_->release = 1;
    launch(service_kernels().hold, 1, 1, HoldArguments{device_flags_, hold_cycles_}, stream_);
    finish();
  } catch (...) {
    static_cast<void>(cudaFreeHost(flags_));
    throw;
  }
}

Timer::~Timer() {
  // Codes of a lost device: nobody is left to tell.
  static_cast<void>(cudaEventDestroy(start_));
  static_cast<void>(cudaEventDestroy(end_));
  static_cast<void>(cudaFreeHost(flags_));
}

void Timer::arm() {
  flags_->expired = 0;
  std::atomic_ref(flags_->release).store(0);
  launch(service_kernels().hold, 1, 1, HoldArguments{device_flags_, hold_cycles_}, stream_);
}

void Timer::release() { std::atomic_ref(flags_->release).store(1); }

double Timer::region(Hold hold, const std::function<void()>& queue) {
  const bool held = hold == Hold::yes && expired_in_a_row_ < most_expired;
  if (held) arm();
  try {
    check(cudaEventRecord(start_, stream_), "recording an event");
    queue();
    check(cudaEventRecord(end_, stream_), "recording an event");
  } catch (...) {
    release();
    throw;
  }
  release();
  wait(end_);
  if (held) {
    const bool expired = std::atomic_ref(flags_->expired).load() != 0;
    expired_in_a_row_ = expired ? expired_in_a_row_ + 1 : 0;
    if (expired) return region(hold, queue);
  }
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, start_, end_), "reading the time between events");
  return static_cast<double>(milliseconds) * 1e-3;
}

double Timer::warm_region(const std::function<void()>& queue) {
  queue();
  finish();
  return std::min(region(Hold::yes, queue), region(Hold::yes, queue));
}

void Timer::finish() {
  check(cudaEventRecord(end_, stream_), "recording an event");
  wait(end_);
}

void Timer::wait(cudaEvent_t event) {
  const Clock::time_point start = Clock::now();
  for (;;) {
    const cudaError_t state = cudaEventQuery(event);
    if (state == cudaSuccess) return;
    if (state != cudaErrorNotReady) check(state, "waiting for the GPU");
    const auto waited = Clock::now() - start;
    if (waited > patience) {
      throw DeviceLost(
          fmt::format("the GPU has not answered for {} s; restart the program", patience.count()));
    }
    if (waited > spin) {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    } else {
      std::this_thread::yield();
    }
  }
}

}  // namespace kernels::cuda
