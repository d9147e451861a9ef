// What NVML tells of a GPU and of all that runs on it.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "kernels/cuda/libraries/dcgm.hpp"
#include "kernels/cuda/libraries/nvml.hpp"
#include "kernels/cuda/runtime/host_time.hpp"
#include "kernels/device.hpp"

namespace kernels::cuda {

/// Conditions, read by a thread of its own: a look takes 5 to 20 ms on an H200, as long as several
/// visits to a point.
class Sensors {
 public:
  /// Reads nothing before keep_on(). `nvml` must outlive it.
  explicit Sensors(Nvml& nvml);

  /// Reads ten times a second for another second.
  void keep_on() { background_.keep_on(); }
  /// The newest reading, at most a quarter of a second old; waits for it a second at most.
  Conditions latest();

 private:
  void read();

  Nvml& nvml_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Conditions newest_;
  double newest_at_ = -1e9;  // by host_seconds()
  Background background_;    // last: it uses the others
};

/// Counters, window by window.
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
