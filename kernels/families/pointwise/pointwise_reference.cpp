#include "kernels/families/pointwise/pointwise_reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "kernels/families/pointwise/pointwise.hpp"
#include "kernels/families/reference.hpp"

namespace kernels {
namespace {

/// See expected_pointwise(); what a function adds to both, times its error.
struct Rounding {
  Op op;
  double of_result, of_argument;
  double function_of_result = 0, function_of_argument = 0;
};
// Each has one step more than it counts at least, for compilers that contract otherwise.
constexpr std::array roundings{Rounding{Op::mul, 1, 0},
                               Rounding{Op::add, 1, 0},
                               Rounding{Op::sqrt, 1, 0},
                               Rounding{Op::relu, 0, 0},
                               Rounding{Op::exp, 0, 0, 1},
                               Rounding{Op::cos, 0, 0, 1},
                               Rounding{Op::tanh, 0, 0, 1},
                               Rounding{Op::silu, 3, 0, 1},
                               Rounding{Op::reciprocal, 1, 0},
                               Rounding{Op::gelu, 4, 2, 0, 0.5},
                               Rounding{Op::gelu_tanh, 4, 4, 0, 0.5}};

double smallest_normal(Dtype dtype) {
  return dtype == Dtype::fp64 ? std::numeric_limits<double>::min()
                              : std::numeric_limits<float>::min();
}

double largest(Dtype dtype) {
  return dtype == Dtype::fp64 ? std::numeric_limits<double>::max()
                              : std::numeric_limits<float>::max();
}

double rounding_of(Op op, Dtype dtype, double x, double result, double functions) {
  const auto* row = std::ranges::find(roundings, op, &Rounding::op);
  if (row == roundings.end()) return std::numeric_limits<double>::infinity();
  const double u = std::ldexp(1.0, -info_of(arithmetic_of_operators(dtype)).significand_bits);
  const double reference = dtype == Dtype::fp64 ? 2 : 0;  // itself in fp64, within 1 ULP
  const double of_result = row->of_result + reference + row->function_of_result * functions;
  const double of_argument = row->of_argument + row->function_of_argument * functions;
  return u * (of_result * std::fabs(result) + of_argument * std::fabs(x)) + smallest_normal(dtype);
}

/// One operator on a value that has an error.
Expected step(Op op, Dtype dtype, const Expected& at, double functions) {
  const auto f = [&](double x) { return pointwise_op(op, dtype, x); };
  const double result = f(at.value);
  if (!(std::fabs(result) <= largest(dtype))) return {result, HUGE_VAL};
  const double passed = std::max(std::fabs(f(at.value + at.error) - result),
                                 std::fabs(f(at.value - at.error) - result));
  const double farthest = std::fabs(at.value) + at.error;
  return {result, passed + rounding_of(op, dtype, farthest, std::fabs(result) + passed, functions)};
}

/// The first `count` operators of a case.
Expected after_operators(const Case& c, std::uint64_t count, double x, double functions) {
  Expected now{x, 0};
  for (std::uint64_t i = 0; i < count; ++i)
    now = stored(step(operator_at(c, i), c.dtype, now, functions), c.dtype);
  return now;
}

// 3 c1 x^2 + c0 of gelu-tanh's inner polynomial.
double slope_of_inner(double x) {
  return std::sqrt(2 / std::numbers::pi) * (1 + 3 * 0.044715 * x * x);
}

double normal_density(double x) { return std::exp(-0.5 * x * x) / std::sqrt(2 * std::numbers::pi); }

/// Roundings of a derivative d at x, in u, where a function has f of them: see expected_gradient().
double derivative_roundings(Op op, double x, double d, double f) {
  x = std::fabs(x);
  d = std::fabs(d);
  if (op == Op::sqrt || op == Op::reciprocal) return 3 * d;
  if (op == Op::exp) return (f + 1) * d;
  if (op == Op::cos) return x + f + 6;   // of the sum that is the argument
  if (op == Op::tanh) return 2 * f + 2;  // 1 - t^2: twice those of t, and two of its own
  if (op == Op::silu) return 2 * (f + 2) * (x + 1);  // s (1 + x (1 - s)), s within f + 2
  if (op == Op::gelu)                                // as on rows
    return f / 2 + 5 + x * normal_density(x) * (x * x + f + 6);
  if (op == Op::gelu_tanh)  // x/2 (1 - t^2) times the slope, and 1/2 (1 + t)
    return (f + 4) * x * slope_of_inner(x) + f / 2 + 7;
  return 0;
}

}  // namespace

Expected stored(Expected one, Dtype dtype) {
  if (arithmetic_of_operators(dtype) == dtype) return one;
  const double u = std::ldexp(1.0, -info_of(dtype).significand_bits);
  one.error += u * (std::fabs(one.value) + one.error);
  return one;
}

bool calls_function(Op op) {
  constexpr std::array calling{
      Op::exp,       Op::cos,     Op::tanh,      Op::silu,          Op::gelu,
      Op::gelu_tanh, Op::softmax, Op::bias_gelu, Op::gelu_gradient, Op::scaled_softmax_dropout};
  return std::ranges::find(calling, op) != calling.end();
}

double pointwise_op(Op op, Dtype dtype, double x) {
  if (op == Op::mul) return x * operands_of(op, dtype).a;
  if (op == Op::add) return x + operands_of(op, dtype).b;
  if (op == Op::sqrt) return std::sqrt(std::fabs(x));
  if (op == Op::relu) return std::max(x, 0.0);
  if (op == Op::reciprocal) return 1 / x;
  if (op == Op::exp) return std::exp(x);
  if (op == Op::cos) return std::cos(x);
  if (op == Op::tanh) return std::tanh(x);
  if (op == Op::silu) return x / (1 + std::exp(-x));
  if (op == Op::gelu) return 0.5 * x * std::erfc(-x / std::numbers::sqrt2);
  const double inner = std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
  return 0.5 * x * (1 + std::tanh(inner));
}

double pointwise_derivative(Op op, Dtype dtype, double x) {
  if (op == Op::mul) return operands_of(op, dtype).a;
  if (op == Op::add) return 1;
  if (op == Op::sqrt) return (x > 0 ? 0.5 : -0.5) / std::sqrt(std::fabs(x));
  if (op == Op::relu) return x > 0 ? 1 : 0;
  if (op == Op::reciprocal) return -1 / (x * x);
  if (op == Op::exp) return std::exp(x);
  if (op == Op::cos) return -std::sin(x);
  if (op == Op::tanh) return 1 / (std::cosh(x) * std::cosh(x));
  if (op == Op::silu) {
    const double s = 1 / (1 + std::exp(-x));
    return s * (1 + x * (1 - s));
  }
  if (op == Op::gelu) return 0.5 * std::erfc(-x / std::numbers::sqrt2) + x * normal_density(x);
  const double t = std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x));
  return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * slope_of_inner(x);
}

Expected expected_pointwise(const Case& c, double x, double functions) {
  return after_operators(c, operators_of(c), x, functions);
}

Expected expected_gradient(const Case& c, double x, double gradient, double functions) {
  const double u = std::ldexp(1.0, -info_of(c.dtype).significand_bits);
  const double reference = c.dtype == Dtype::fp64 ? 2 : 0;  // itself in fp64, within 1 ULP
  Expected at{x, 0}, product{gradient, 0};
  for (std::uint64_t i = 0; i < operators_of(c); ++i) {
    const Op op = operator_at(c, i);
    const auto derivative = [&](double y) { return pointwise_derivative(op, c.dtype, y); };
    const double d = derivative(at.value);
    const double moved = std::max(std::fabs(derivative(at.value + at.error) - d),
                                  std::fabs(derivative(at.value - at.error) - d));
    const double farthest = std::fabs(at.value) + at.error;
    const double error =
        moved + u * (derivative_roundings(op, farthest, std::fabs(d) + moved, functions) +
                     reference * std::fabs(d));
    const double value = product.value * d;
    product.error = std::fabs(d) * product.error + std::fabs(product.value) * error +
                    product.error * error + 2 * u * std::fabs(value) + smallest_normal(c.dtype);
    product.value = value;
    at = step(op, c.dtype, at, functions);
    if (!std::isfinite(product.error) || !std::isfinite(at.error)) return {value, HUGE_VAL};
  }
  return product;
}

Expected expected_written(const Case& c, std::uint64_t index, double x, double gradient,
                          double functions) {
  const std::uint64_t results = tensors_written(c) - 1;
  if (index == results) return expected_gradient(c, x, gradient, functions);
  return after_operators(c, index + 1 == results ? operators_of(c) : index + 1, x, functions);
}

std::string name_of_written(const Case& c, std::uint64_t index) {
  const std::uint64_t results = tensors_written(c) - 1;
  if (index == results) return "gradient, ";
  if (index + 1 == results) return "";
  return fmt::format("kept result {} of {}, ", index + 1, results);
}

double telling_share(const Case& c, double functions) {
  constexpr std::uint64_t samples = 256, seed = 1;
  std::uint64_t telling = 0;
  for (std::uint64_t i = 0; i < samples; ++i) {
    const double x = c.data == Data::zeros ? 0 : random_element(c.dtype, seed, i);
    const bool both =
        activations_of(c) == Activations::none || expected_gradient(c, x, 1, functions).tells();
    telling += both && expected_pointwise(c, x, functions).tells() ? 1 : 0;
  }
  return static_cast<double>(telling) / static_cast<double>(samples);
}

std::string untold(Case c, double functions) {
  c.data = Data::random;  // what is checked, whatever is timed
  if (telling_share(c, functions) >= least_telling) return "";
  return fmt::format(
      "the error bound of {} in {} is too large to verify enough results: choose a shorter chain "
      "or other operators",
      text_of(c.ops), name_of(c.dtype));
}

}  // namespace kernels
