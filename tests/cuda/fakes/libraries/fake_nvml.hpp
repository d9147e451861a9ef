// NVIDIA's management library, as far as it is used, for the emulated machine.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "kernels/cuda/libraries/nvml_calls.hpp"

namespace fake_nvml {

struct State {
  int init = 0;    ///< nvmlReturn_t of nvmlInit_v2
  int handle = 0;  ///< and of the device's handle
  int every = 0;   ///< and of all calls to the device
  unsigned clock_mhz = 1980, memory_clock_mhz = 3201, milliwatts = 350'000, celsius = 41;
  std::optional<double> watts{};  ///< of the energy counter, which follows the virtual clock
  unsigned long long reasons = 0;
  unsigned cores = 2 * 128;  ///< of the whole GPU
  unsigned link_generation = 5, link_lanes = 16;
  unsigned long long free_bytes = 1 << 27;
  std::vector<kernels::cuda::nvml::ProcessSample> samples{};
  bool old_calls = false;           ///< samples come by the call before driver 545 alone
  std::vector<unsigned> running{};  ///< processes that compute
  unsigned long long memory = 0;    ///< of each of them
  /// Percent or MiB/s that GPM counts of a metric, from when to when, s; without it there is no
  /// GPM.
  std::function<double(unsigned metric, double from, double to)> counted{};
  int gpm = 0;  ///< nvmlReturn_t of samples
  unsigned samples_held = 0;
  unsigned gpu_util = 0;  ///< percent
};
State& state();

/// Puts it on the machine, in the given state.
void install();

}  // namespace fake_nvml
