// What NVML tells of all that runs on a GPU, window by window.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/cuda/libraries/dcgm.hpp"
#include "kernels/cuda/libraries/nvml.hpp"
#include "kernels/device.hpp"

namespace kernels::cuda {

class GpuActivity final : public ActivityReader {
 public:
  /// `nvml` must outlive it. Throws Unsupported where NVML tells nothing of the GPU at all.
  GpuActivity(const Nvml& nvml, Counters);

  double least_window() const override { return least_gpm_window; }
  std::string why_not() const override { return why_not_; }
  void look() override;
  std::optional<Activity> read() override;

 private:
  void use_dcgm();
  void add_clock();

  const Nvml& nvml_;
  std::unique_ptr<Gpm> counters_;
  std::unique_ptr<Dcgm> dcgm_;  // where those are missing
  double clocks_ = 0;           // the sum of the clocks that were read in this window
  int looks_ = 0;
  Conditions slow_;  // power, temperature; and what is as slow
  std::optional<double> any_kernel_;
  std::vector<Value> memory_;  // of processes
  double slow_at_ = -1e9;      // by host_seconds()
  std::string why_not_;
  double last_;  // by host_seconds()
};

}  // namespace kernels::cuda
