// `pointwise`: operators of neural networks, each applied to every element, one after the other.
#include "kernels/families/pointwise.hpp"

#include <algorithm>
#include <array>

#include "kernels/families/family.hpp"

namespace kernels {
namespace {

constexpr std::array ops{Op::cos,  Op::relu, Op::gelu,       Op::gelu_tanh, Op::silu, Op::exp,
                         Op::tanh, Op::sqrt, Op::reciprocal, Op::add,       Op::mul};
constexpr std::array units{Units::vector};
constexpr std::array axes{AxisInfo{"length", "operators",
                                   "Operators of a chain, which is repeated up to so many.", 1,
                                   most_operators, 1}};

double tensor_bytes(const Case& c) {
  return static_cast<double>(c.elements) * static_cast<double>(size_of(c.dtype));
}

double steps(const Case& c) { return static_cast<double>(operators_of(c)); }

double flops_per_element(const Case& c) {
  double sum = 0;
  for (std::uint64_t i = 0; i < operators_of(c); ++i) sum += operator_at(c, i)->flops;
  return sum;
}

/// N elements of b byte, operators with f FLOP together: N f FLOP. Fused: 2 N b byte, one launch.
/// Unfused: as much for every operator.
Work work(const Case& c) {
  const double passes = c.fusion == Fusion::fused ? 1 : steps(c);
  return {.flops = static_cast<double>(c.elements) * flops_per_element(c),
          .bytes = passes * 2 * tensor_bytes(c),
          .launches = passes};
}

/// Input and output; from the second unfused step on one more to go back and forth.
double footprint(const Case& c) {
  const bool two = c.fusion == Fusion::fused || steps(c) < 2;
  return (two ? 2 : 3) * tensor_bytes(c);
}

/// No operator is faster than multiply-adds. One of a single FLOP takes an instruction, too.
Bounds bounds(const Case& c) {
  const bool single = std::ranges::all_of(c.ops, [](Op op) { return op->flops <= 1; });
  return {{{c.dtype, c.units, Op::fma, single ? 0.5 : 1.0}}};
}

std::string refuse(const Case& c) {
  if (c.dtype == Dtype::fp32 || c.dtype == Dtype::fp64) return "";
  return "pointwise operators run in fp32 and fp64: choose one of these";
}

}  // namespace

std::uint64_t operators_of(const Case& c) {
  return c.repeat * (c.more[0] > 0 ? c.more[0] : c.ops.count);
}

Op operator_at(const Case& c, std::uint64_t index) {
  const std::uint64_t length = c.more[0] > 0 ? c.more[0] : c.ops.count;
  return c.ops.at[index % length % c.ops.count];
}

const FamilyInfo pointwise_family{
    .name = "pointwise",
    .help = "operators of neural networks on every element",
    .role = Role::workload,
    .ops = ops,
    .chooses_op = true,
    .fuses = true,
    .several_ops = true,
    .for_labs = true,
    .step = "pass over the operators",
    .steps = "passes over the operators",
    .units = units,
    .axes = axes,
    .work = work,
    .footprint = footprint,
    .bounds = bounds,
    .refuse = refuse,
    .tag = [](const Case& c) { return text_of(c.ops); },
};

}  // namespace kernels
