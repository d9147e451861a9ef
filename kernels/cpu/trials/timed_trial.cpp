#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "kernels/cpu/machine/pinned_caller.hpp"
#include "kernels/cpu/trials/trials.hpp"

namespace kernels::cpu {
namespace {

using Clock = std::chrono::steady_clock;

/// A timed region lasts at least this long (docs/measuring.md, "Timing and stopping").
constexpr double least_region = 100e-6;
constexpr double aimed_region = 150e-6;
constexpr double most_growth = 100;
/// Where a run can be divided and takes longer, a timed region is a part of it (docs/measuring.md,
/// "Passes").
constexpr double least_part = 5e-3;
constexpr double aimed_part = 7.5e-3;
/// Of each thread in a part. Threads can differ by one granule.
constexpr std::uint64_t least_granules = 64;

}  // namespace

void TimedTrial::settle(std::stop_token stop) {
  const Pool::PinnedCaller pinned(machine_.pool());
  before_ = machine_.wait_for_cores(stop);
}

Division TimedTrial::divide(std::uint64_t items, std::uint64_t granule, bool in_memory) {
  if (part_.of > 1) fraction_ = machine_.divide(items, granule, in_memory, part_).fraction();
  return machine_.divide(items, granule, in_memory, part_);
}

double TimedTrial::run(std::stop_token stop) {
  const Pool::PinnedCaller pinned(machine_.pool());
  const Contention before = before_ ? *std::exchange(before_, {}) : machine_.contention();
  before_timing();
  if (parts_ == 0) {
    const auto threads = static_cast<std::uint64_t>(machine_.threads());
    parts_ = std::max<std::uint64_t>(1, granules() / threads / least_granules);
  }
  for (;;) {
    part_ = {next_++ % parts_, parts_};
    fraction_ = 1;
    const auto start = Clock::now();
    for (std::uint64_t i = 0; i < batch_ && !stop.stop_requested(); ++i) run_once(stop);
    const std::chrono::duration<double> took = Clock::now() - start;
    part_ = {};
    if (stop.stop_requested()) throw Cancelled();
    if (took.count() >= (parts_ > 1 ? least_part : least_region)) {
      contended_ = std::max(before, machine_.contention()) == Contention::heavy;
      return took.count() / (static_cast<double>(batch_) * fraction_);
    }
    if (parts_ > 1) {
      const double fewer = static_cast<double>(parts_) * took.count() / aimed_part;
      parts_ = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(fewer));
      continue;
    }
    const double growth = std::min(most_growth, aimed_region / std::max(took.count(), 1e-9));
    batch_ = static_cast<std::uint64_t>(std::ceil(static_cast<double>(batch_) * growth));
  }
}

void TimedTrial::run_untimed(const std::stop_token& stop) {
  {
    const Pool::PinnedCaller pinned(machine_.pool());
    run_once(stop);
  }
  if (stop.stop_requested()) throw Cancelled();
}

std::string mismatch(std::uint64_t index, std::uint64_t elements, double expected, double got) {
  return fmt::format("element {} of {}: expected {}, got {}", index, elements, expected, got);
}

}  // namespace kernels::cpu
