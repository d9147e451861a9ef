// Operators on rows in double precision, and how far a kernel may be from them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/arithmetic.hpp"
#include "kernels/families/rowwise/rowwise.hpp"
#include "kernels/random.hpp"

namespace kernels {
namespace {

/// A row, what lies beside it, and what all its results share.
struct RowData {
  const Case& c;
  std::span<const double> x, second;
  std::uint64_t first;  ///< index of its first element
  double functions;     ///< by how many roundings a function of a library is wrong
  double u;             ///< rounding of one step; the reference of fp64 is fp64 itself
  double n;

  template <class F>
  double sum(F f) const {
    double total = 0;
    for (std::size_t i = 0; i < x.size(); ++i) total += f(i);
    return total;
  }
  /// A factor of dropout, 0 or 2.
  double kept(std::size_t i) const { return keeps(c.dtype, first + i) ? 2 : 0; }
};
using Row = std::vector<Expected>;

template <class F>
Row each(const RowData& r, F f) {
  Row row;
  for (std::size_t i = 0; i < r.x.size(); ++i) row.push_back(f(i));
  return row;
}

/// Mean and 1 over the standard deviation of a row.
struct Moments {
  double mean, over, magnitude;  ///< mean of |x|
};
Moments moments_of(const RowData& r) {
  const double mean = r.sum([&](std::size_t i) { return r.x[i]; }) / r.n;
  const auto square = [&](std::size_t i) { return (r.x[i] - mean) * (r.x[i] - mean); };
  return {mean, 1 / std::sqrt(r.sum(square) / r.n + norm_epsilon),
          r.sum([&](std::size_t i) { return std::fabs(r.x[i]); }) / r.n};
}

Row layernorm(const RowData& r) {
  const Moments m = moments_of(r);
  return each(r, [&](std::size_t i) {
    const double value = (r.x[i] - m.mean) * m.over;
    return Expected{value, (r.n + 8) * r.u * (m.over * m.magnitude + std::fabs(value))};
  });
}

Row rmsnorm(const RowData& r) {
  const double square = r.sum([&](std::size_t i) { return r.x[i] * r.x[i]; }) / r.n;
  return each(r, [&](std::size_t i) {
    const double value = r.x[i] / std::sqrt(square + norm_epsilon);
    return Expected{value, (r.n + 8) * r.u * std::fabs(value)};
  });
}

/// Of x times a power of two.
Row softmax(const RowData& r, double scale) {
  const double highest = scale * *std::ranges::max_element(r.x);
  const auto power = [&](std::size_t i) { return std::exp(scale * r.x[i] - highest); };
  const double exponentials = r.sum(power);
  return each(r, [&](std::size_t i) {
    const double value = power(i) / exponentials;
    return Expected{
        value, (r.n + 4 + 2 * r.functions + std::fabs(scale * r.x[i] - highest)) * r.u * value};
  });
}

Row scaled_softmax_dropout(const RowData& r) {
  Row row = softmax(r, attention_scale);
  for (std::size_t i = 0; i < row.size(); ++i)
    row[i] = {row[i].value * r.kept(i), row[i].error * r.kept(i)};
  return row;
}

/// scale y (g - the sum of y g), where g = factor(i) times the second input. The sum is within n u
/// M, M = the sum of the magnitudes; the rest are four roundings.
template <class Factor>
Row softmax_gradient(const RowData& r, double scale, Factor factor) {
  const auto g = [&](std::size_t i) { return factor(i) * r.second[i]; };
  const double sum = r.sum([&](std::size_t i) { return r.x[i] * g(i); });
  const double magnitude = r.sum([&](std::size_t i) { return std::fabs(r.x[i] * g(i)); });
  return each(r, [&](std::size_t i) {
    const double y = scale * r.x[i];
    return Expected{y * (g(i) - sum),
                    std::fabs(y) * r.u * ((r.n + 4) * magnitude + 4 * std::fabs(g(i)))};
  });
}

/// h = (x - mean) over, dx = over (g - mean g - h mean(g h)). h is within (n + 8) u (over |x| +
/// |h|), means taken (see layernorm()); mean g and mean(g h) within n u of their magnitudes, the
/// latter with the errors of h.
Row layernorm_gradient(const RowData& r) {
  const Moments m = moments_of(r);
  const auto h = [&](std::size_t i) { return (r.x[i] - m.mean) * m.over; };
  const auto g = [&](std::size_t i) { return r.second[i]; };
  const double of_g = r.sum(g) / r.n;
  const double of_gh = r.sum([&](std::size_t i) { return g(i) * h(i); }) / r.n;
  const double large_g = r.sum([&](std::size_t i) { return std::fabs(g(i)); }) / r.n;
  const double large_gh = r.sum([&](std::size_t i) { return std::fabs(g(i) * h(i)); }) / r.n;
  const double of_x = m.over * m.magnitude, steps = (r.n + 16) * r.u;
  return each(r, [&](std::size_t i) {
    const double value = m.over * (g(i) - of_g - h(i) * of_gh);
    const double inner = large_g + std::fabs(g(i)) +
                         std::fabs(h(i)) * (2 * large_gh + large_g * of_x) +
                         std::fabs(of_gh) * (of_x + std::fabs(h(i)));
    return Expected{value, steps * (m.over * inner + std::fabs(value))};
  });
}

/// g (P + x p), P and p the normal distribution and its density. erf moves P by half of its error,
/// its argument and two roundings by 3 u; exp moves p by its error and 2 u, and its argument,
/// rounded twice, by x^2 u.
Row gelu_gradient(const RowData& r) {
  return each(r, [&](std::size_t i) {
    const double x = r.x[i], g = r.second[i];
    const double slope = x * std::exp(-0.5 * x * x) / std::sqrt(2 * std::numbers::pi);
    const double value = g * (0.5 * std::erfc(-x / std::numbers::sqrt2) + slope);
    const double error = 5 + r.functions / 2 + std::fabs(slope) * (x * x + 6 + r.functions);
    return Expected{value, r.u * (std::fabs(g) * error + 2 * std::fabs(value))};
  });
}

Row biased(const RowData& r) {
  Case gelu = r.c;
  gelu.family = Family::pointwise;
  gelu.ops = Op::gelu;
  gelu.more = {};
  gelu.dtype = arithmetic_of_operators(r.c.dtype);  // the sum is not stored before it
  return each(r, [&](std::size_t i) {
    const double sum = r.x[i] + r.second[i];
    Expected one =
        r.c.op() == Op::bias ? Expected{sum, 0} : expected_pointwise(gelu, sum, r.functions);
    one.error += 2 * r.u * std::fabs(sum);
    return one;
  });
}

/// A value that is rounded once.
template <class F>
Row rounded_once(const RowData& r, F f) {
  return each(r, [&](std::size_t i) { return Expected{f(i), r.u * std::fabs(f(i))}; });
}

/// As the arithmetic leaves it, before it is stored.
Row computed_row(const Case& c, std::span<const double> x, std::span<const double> second,
                 std::uint64_t first, double functions) {
  const double u = std::ldexp(1.0, -info_of(arithmetic_of_operators(c.dtype)).significand_bits);
  const RowData r{c,
                  x,
                  second,
                  first,
                  functions,
                  c.dtype == Dtype::fp64 ? 2 * u : u,
                  static_cast<double>(x.size())};
  const Op op = c.op();
  if (op == Op::sum || op == Op::column_sum)
    return {{r.sum([&](std::size_t i) { return x[i]; }),
             r.n * r.u * r.sum([&](std::size_t i) { return std::fabs(x[i]); })}};
  if (op == Op::layernorm) return layernorm(r);
  if (op == Op::rmsnorm) return rmsnorm(r);
  if (op == Op::softmax) return softmax(r, 1);
  if (op == Op::transpose) return each(r, [&](std::size_t i) { return Expected{x[i], 0}; });
  if (op == Op::dropout)
    return rounded_once(r, [&](std::size_t i) { return second[i] + r.kept(i) * x[i]; });
  if (op == Op::drop) return rounded_once(r, [&](std::size_t i) { return r.kept(i) * x[i]; });
  if (op == Op::residual) return rounded_once(r, [&](std::size_t i) { return x[i] + second[i]; });
  if (op == Op::gelu_gradient) return gelu_gradient(r);
  if (op == Op::layernorm_gradient) return layernorm_gradient(r);
  if (op == Op::scaled_softmax_dropout) return scaled_softmax_dropout(r);
  if (op == Op::softmax_gradient) return softmax_gradient(r, 1, [](std::size_t) { return 1.0; });
  if (op == Op::scaled_softmax_dropout_gradient)
    return softmax_gradient(r, attention_scale, [&](std::size_t i) { return r.kept(i); });
  return biased(r);
}

/// Where element `i` of the result of a row (of an operator on columns: a column) lies.
std::uint64_t index_of(const Case& c, std::uint64_t row, std::uint64_t i) {
  if (c.op() == Op::sum || is_on_columns(c.op())) return row;
  return c.op() == Op::transpose ? i * rows_of(c) + row : row * columns_of(c) + i;
}

}  // namespace

std::vector<Expected> expected_row(const Case& c, std::span<const double> x,
                                   std::span<const double> second, std::uint64_t first,
                                   double functions) {
  std::vector<Expected> row = computed_row(c, x, second, first, functions);
  for (Expected& one : row) one = stored(one, c.dtype);
  return row;
}

Check check_row(const Case& c, std::uint64_t row, const RowTensors& tensors, double functions,
                Deviation& deviation) {
  const bool on_columns = is_on_columns(c.op());
  const std::uint64_t length = on_columns ? rows_of(c) : columns_of(c);
  const std::uint64_t first = on_columns ? row : row * length;
  const std::uint64_t step = on_columns ? columns_of(c) : 1;
  const std::uint64_t from = has_tensor_beside(c.op()) ? first : 0;
  std::vector<double> x(length), second(second_elements(c) > 0 ? length : 0);
  for (std::uint64_t i = 0; i < length; ++i) x[i] = tensors.input(first + i * step);
  for (std::uint64_t i = 0; i < second.size(); ++i) second[i] = tensors.second(from + i);
  const std::vector<Expected> expected = expected_row(c, x, second, first, functions);
  for (std::uint64_t i = 0; i < expected.size(); ++i) {
    const std::uint64_t at = index_of(c, row, i);
    const double got = tensors.result(at);
    if (!expected[i].agrees(got)) {
      return {false, fmt::format("element {} of {}: expected {}, got {}, at most {:.2g} apart", at,
                                 result_elements(c), expected[i].value, got, expected[i].error)};
    }
    deviation.add(expected[i].value, got);
  }
  return {.ok = true};
}

}  // namespace kernels
