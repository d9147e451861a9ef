// The text of a kernel for exactly one chain of pointwise operators: forward, or forward and
// backward.
#pragma once

#include <cstdint>
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

enum class Pass : std::uint64_t {
  forward,               ///< out = the last result
  forward_keeping,       ///< kept = the results of all operators
  backward,              ///< from kept activations
  backward_recomputing,  ///< from the input of the chain
};

/// A thread's share of a launch. Kernels that are generated declare the same. Elements are a
/// multiple of backward_granule.
struct GradientSlice {
  const void* in;        ///< of the first operator
  const void* gradient;  ///< of the last result; can be `out`
  void* kept;            ///< results of the operators, tensor by tensor
  void* out;             ///< gradient of the input, or the last result
  std::uint64_t elements;
  std::uint64_t stride;  ///< elements from one kept tensor to the next
  Pass pass;
  double a, b;     ///< mul and add: x * a, x + b
  bool streaming;  ///< non-temporal stores and prefetch; all are 64-byte aligned
  MathFunctions functions;
};
using GradientFunction = void (*)(const GradientSlice&);

/// The function in it, a GradientFunction.
inline constexpr const char* gradient_symbol = "ridgepoint_gradient";

/// In C++ of GCC and Clang; compiled with chain_flags(). Throws Unsupported where kernels cannot be
/// generated.
std::string gradient_source(const Case&, const Isa&);

}  // namespace kernels::cpu
