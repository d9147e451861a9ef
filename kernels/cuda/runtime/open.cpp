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

// Why a GPU cannot be used, before its context costs seconds; empty when nothing speaks against it.
std::string refusal(int ordinal) {
  cudaDeviceProp properties{};
  const cudaError_t error = cudaGetDeviceProperties(&properties, ordinal);
  if (error != cudaSuccess) return open_reason(failure_of(error));
  if (properties.major * 10 + properties.minor < lowest_capability) {
    return too_old_reason(properties.name, properties.major, properties.minor);
  }
  static_cast<void>(cudaSetDevice(ordinal));
  cudaFuncAttributes attributes{};
  const cudaError_t image = cudaFuncGetAttributes(&attributes, service_kernels().empty);
  if (image == cudaErrorNoKernelImageForDevice || image == cudaErrorUnsupportedPtxVersion ||
      image == cudaErrorInvalidDeviceFunction) {
    static_cast<void>(cudaGetLastError());
    return no_image_reason(properties.name, properties.major, properties.minor);
  }
  if (image != cudaSuccess) return open_reason(failure_of(image));
  return "";
}

void open_one(Devices& devices, int ordinal) {
  const std::string id = fmt::format("cuda:{}", ordinal);
  try {
    if (const std::string why = refusal(ordinal); !why.empty()) {
      devices.unavailable.push_back({id, why});
      return;
    }
    devices.usable.push_back(std::make_unique<CudaDevice>(ordinal));
  } catch (const std::exception& error) {
    devices.unavailable.push_back({id, error.what()});
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
  for (int ordinal = 0; ordinal < count; ++ordinal) cuda::open_one(devices, ordinal);
}

const char* cuda_build_version() {
  static const std::string version = cuda::version_text(CUDART_VERSION);
  return version.c_str();
}

}  // namespace kernels
