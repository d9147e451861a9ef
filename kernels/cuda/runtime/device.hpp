// A GPU behind the seam.
#pragma once

#include <cuda_runtime.h>

#include <vector>

#include "kernels/cuda/runtime/cublaslt.hpp"
#include "kernels/cuda/runtime/gpu.hpp"
#include "kernels/cuda/runtime/nvml.hpp"
#include "kernels/device.hpp"

namespace kernels::cuda {

class CudaDevice final : public Device {
 public:
  /// Throws Unsupported or DeviceLost with why the GPU cannot be used.
  explicit CudaDevice(int ordinal);
  ~CudaDevice() override;

  const DeviceInfo& info() const override { return info_; }
  std::span<const Kernel> kernels() const override { return rows_; }
  std::vector<ShapeAxis> shape_axes(const Case&) const override;
  std::unique_ptr<Trial> prepare(const Case&, std::stop_token) override;
  void watch() override { nvml_.watch(); }
  Conditions conditions() override;
  double free_bytes() const override;

 private:
  Nvml nvml_;
  Gpu gpu_;
  CublasLt library_;
  DeviceInfo info_;
  std::vector<Kernel> rows_;
};

}  // namespace kernels::cuda
