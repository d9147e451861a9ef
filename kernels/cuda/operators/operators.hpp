// Operators of neural networks on one GPU: the families `pointwise` and `rowwise`.
#pragma once

#include <memory>

#include "kernels/cuda/operators/generated.hpp"
#include "kernels/cuda/runtime/gpu.hpp"
#include "kernels/device.hpp"

namespace kernels::cuda {

/// Each throws Unsupported with the reason.
std::unique_ptr<Trial> make_pointwise(Gpu&, GeneratedKernels&, const Case&);
/// Forward and backward; make_pointwise() knows which cases are.
std::unique_ptr<Trial> make_gradient(Gpu&, GeneratedKernels&, const Case&);
std::unique_ptr<Trial> make_rowwise(Gpu&, const Case&);

}  // namespace kernels::cuda
