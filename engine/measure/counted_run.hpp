// A load beside the counters of the device that runs it.
#pragma once

#include <optional>
#include <stop_token>

#include "engine/measure/measure.hpp"
#include "kernels/device.hpp"

namespace engine {

/// Whether the device counts what runs on it, at once and for this user.
bool has_counters(kernels::Device&);

/// Runs a trial for so many seconds, and as long before as counters lag behind, where there are
/// any. `counted`: in the last of these seconds; nothing where the device counts nothing, or
/// nothing that this user may read. Throws as Trial::run_for() does.
struct CountedRun {
  kernels::Sample last;
  std::optional<kernels::Activity> counted;
};
CountedRun run_counted(kernels::Device&, kernels::Trial&, double seconds, const std::stop_token&);

/// s of the same load before the counters are read: they lag behind by up to a window of 0.1 s.
inline constexpr double counters_lag = 0.25;
/// s that it takes to count the bandwidth of a point, with that.
inline constexpr double time_to_count = 0.6;

/// Byte/s of DRAM that the device counted while a trial ran; nothing where it does not count them,
/// or its multiprocessors had work for less than 97 % of the time, or so little was moved that
/// others' traffic would matter.
std::optional<double> counted_bandwidth(const kernels::DeviceInfo&, const kernels::Activity&);

}  // namespace engine
