// The entry point of strided reads.
#pragma once

#include "kernels/cuda/bodies/strided_arguments.hpp"

namespace kernels::cuda {

/// Takes StridedArguments; `strided_threads` per block.
const void* strided_function();

}  // namespace kernels::cuda
