// The text of a kernel for exactly one chain of pointwise operators, in CUDA C++. Plain C++.
#pragma once

#include <string>
#include <vector>

#include "kernels/case.hpp"

namespace kernels::cuda {

/// chain_symbol (chain_text.hpp) in it takes PointwiseArguments, block_threads threads and four
/// vectors for each. Of fp32 and fp64. Throws Unsupported where there are too many operators.
std::string chain_source(const Case&);

/// What it is compiled with beside the architecture: functions are of the device.
std::vector<std::string> chain_options();

}  // namespace kernels::cuda
