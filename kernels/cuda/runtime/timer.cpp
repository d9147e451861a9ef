#include "kernels/cuda/runtime/timer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "kernels/cuda/runtime/host_time.hpp"
#include "kernels/cuda/runtime/runtime.hpp"
#include "kernels/cuda/trials/tables.hpp"
#include "kernels/device.hpp"

namespace kernels::cuda {
namespace {

// Queueing takes milliseconds at most; past this the hold gives up.
constexpr double hold_seconds = 0.1;
// No wait covers more than about 0.1 s of work; other programs may share the GPU, hence so much
// more.
constexpr double longest_wait = 30;
// On an H200 that another program used all the time, regions of 1.07 ms were as long as alone,
// within 0.3 %, and those of 2.1 ms twice as long.
constexpr double surely_whole = 1.1e-3;
// Less than a turn; the wait for an event looks every 50 us.
constexpr double least_turn = 300e-6;
// The GPU's timer steps once in up to 1 us, and the probe starts and ends at a step: the loop that
// watches for it (about 0.1 us) is below 0.1 % of this. Clocks change over milliseconds.
constexpr std::uint64_t probe_nanoseconds = 150'000;
// 3 clocks per nanosecond is more than any GPU runs; as much again for the first step.
constexpr std::uint64_t most_probe_cycles = 6 * probe_nanoseconds;
// No GPU runs slower or faster; what lies outside was not measured.
constexpr double slowest = 20e6;
constexpr double fastest = 10e9;

}  // namespace

std::optional<double> clock_of(std::span<const ClockSample> samples) {
  std::vector<double> clocks;
  for (const ClockSample& sample : samples) {
    if (sample.nanoseconds == 0) continue;
    const double hz =
        static_cast<double>(sample.cycles) / static_cast<double>(sample.nanoseconds) * 1e9;
    if (hz >= slowest && hz <= fastest) clocks.push_back(hz);
  }
  if (clocks.empty()) return std::nullopt;
  const auto middle = clocks.begin() + static_cast<std::ptrdiff_t>(clocks.size() / 2);
  std::ranges::nth_element(clocks, middle);
  return *middle;
}

Timer::Timer(cudaStream_t stream, double clock_hz)
    : stream_(stream),
      hold_cycles_(static_cast<std::uint64_t>(hold_seconds * (clock_hz > 0 ? clock_hz : 1e9))) {
  try {
    start();
  } catch (...) {
    stop();
    throw;
  }
}

Timer::~Timer() { stop(); }

void Timer::start() {
  check(cudaHostAlloc(reinterpret_cast<void**>(&shared_), sizeof(Shared), cudaHostAllocMapped),
        "allocating host memory");
  shared_->hold = {};
  check(cudaHostGetDevicePointer(reinterpret_cast<void**>(&device_shared_), shared_, 0),
        "mapping host memory");
  // Once without a hold: a kernel that is loaded for the first time may wait for the stream it
  // holds.
  shared_->hold.release = 1;
  launch(service_kernels().hold, 1, 1, HoldArguments{&device_shared_->hold, hold_cycles_}, stream_);
  probe();
  finish();
}

// The code of a lost device: nobody is left to tell. Freeing would wait for work that never ends,
// so a GPU that was given up keeps its memory until the program ends.
void Timer::stop() noexcept {
  if (shared_ != nullptr && !gave_up_) static_cast<void>(cudaFreeHost(shared_));
}

void Timer::refuse_if_lost() const {
  if (!gave_up_) return;
  throw DeviceLost(
      "the GPU stopped responding and is no longer used; restart the program to measure it, and "
      "look for Xid messages in the kernel log");
}

void Timer::arm() {
  shared_->hold.expired = 0;
  std::atomic_ref(shared_->hold.release).store(0);
  launch(service_kernels().hold, 1, 1, HoldArguments{&device_shared_->hold, hold_cycles_}, stream_);
}

void Timer::probe() {
  launch(helper_kernels().probe, probe_blocks, 1,
         ProbeArguments{device_shared_->clock, probe_nanoseconds, most_probe_cycles}, stream_);
}

void Timer::release() noexcept { std::atomic_ref(shared_->hold.release).store(1); }

double Timer::region(Holds& holds, const std::function<void()>& queue) {
  refuse_if_lost();
  clock_hz_.reset();
  std::ranges::fill(shared_->clock, ClockSample{});
  const bool held = holds.on();
  if (held) arm();
  try {
    start_.record(stream_);
    queue();
    end_.record(stream_);
    probe();
    after_.record(stream_);
  } catch (...) {
    release();
    throw;
  }
  release();
  const double released = host_seconds();
  wait(after_);
  if (held) {
    const bool expired = std::atomic_ref(shared_->hold.expired).load() != 0;
    holds.ended(expired);
    if (expired) return region(holds, queue);
  }
  clock_hz_ = clock_of(shared_->clock);
  const double seconds = end_.since(start_);
  count_turns(released, seconds);
  return seconds;
}

// The host may look late, but when it saw the event unfinished, it was.
void Timer::count_turns(double released, double region) {
  const double passed = unfinished_ - released;
  const double others = passed > least_turn ? passed - after_.since(start_) : 0;
  const double counted = others > least_turn ? others : 0;
  turns_.whole += region + counted;
  turns_.others += counted;
  if (region <= surely_whole) return;
  turns_.long_whole += region + counted;
  turns_.long_others += counted;
}

Timer::Turns Timer::take_turns() { return std::exchange(turns_, {}); }

double Timer::warm_region(Holds& holds, const std::function<void()>& queue) {
  refuse_if_lost();
  queue();
  finish();
  return std::min(region(holds, queue), region(holds, queue));
}

void Timer::finish(double spins) {
  refuse_if_lost();
  end_.record(stream_);
  wait(end_, spins);
}

void Timer::wait(const Event& event, double spins) {
  const double start = host_seconds();
  unfinished_ = start;
  for (double now = start;; now = host_seconds()) {
    const cudaError_t state = cudaEventQuery(event.get());
    if (state == cudaSuccess) return;
    if (state != cudaErrorNotReady) check(state, "waiting for the GPU");
    unfinished_ = now;
    const double waited = now - start;
    if (waited > longest_wait) {
      gave_up_ = true;
      throw DeviceLost(
          fmt::format("the GPU has not responded for {:.0f} s and is no longer used; restart the "
                      "program to measure it, and look for Xid messages in the kernel log",
                      longest_wait));
    }
    host_pause(waited < spins);
  }
}

}  // namespace kernels::cuda
