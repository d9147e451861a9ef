// The text of a kernel for exactly one chain of pointwise operators.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/case.hpp"
#include "kernels/cpu/simd/isa.hpp"

namespace kernels::cpu {

/// The function in it, a PointwiseFunction.
inline constexpr const char* chain_symbol = "ridgepoint_chain";

/// Operators that are generated into one kernel at most.
inline constexpr std::uint64_t most_generated = 64;

/// In C++ of GCC and Clang, for fp32 and fp64. Throws Unsupported where kernels cannot be
/// generated.
std::string chain_source(const Case&, const Isa&);
/// What it is compiled with: as the kernels that are built in.
std::vector<std::string> chain_flags(const Isa&);

/// What a generated kernel begins with, the functions of the operators of a case among them, and
/// `rest` behind it. `what`: words for its first line. Throws Unsupported as chain_source().
std::string kernel_text(const Case&, const Isa&, std::string_view what, std::string_view rest);
/// A name in C++: gelu_tanh.
std::string identifier_of(Op);
/// Puts `with` in the place of every `mark`.
void replace(std::string& text, std::string_view mark, std::string_view with);

}  // namespace kernels::cpu
