#include <cuda_runtime.h>
#include <fmt/format.h>

#include <cstdlib>

#include "kernels/backends.hpp"
#include "kernels/cuda/runtime/device.hpp"
#include "kernels/cuda/runtime/open_reason.hpp"

namespace kernels {
namespace cuda {
namespace {

OpenFailure failure_of(cudaError_t error) {
  OpenFailure failure;
  failure.error = static_cast<int>(error);
  failure.error_text = cudaGetErrorString(error);
  // Where there is no driver at all, both leave 0.
  static_cast<void>(cudaDriverGetVersion(&failure.driver_version));
  static_cast<void>(cudaRuntimeGetVersion(&failure.runtime_version));
  if (const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES")) {
    failure.visible_devices = visible;
  }
  return failure;
}

// Asks the driver alone: starting every GPU would cost seconds and memory of each.
void list_one(Devices& devices, int ordinal) {
  const std::string id = fmt::format("cuda:{}", ordinal);
  const auto leave_out = [&](const std::string& why) { devices.unavailable.push_back({id, why}); };
  try {
    cudaDeviceProp properties{};
    const cudaError_t error = cudaGetDeviceProperties(&properties, ordinal);
    if (error != cudaSuccess) return leave_out(open_reason(failure_of(error)));
    const int capability = properties.major * 10 + properties.minor;
    if (capability < lowest_capability) {
      return leave_out(too_old_reason(properties.name, properties.major, properties.minor));
    }
    const int code = expected_architecture(capability, built_code());
    if (code == 0) {
      return leave_out(no_image_reason(properties.name, properties.major, properties.minor));
    }
    devices.usable.push_back(
        std::make_unique<CudaDevice>(ordinal, Architecture{code, 10 * capability}));
  } catch (const std::exception& error) {
    leave_out(error.what());
  }
}

}  // namespace
}  // namespace cuda

void open_cuda(Devices& devices) {
  int count = 0;
  cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaSuccess && count == 0) error = cudaErrorNoDevice;
  if (error != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    devices.unavailable.push_back({"cuda", cuda::open_reason(cuda::failure_of(error))});
    return;
  }
  for (int ordinal = 0; ordinal < count; ++ordinal) cuda::list_one(devices, ordinal);
}

const char* cuda_build_version() {
  static const std::string version = cuda::version_text(CUDART_VERSION);
  return version.c_str();
}

}  // namespace kernels
