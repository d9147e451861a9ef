// The texts of kernels for exactly one chain of pointwise operators, in CUDA C++. Plain C++.
#pragma once

#include <string>
#include <vector>

#include "kernels/case.hpp"

namespace kernels::cuda {

/// chain_symbol (chain_text.hpp) in it takes PointwiseArguments, block_threads threads and four
/// vectors for each. Of fp32 and fp64. Throws Unsupported where there are too many operators.
std::string chain_source(const Case&);

/// The forward and the backward pass of a chain: forward_symbol and backward_symbol in it take
/// GradientArguments, block_threads threads and gradient_vectors vectors for each. Of fp32 and
/// fp64. Throws like chain_source().
std::string gradient_source(const Case&);
inline constexpr const char* forward_symbol = "ridgepoint_forward";
inline constexpr const char* backward_symbol = "ridgepoint_backward";

/// What they are compiled with beside the architecture: functions are of the device.
std::vector<std::string> chain_options();

}  // namespace kernels::cuda
