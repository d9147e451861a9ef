// FLOP of operators on branches that some inputs take: which is decided by conditions on the
// argument of a function, as CUDA 13.0 has them, and by the inputs of our kernels. bf16 is computed
// in fp32.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "kernels/families/reference.hpp"
#include "kernels/ops.hpp"
#include "kernels/random.hpp"

namespace taken {

using kernels::Dtype, kernels::Op;

/// Mean over the inputs of a case.
template <class F>
double mean(Dtype dtype, F f) {
  constexpr std::uint64_t inputs = 1 << 16;
  double sum = 0;
  for (std::uint64_t i = 0; i < inputs; ++i) sum += f(kernels::random_element(dtype, 1, i));
  return sum / inputs;
}

/// erf of fp32 adds where its argument is above that.
inline double erf(Dtype dtype, double x) {
  return dtype != Dtype::fp64 && std::abs(x) >= 1.00296 ? 1 : 0;
}
/// tanh is a polynomial below a threshold. fp32 computes both, and one FFMA of the polynomial where
/// that counts; fp64 branches.
inline double tanh(Dtype dtype, double x) {
  if (dtype != Dtype::fp64) return std::abs(x) < 0.6 ? 2 : 0;
  return std::abs(x) >= 0.6554 ? 11 : 0;
}
/// cos is one of two polynomials, by the quadrant, of which one is longer by an FMA; another
/// changes the sign. An infinite argument would skip three FMAs of fp64.
inline double cos(Dtype dtype, double x) {
  const auto quadrant = static_cast<int>(std::lround(x * 2 / std::numbers::pi));
  const double longer = quadrant % 2 == 0 ? 2 : 0, negated = ((quadrant + 1) & 2) != 0 ? 2 : 0;
  return longer + negated + (dtype == Dtype::fp64 ? 6 : 0);
}

/// FLOP per element beyond those of all paths.
inline double flops(Op op, Dtype dtype) {
  return mean(dtype, [&](double x) -> double {
    if (op == Op::gelu) return erf(dtype, x * std::numbers::sqrt2 / 2);
    if (op == Op::tanh) return tanh(dtype, x);
    if (op == Op::gelu_tanh)
      return tanh(dtype, x * (x * x * 0.0356774081363 + 0.79788456080286536));
    if (op == Op::cos) return cos(dtype, x);
    return op == Op::relu ? 1 : 0;  // its comparison
  });
}

/// The same of a gradient times the derivative.
inline double gradient_flops(Op op, Dtype dtype) {
  if (op != Op::cos) return flops(op, dtype);
  return mean(dtype, [&](double x) { return cos(dtype, x + std::numbers::pi / 2); });
}

}  // namespace taken
