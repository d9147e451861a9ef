// What NVML tells of all that runs on a GPU, window by window.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "kernels/cuda/libraries/nvml.hpp"
#include "kernels/cuda/runtime/sensors.hpp"
#include "kernels/device.hpp"

namespace kernels::cuda {

class GpuActivity final : public ActivityReader {
 public:
  /// Both must outlive it. Throws Unsupported where NVML tells nothing of the GPU at all.
  GpuActivity(const Nvml& nvml, Sensors& sensors);

  double least_window() const override { return least_gpm_window; }
  std::string why_not() const override { return why_not_; }
  std::optional<Activity> read() override;

 private:
  const Nvml& nvml_;
  Sensors& sensors_;
  std::unique_ptr<Gpm> counters_;
  std::string why_not_;
  double last_;  // by host_seconds()
};

}  // namespace kernels::cuda
