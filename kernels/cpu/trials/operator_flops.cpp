// FLOP of operators on a CPU: the arithmetic of their loops and, where they call functions of
// SLEEF, that of those. Both are counted in machine code by tests/codegen/codegen_flops_test.cpp.
#include "kernels/operator_flops.hpp"

#include <algorithm>
#include <array>

namespace kernels {
namespace {

/// A function of SLEEF 3.5.1 with 1.0 ULP for one element: Sleef_NAMEf16_u10avx512f and
/// Sleef_NAMEd8_u10avx512f, on the path of small arguments. Comparisons, which choose between
/// results, are not counted.
struct Function {
  double fp32 = 0, fp64 = 0;
};
constexpr Function none{}, exp{21, 34}, cos{57, 56}, tanh{108, 129}, erf{122, 154};

constexpr double count(const Function& function, Dtype dtype) {
  return dtype == Dtype::fp64 ? function.fp64 : function.fp32;
}

/// The arithmetic of an expression, and the functions that it calls. An addition, multiplication,
/// division, square root or comparison is 1 FLOP, an FMA 2.
struct Expression {
  double arithmetic = 0;
  Function first = none, second = none;

  constexpr double flops(Dtype dtype) const {
    return arithmetic + count(first, dtype) + count(second, dtype);
  }
};

struct Pointwise {
  Op op;
  Expression forward, gradient;
};
constexpr std::array<Pointwise, 11> pointwise_rows{{{Op::mul, {1}, {1}},
                                                    {Op::add, {1}, {0}},
                                                    {Op::sqrt, {1}, {4}},
                                                    {Op::relu, {1}, {1}},
                                                    {Op::reciprocal, {1}, {2}},
                                                    {Op::exp, {0, exp}, {1, exp}},
                                                    {Op::cos, {0, cos}, {2, cos}},
                                                    {Op::tanh, {0, tanh}, {3, tanh}},
                                                    {Op::silu, {2, exp}, {7, exp}},
                                                    {Op::gelu, {4, erf}, {9, exp, erf}},
                                                    {Op::gelu_tanh, {7, tanh}, {15, tanh}}}};

struct Rowwise {
  Op op;
  Expression element;
};
constexpr std::array<Rowwise, 16> rowwise_rows{{{Op::layernorm, {6}},
                                                {Op::rmsnorm, {3}},
                                                {Op::softmax, {4, exp}},
                                                {Op::sum, {1}},
                                                {Op::transpose, {0}},
                                                {Op::bias, {1}},
                                                {Op::bias_gelu, {5, erf}},
                                                {Op::dropout, {2}},
                                                {Op::drop, {1}},
                                                {Op::residual, {1}},
                                                {Op::gelu_gradient, {9, exp, erf}},
                                                {Op::softmax_gradient, {4}},
                                                {Op::layernorm_gradient, {13}},
                                                {Op::column_sum, {1}},
                                                {Op::scaled_softmax_dropout, {6, exp}},
                                                {Op::scaled_softmax_dropout_gradient, {7}}}};

PointwiseFlops pointwise(Op op, Dtype dtype) {
  const auto* row = std::ranges::find(pointwise_rows, op, &Pointwise::op);
  if (row == pointwise_rows.end()) return {};
  return {.forward = row->forward.flops(dtype), .gradient = row->gradient.flops(dtype)};
}

/// What a row needs beside its elements, such as one division, is left out.
double rowwise(const Case& c) {
  const auto* row = std::ranges::find(rowwise_rows, c.op(), &Rowwise::op);
  if (row == rowwise_rows.end()) return 0;
  return static_cast<double>(c.elements) * row->element.flops(c.dtype);
}

}  // namespace

const OperatorFlops cpu_operator_flops{"cpu", pointwise, rowwise};

}  // namespace kernels
