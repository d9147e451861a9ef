// A case of the family `matmul` on a GPU.
#pragma once

#include <memory>

#include "kernels/cuda/libraries/cublaslt.hpp"
#include "kernels/cuda/runtime/gpu.hpp"
#include "kernels/device.hpp"

namespace kernels::cuda {

/// Neither may go before the trial. Throws Unsupported with the reason.
std::unique_ptr<Trial> make_matmul(Gpu&, CublasLt&, const Case&);

}  // namespace kernels::cuda
