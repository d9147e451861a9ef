// What each backend offers to open_devices(). A backend is chosen by file list: without nvcc,
// cuda/runtime/none.cpp.
#pragma once

#include <memory>

#include "kernels/device.hpp"

namespace kernels {

/// The CPU that this process runs on. Always there.
std::unique_ptr<Device> open_cpu();

/// Adds every CUDA GPU that can be used as far as is known without touching it, and for the rest
/// (no driver, too old, hidden) a sentence. Never throws.
void open_cuda(Devices&);

/// CUDA version this build was compiled with, "13.0"; empty without CUDA.
const char* cuda_build_version();

}  // namespace kernels
