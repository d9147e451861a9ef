// The text of a kernel for exactly one chain of pointwise operators.
#pragma once

#include <string>
#include <vector>

#include "kernels/case.hpp"
#include "kernels/chain_text.hpp"
#include "kernels/cpu/simd/isa.hpp"

namespace kernels::cpu {

/// In C++ of GCC and Clang, for fp32 and fp64; chain_symbol in it is a PointwiseFunction. Throws
/// Unsupported where kernels cannot be generated.
std::string chain_source(const Case&, const Isa&);
/// What it is compiled with: as the kernels that are built in.
std::vector<std::string> chain_flags(const Isa&);

}  // namespace kernels::cpu
