// The text of a kernel for exactly one chain of pointwise operators.
#pragma once

#include <string>
#include <string_view>
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

/// What a generated kernel begins with, the functions of the operators of a case among them, and
/// `rest` behind it, with its marks replaced. `what`: words for its first line. Throws Unsupported
/// as chain_source().
std::string kernel_text(const Case&, const Isa&, std::string_view what, std::string_view rest,
                        std::vector<Mark> marks = {});

}  // namespace kernels::cpu
