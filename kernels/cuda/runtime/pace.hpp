// How a GPU is measured. Plain C++, because benchmarks without CUDA use it, too.
#pragma once

#include "kernels/device.hpp"

namespace kernels::cuda {

/// An H200 and an H100 repeat within 0.05 to 0.3 % at a steady clock: some milliseconds of runs and
/// looks tell as much as longer ones. Their power limit lowers the clock of matrix units within
/// some 0.1 s (docs/measuring.md, "Passes").
inline constexpr Pace pace_of_gpu{
    .visit = 4e-3, .look = 2e-3, .stays_warm = 0.05, .sustained = 0.5};

}  // namespace kernels::cuda
