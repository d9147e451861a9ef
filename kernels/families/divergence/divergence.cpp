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

/// What one element goes through.
Case along_path(const Case& c) {
  return {.dtype = c.dtype, .elements = c.elements, .repeat = c.repeat};
}

Operands path_operands(const Case& c, std::uint64_t index) {
  const int path = path_of(index, paths_of(c));
  return {path_factor(path), path_addend(path)};
}

/// Every element behind its path, rounded after every fma.
Check check(Checkable& branches, const std::stop_token& stop) {
  branches.fill(Contents::random, stop);
  const Case& c = branches.timed();
  const Case path = along_path(c);
  Deviation deviation;
  const auto judge = [&](std::uint64_t i, double got) -> Check {
    const Operands operands = path_operands(c, i);
    const double x = branches.input(0, i);
    const double expected = reference_chain(path, branches.arithmetic(), operands, x);
    if (!chain_agrees(expected, got)) return {false, mismatch(i, c.elements, expected, got)};
    deviation.add(exact_chain(path, operands, x), got);
    return {.ok = true};
  };
  Check check = compare(branches, branches.run_poisoned(c, {}, stop), {0, c.elements},
                        samples_for(c.repeat), stop, judge);
  branches.fill(Contents::case_data, stop);
  check.error = deviation.share();
  return check;
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
    .check = check,
};

}  // namespace kernels
