// The product of a library as a roof of its own.
#pragma once

#include <memory>

#include "kernels/cuda/libraries/cublaslt.hpp"
#include "kernels/cuda/runtime/gpu.hpp"
#include "kernels/device.hpp"

namespace kernels::cuda {

/// A trial must not outlive either. Throws Unsupported with the reason.
std::unique_ptr<Trial> make_gemm(Gpu&, CublasLt&, const Case&);

}  // namespace kernels::cuda
