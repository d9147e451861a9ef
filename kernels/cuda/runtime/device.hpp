// A GPU behind the seam.
#pragma once

#include <cuda_runtime.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/cuda/libraries/nvml.hpp"
#include "kernels/cuda/runtime/pace.hpp"
#include "kernels/cuda/sensors/sensors.hpp"
#include "kernels/cuda/trials/trials.hpp"
#include "kernels/device.hpp"

namespace kernels::cuda {

/// Starting a GPU takes seconds and hundreds of megabytes of its memory, which others may need: it
/// is started by open().
class CudaDevice final : public Device {
 public:
  /// `architecture`: with the code that it should run; what it does run tells open().
  /// Throws Unsupported or DeviceLost where the driver does not describe the GPU.
  CudaDevice(int ordinal, Architecture architecture);
  ~CudaDevice() override;

  const DeviceInfo& info() const override { return info_; }
  std::span<const Kernel> kernels() const override { return rows_; }
  std::vector<ShapeAxis> shape_axes(const Case&) const override;
  void open() override;
  std::unique_ptr<Trial> prepare(const Case&, std::stop_token) override;
  void watch() override;
  Pace pace() const override { return pace_of_gpu; }
  Conditions conditions() override;
  std::unique_ptr<ActivityReader> activity(Counters which) override {
    return std::make_unique<GpuActivity>(nvml_, which);
  }
  double free_bytes() const override;
  double seconds_compiling() const override { return generated_.seconds(); }

  int ordinal() const { return ordinal_; }
  /// It did not respond in time: calls that wait for it may never return.
  bool was_given_up() const { return !lost_.empty() || (gpu_ && gpu_->timer().gave_up()); }

 private:
  void list_kernels();
  GpuFacts facts() const;

  int ordinal_;
  Architecture architecture_;
  std::string lost_;  // why it is not tried again
  Nvml nvml_;
  Sensors sensors_;
  bool mps_;  // other processes run kernels at the same time
  std::optional<Gpu> gpu_;
  CublasLt library_;
  GeneratedKernels generated_;
  Cudnn cudnn_;
  DeviceInfo info_;
  std::vector<Kernel> rows_;
};

/// Whether a device of this process with that ordinal was given up. Of the worker's thread.
bool was_given_up(int ordinal);

}  // namespace kernels::cuda
