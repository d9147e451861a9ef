// `divergence`: every element takes one of several paths, as its neighbours do not.
#include "kernels/families/divergence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernels/families/family.hpp"
#include "kernels/families/reference.hpp"

namespace kernels {
namespace {

constexpr std::array ops{Op::branches, Op::masked};
constexpr std::array units{Units::vector};
constexpr std::array axes{AxisInfo{
    "paths", "paths", "Paths among which neighbouring elements divide.", 1, most_paths, 1}};

/// Input, the number of its path, output.
double tensors_bytes(const Case& c) {
  return 3 * static_cast<double>(c.elements) * static_cast<double>(size_of(c.dtype));
}

/// N elements, each `repeat` fma along its own path: 2 N repeat FLOP. What others' paths cost is no
/// work.
Work work(const Case& c) {
  return {.flops = c.op()->flops * static_cast<double>(c.elements) * static_cast<double>(c.repeat),
          .bytes = tensors_bytes(c),
          .launches = 1};
}

Bounds bounds(const Case& c) { return {{{c.dtype, c.units, Op::fma, 1.0}}}; }

std::string refuse(const Case& c) {
  if (c.dtype != Dtype::fp32) return "paths of a branch run in fp32: choose fp32";
  if (c.elements % divergence_granule != 0)
    return fmt::format("elements come in multiples of {}", divergence_granule);
  return "";
}

/// What one element goes through.
Case along_path(const Case& c) {
  return {.dtype = c.dtype, .elements = c.elements, .repeat = c.repeat};
}

Operands path_operands(const Case& c, std::uint64_t index) {
  const int path = path_of(index, paths_of(c));
  return {path_factor(path), path_addend(path)};
}

Case least(Case c) {
  c.elements = divergence_granule;
  return c;
}

}  // namespace

int paths_of(const Case& c) {
  return static_cast<int>(std::clamp<std::uint64_t>(c.more[0], 1, most_paths));
}

double expected_divergence(const Case& c, bool fused_multiply_add, std::uint64_t index, double x) {
  return reference_chain(along_path(c), {c.dtype, fused_multiply_add}, path_operands(c, index), x);
}

double exact_divergence(const Case& c, std::uint64_t index, double x) {
  return exact_chain(along_path(c), path_operands(c, index), x);
}

const FamilyInfo divergence_family{
    .name = "divergence",
    .help = "neighbouring elements take different paths of a branch",
    .role = Role::workload,
    .ops = ops,
    .chooses_op = true,
    .for_labs = true,
    .step = "fma on every path",
    .steps = "fma on every path",
    .units = units,
    .axes = axes,
    .work = work,
    .footprint = tensors_bytes,
    .bounds = bounds,
    .least = least,
    .granule = [](Dtype) { return divergence_granule; },
    .refuse = refuse,
    .tag = [](const Case& c) { return text_of(c.ops); },
};

}  // namespace kernels
