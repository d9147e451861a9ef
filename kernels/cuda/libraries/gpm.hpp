// Counters of a GPU that any user may read beside other programs: NVML's GPU performance monitoring
// (GPM), from Hopper on.
#pragma once

#include <memory>
#include <vector>

#include "kernels/cuda/libraries/nvml_calls.hpp"
#include "kernels/cuda/libraries/shared_library.hpp"
#include "kernels/device.hpp"

namespace kernels::cuda {

/// Over less an H200 reads 0, and of DRAM no number (driver 580).
inline constexpr double least_gpm_window = 0.1;

class Gpm {
 public:
  /// Takes the first sample. Throws Unsupported with why there are no counters. `library` must
  /// outlive it.
  Gpm(const SharedLibrary& library, nvml::Device device);

  /// What was counted since the last sample, by the names of counted.hpp; values that the library
  /// does not tell are absent. Takes 0.2 ms (an H200). Throws Unsupported where a sample is
  /// refused.
  std::vector<Value> read();

 private:
  struct Free {
    nvml::GpmFree release;
    void operator()(void* sample) const {
      if (release != nullptr) release(sample);
    }
  };
  using Sample = std::unique_ptr<void, Free>;
  Sample allocated() const;
  void take(const Sample& into) const;

  const SharedLibrary& library_;
  nvml::Device device_;
  Sample earlier_, later_;
};

}  // namespace kernels::cuda
