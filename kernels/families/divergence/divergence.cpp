// `divergence`: every element takes one of several paths, as its neighbours do not.
#include "kernels/families/divergence/divergence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernels/check.hpp"
#include "kernels/families/family.hpp"

namespace kernels {
namespace {

constexpr std::array ops{Op::branches, Op::masked};
constexpr std::array axes{AxisInfo{
    "paths", "paths", "Paths among which neighbouring elements divide.", 1, most_paths, 1}};

/// Input, the number of its path, output.
double tensors_bytes(const Case& c) { return 3 * tensor_bytes(c); }

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

/// Every element behind its path, rounded after every fma.
Check check(Checkable& branches, const std::stop_token& stop) {
  const Case& c = branches.timed();
  const auto along_path = [&](std::uint64_t i) -> Operands {
    const int path = path_of(i, paths_of(c));
    return {path_factor(path), path_addend(path)};
  };
  const Case path{.dtype = c.dtype, .elements = c.elements, .repeat = c.repeat};
  return compare_chain(branches, path, along_path, stop);
}

}  // namespace

int paths_of(const Case& c) {
  return static_cast<int>(std::clamp<std::uint64_t>(c.more[0], 1, most_paths));
}

extern const FamilyInfo divergence_family{
    .name = "divergence",
    .help = "neighbouring elements take different paths of a branch",
    .ops = ops,
    .chooses_op = true,
    .for_labs = true,
    .step = "fma on every path",
    .steps = "fma on every path",
    .axes = axes,
    .work = work,
    .footprint = tensors_bytes,
    .bounds = bounds,
    .least = one_granule,
    .granule = [](Dtype) { return divergence_granule; },
    .refuse = refuse,
    .tag = [](const Case& c) { return text_of(c.ops); },
    .check = on_random<check>,
};

}  // namespace kernels
