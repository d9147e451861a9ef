// `chain`: one op after the other on every element.
#include <algorithm>
#include <array>

#include "kernels/families/family.hpp"

namespace kernels {
namespace {

constexpr std::array ops{Op::fma, Op::mul, Op::add, Op::sqrt};
constexpr std::array units{Units::vector};

double tensor_bytes(const Case& c) {
  return static_cast<double>(c.elements) * static_cast<double>(size_of(c.dtype));
}

/// N elements of b byte, r repeats of ops with f FLOP together: N r f FLOP. Fused: 2 N b byte, one
/// launch. Unfused: as much for every op.
Work work(const Case& c) {
  const double repeat = static_cast<double>(c.repeat);
  const double passes = c.fusion == Fusion::fused ? 1 : repeat * c.ops.count;
  return {.flops = static_cast<double>(c.elements) * repeat * flops_of(c.ops),
          .bytes = passes * 2 * tensor_bytes(c),
          .launches = passes};
}

/// Input and output; unfused steps need one more to go back and forth.
double footprint(const Case& c) {
  const bool two = c.fusion == Fusion::fused || c.repeat * c.ops.count < 2;
  return (two ? 2 : 3) * tensor_bytes(c);
}

/// An op that is one FLOP takes as long as an FMA, which is two.
Bounds bounds(const Case& c) {
  const ComputeBound fma{c.dtype, c.units, Op::fma, flops_of(c.ops) / (2.0 * c.ops.count)};
  if (c.ops.count > 1 || c.op() == Op::fma) return {{fma}};
  return {{{c.dtype, c.units, c.op()}, fma}};
}

std::string refuse(const Case& c) {
  const bool has_root = c.dtype == Dtype::fp64 || c.dtype == Dtype::fp32;
  if (has_root || std::ranges::find(c.ops, Op::sqrt) == c.ops.end()) return "";
  return "square roots run in fp64 and fp32 only: choose one of these";
}

std::string tag(const Case& c) { return c.ops == Ops(Op::fma) ? "" : text_of(c.ops); }

Case least(Case c) {
  c.ops = c.op();
  c.elements = least_elements;
  return c;
}

}  // namespace

const FamilyInfo chain_family{
    .name = "chain",
    .help = "a chain of ops on every element",
    .role = Role::workload,
    .ops = ops,
    .chooses_op = true,
    .fuses = true,
    .units = units,
    .work = work,
    .footprint = footprint,
    .bounds = bounds,
    .least = least,
    .refuse = refuse,
    .tag = tag,
};

}  // namespace kernels
