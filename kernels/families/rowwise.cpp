// `rowwise`: operators of neural networks that look at whole rows of a matrix.
#include "kernels/families/rowwise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "kernels/families/family.hpp"

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

// The top bit of a product with an odd number (Knuth's multiplicative hash).
bool keeps(Dtype dtype, std::uint64_t index) {
  if (dtype == Dtype::fp64) return (index * 0x9e3779b97f4a7c15U) >> 63 != 0;
  return (static_cast<std::uint32_t>(index) * 0x9e3779b9U) >> 31 != 0;
}

std::vector<Expected> expected_row(const Case& c, std::span<const double> x,
                                   std::span<const double> second, std::uint64_t first) {
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
  constexpr double small = 1e-5;  // as torch.nn.LayerNorm adds to the variance
  std::vector<Expected> row;
  for (std::size_t i = 0; i < x.size(); ++i) {
    Expected& one = row.emplace_back();
    if (c.op() == Op::layernorm) {
      const double over = 1 / std::sqrt(variance + small);
      one.value = (x[i] - mean) * over;
      one.error = (n + 8) * u * (over * magnitude / n + std::fabs(one.value));
    } else if (c.op() == Op::rmsnorm) {
      one.value = x[i] / std::sqrt(square + small);
      one.error = (n + 8) * u * std::fabs(one.value);
    } else if (c.op() == Op::softmax) {
      one.value = std::exp(x[i] - highest) / exponentials;
      one.error = (n + 8 + std::fabs(x[i] - highest)) * u * one.value;
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
      one = c.op() == Op::bias ? Expected{biased, 0} : expected_pointwise(gelu, biased);
      one.error += 2 * u * std::fabs(biased);
    }
  }
  return row;
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
