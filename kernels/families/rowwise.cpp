// `rowwise`: operators of neural networks that look at whole rows of a matrix.
#include "kernels/families/rowwise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "kernels/arithmetic.hpp"
#include "kernels/families/family.hpp"
#include "kernels/random.hpp"

namespace kernels {
namespace {

constexpr std::array ops{Op::layernorm, Op::rmsnorm, Op::softmax,   Op::sum,
                         Op::transpose, Op::bias,    Op::bias_gelu, Op::dropout};
constexpr std::array units{Units::vector};
constexpr std::array axes{
    AxisInfo{"columns", "elements", "Elements of a row.", row_block, 65536, usual_columns}};

/// Every tensor once: what must move at least.
double tensors_bytes(const Case& c) {
  return static_cast<double>(c.elements + second_elements(c) + result_elements(c)) *
         static_cast<double>(size_of(c.dtype));
}

Work work(const Case& c) {
  return {.flops = static_cast<double>(c.elements) * c.op()->flops,
          .bytes = tensors_bytes(c),
          .launches = 1};
}

Bounds bounds(const Case& c) { return {{{c.dtype, c.units, Op::fma, 1.0}}}; }

std::string refuse(const Case& c) {
  if (c.dtype != Dtype::fp32 && c.dtype != Dtype::fp64)
    return "operators on rows run in fp32 and fp64: choose one of these";
  const std::uint64_t columns = columns_of(c);
  if (columns % row_block != 0 || c.elements % (columns * row_block) != 0)
    return fmt::format("rows and columns come in multiples of {}", row_block);
  return "";
}

double unit_roundoff(Dtype dtype) { return std::ldexp(1.0, -info_of(dtype).significand_bits); }

}  // namespace

std::uint64_t columns_of(const Case& c) { return c.more[0] > 0 ? c.more[0] : usual_columns; }
std::uint64_t rows_of(const Case& c) { return c.elements / columns_of(c); }

std::uint64_t second_elements(const Case& c) {
  if (c.op() == Op::dropout) return c.elements;
  return c.op() == Op::bias || c.op() == Op::bias_gelu ? columns_of(c) : 0;
}

std::uint64_t result_elements(const Case& c) { return c.op() == Op::sum ? rows_of(c) : c.elements; }

std::vector<Expected> expected_row(const Case& c, std::span<const double> x,
                                   std::span<const double> second, std::uint64_t first,
                                   double functions) {
  const double u = unit_roundoff(c.dtype) * (c.dtype == Dtype::fp64 ? 2 : 1);
  const auto n = static_cast<double>(x.size());
  const auto sum_of = [&](auto f) {
    return std::accumulate(x.begin(), x.end(), 0.0, [&](double s, double e) { return s + f(e); });
  };
  const double magnitude = sum_of([](double e) { return std::fabs(e); });
  if (c.op() == Op::sum) return {{sum_of([](double e) { return e; }), n * u * magnitude}};
  const double mean = sum_of([](double e) { return e; }) / n;
  const double highest = *std::ranges::max_element(x);
  const double exponentials = sum_of([&](double e) { return std::exp(e - highest); });
  const double square = sum_of([](double e) { return e * e; }) / n;
  const double variance = sum_of([&](double e) { return (e - mean) * (e - mean); }) / n;
  std::vector<Expected> row;
  for (std::size_t i = 0; i < x.size(); ++i) {
    Expected& one = row.emplace_back();
    if (c.op() == Op::layernorm) {
      const double over = 1 / std::sqrt(variance + norm_epsilon);
      one.value = (x[i] - mean) * over;
      one.error = (n + 8) * u * (over * magnitude / n + std::fabs(one.value));
    } else if (c.op() == Op::rmsnorm) {
      one.value = x[i] / std::sqrt(square + norm_epsilon);
      one.error = (n + 8) * u * std::fabs(one.value);
    } else if (c.op() == Op::softmax) {
      one.value = std::exp(x[i] - highest) / exponentials;
      one.error = (n + 4 + 2 * functions + std::fabs(x[i] - highest)) * u * one.value;
    } else if (c.op() == Op::transpose) {
      one.value = x[i];
    } else if (c.op() == Op::dropout) {
      one.value = second[i] + (keeps(c.dtype, first + i) ? 2 * x[i] : 0);
      one.error = u * std::fabs(one.value);
    } else {
      const double biased = x[i] + second[i];
      Case gelu = c;
      gelu.family = Family::pointwise;
      gelu.ops = Op::gelu;
      gelu.more = {};
      one = c.op() == Op::bias ? Expected{biased, 0} : expected_pointwise(gelu, biased, functions);
      one.error += 2 * u * std::fabs(biased);
    }
  }
  return row;
}

namespace {

/// Where element `i` of the result of a row lies.
std::uint64_t index_of(const Case& c, std::uint64_t row, std::uint64_t i) {
  if (c.op() == Op::sum) return row;
  return c.op() == Op::transpose ? i * rows_of(c) + row : row * columns_of(c) + i;
}

}  // namespace

Check check_row(const Case& c, std::uint64_t row, const RowTensors& tensors, double functions,
                Deviation& deviation) {
  const std::uint64_t columns = columns_of(c), first = row * columns;
  const std::uint64_t from = second_elements(c) == c.elements ? first : 0;
  std::vector<double> x(columns), second(second_elements(c) > 0 ? columns : 0);
  for (std::uint64_t i = 0; i < columns; ++i) x[i] = tensors.input(first + i);
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

const FamilyInfo rowwise_family{
    .name = "rowwise",
    .help = "operators of neural networks on the rows of a matrix",
    .role = Role::workload,
    .ops = ops,
    .chooses_op = true,
    .for_labs = true,
    .units = units,
    .axes = axes,
    .work = work,
    .footprint = tensors_bytes,
    .bounds = bounds,
    .refuse = refuse,
    .tag = [](const Case& c) { return text_of(c.ops); },
};

}  // namespace kernels
