// What an architecture runs, and why not the rest. Plain C++.
#pragma once

#include <vector>

#include "kernels/cuda/trials/architecture.hpp"
#include "kernels/device.hpp"
#include "kernels/families/reference.hpp"

namespace kernels::cuda {

/// How the chain kernels of a dtype compute on an architecture (__CUDA_ARCH__ of the code: 750,
/// 800...).
Arithmetic chain_arithmetic(Dtype, int architecture);

/// The row of a family that multiplies tiles by FMA, dp4a or mma.sync.
Kernel tile_row(Family, Dtype, Units, Architecture);

/// One row per family x op x dtype x units, without those of `matmul` and of libraries.
std::vector<Kernel> kernel_rows(Architecture);

}  // namespace kernels::cuda
