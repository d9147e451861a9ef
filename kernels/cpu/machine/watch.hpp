// What the operating system counts about some processors: their time, who had it, the energy of
// their packages, how often heat has slowed them down. Linux; every file is read below a root
// folder.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernels/device.hpp"

namespace kernels::cpu {

/// Counters at one moment; each grows from an arbitrary start. Absent or empty: not told.
struct Readings {
  /// Energy of a package, and the value at which its counter starts again at 0.
  struct Energy {
    double joules = 0;
    double range = 0;
  };

  std::chrono::steady_clock::time_point when{};
  double own_seconds = 0;  ///< processor time of this process
  /// Seconds of all processors together since they started: all, in use, taken by the hypervisor.
  std::optional<double> total_seconds, busy_seconds, stolen_seconds;
  std::optional<double> missed_seconds;      ///< that our threads wanted and did not get (Pool)
  std::optional<double> over_quota_seconds;  ///< seconds_over_quota()
  std::map<std::string, Energy> energy;      ///< by package
  std::optional<std::uint64_t> throttled;
};

/// Processors whose time is watched: those that run our threads, and the others of the same cores
/// (SMT), because who runs there slows ours down.
struct WatchedProcessors {
  std::vector<int> processors;
  std::vector<int> siblings{};
};

/// Never throws: what cannot be read, or makes no sense, is absent; `missed_seconds` always.
Readings readings_of(const std::filesystem::path& root, const WatchedProcessors&);

/// Adds to `conditions` what happened between two readings: `stolen`, `other_load`, `quota`,
/// `power_w` and `throttled`. What our threads missed is exact. The system counts processor times
/// in ticks of 10 ms: of less than 10 ticks they say nothing, and of the load one tick a processor
/// may be ours.
void add_changes(const Readings& before, const Readings& after, std::size_t processors,
                 Conditions& conditions);

}  // namespace kernels::cpu
