// Transcendental functions of whole registers, from SLEEF (sleef.org), which is found at run time:
// a program without it runs everything else. Its "u10" functions are within 1.0 ULP.
#pragma once

#include <string>
#include <string_view>

#include "kernels/cpu/simd/isa.hpp"
#include "kernels/dtypes.hpp"

namespace kernels::cpu {

/// What is said of a kernel that calls it.
inline constexpr std::string_view vector_math_note = "functions of SLEEF, within 1.0 ULP";

/// Why its functions cannot be called, in one sentence; empty: they can.
std::string why_no_vector_math();
/// The file that was loaded; empty without one.
std::string vector_math_file();
/// The functions for registers of so many bytes; null where there is none. fp32 and fp64.
MathFunctions math_functions(Dtype, int register_bytes);

}  // namespace kernels::cpu
