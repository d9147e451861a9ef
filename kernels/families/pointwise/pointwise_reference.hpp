// Pointwise operators in double precision, and how far a kernel may be from them. Host code without
// any device.
#pragma once

#include <string>

#include "kernels/case.hpp"
#include "kernels/families/reference.hpp"

namespace kernels {

/// How far a device's exp, cos, tanh and erf are from exact at most, in u of the result (below).
/// SLEEF "u10": 1.0 ULP (sleef.org/purec.xhtml), and a ULP is up to 2 u. CUDA: 2 ULP from the
/// correctly rounded result in fp32 and fp64 (CUDA Programming Guide, "Mathematical Functions"),
/// which itself is within u.
inline constexpr double sleef_error = 2, cuda_error = 5;

/// The element types that operators of neural networks have, and what they compute in: elements of
/// 16 bits are widened to fp32 and rounded once when they are stored.
constexpr bool has_operators(Dtype dtype) {
  return dtype == Dtype::fp32 || dtype == Dtype::fp64 || dtype == Dtype::bf16;
}
constexpr Dtype arithmetic_of_operators(Dtype dtype) {
  return dtype == Dtype::bf16 ? Dtype::fp32 : dtype;
}
/// The same result once it is stored in the type of the elements.
Expected stored(Expected, Dtype);

/// Whether an operator, of `pointwise` or on rows, calls a function of a library.
bool calls_function(Op);

/// One operator. `a` and `b` of mul and add are operands_of(op, dtype) (reference.hpp).
double pointwise_op(Op, Dtype, double x);

/// All operators of a case on an element that the dtype represents.
///
/// The error: of an operator f on x at most u (r |f(x)| + s |x|), where u = 2^-p for a type of p
/// significand bits (24 of fp32, 53 of fp64). r counts rounded steps: an arithmetic operation
/// rounds by u, a function by `functions` u. s is for sums that cancel: an erf or tanh near 1 that
/// is wrong by 2 u moves gelu by u |x| (half of x times 2 u). Errors of earlier operators pass
/// through as |f(x ± e) - f(x)|. Results below the smallest normal number may be flushed to zero.
/// The reference of fp64 is fp64 itself: 2 u more. Of bf16, u is that of fp32, and what is stored
/// is rounded once more.
Expected expected_pointwise(const Case&, double x, double functions = sleef_error);

/// The derivative of one operator.
double pointwise_derivative(Op, Dtype, double x);

/// A gradient of the last result times the derivatives of all operators at x.
///
/// The error: a derivative d at an input with error e moves by |d(x ± e) - d(x)|, and its own
/// roundings by u times a bound in the code, made of the steps of its expression as for
/// expected_pointwise(). A product of factors with errors adds those of both, and rounds once.
Expected expected_gradient(const Case&, double x, double gradient, double functions = sleef_error);

/// What belongs in the tensor `index` of those that tensors_written() counts, where x is the input
/// and `gradient` that of the last result.
Expected expected_written(const Case&, std::uint64_t index, double x, double gradient,
                          double functions = sleef_error);
/// How a message begins that is about it: "kept result 2 of 4, ", "gradient, "; empty: the last
/// result.
std::string name_of_written(const Case&, std::uint64_t index);

/// The part of random inputs whose results, and gradients where there are some, tell right from
/// wrong, 0 to 1.
double telling_share(const Case&, double functions = sleef_error);
/// A chain of whose results fewer tell is not measured.
inline constexpr double least_telling = 0.25;
/// Why it is not; empty: it is.
std::string untold(Case, double functions = sleef_error);

}  // namespace kernels
