// `pointwise`: operators of neural networks, each applied to every element, one after the other.
#include "kernels/families/pointwise/pointwise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernels/check.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/pointwise/pointwise_reference.hpp"
#include "kernels/operator_flops.hpp"

namespace kernels {
namespace {

constexpr std::array ops{Op::cos,  Op::relu, Op::gelu,       Op::gelu_tanh, Op::silu, Op::exp,
                         Op::tanh, Op::sqrt, Op::reciprocal, Op::add,       Op::mul};
constexpr std::array<std::string_view, 2> what_becomes{"kept", "recomputed"};
constexpr std::array axes{
    AxisInfo{"length", "operators", "Number of operators; the chain is repeated up to this length.",
             1, most_operators, 1},
    AxisInfo{"activations", "", "Forward and backward: activations are kept (1) or recomputed (2).",
             1, 2, 0, what_becomes}};

double steps(const Case& c) { return static_cast<double>(operators_of(c)); }

/// N elements of b byte, n operators. Fused: 2 N b byte, one launch. Unfused: as much for every
/// operator.
///
/// Forward and backward, kept: reads x, writes n results; reads the n inputs and a gradient, writes
/// one; unfused each operator reads and writes one forward, reads two and writes one backward.
/// Recomputed: 2 tensors move forward and 3 backward.
Work work(const Case& c) {
  const double n = steps(c);
  const bool is_fused = c.fusion == Fusion::fused;
  if (activations_of(c) == Activations::none) {
    const double passes = is_fused ? 1 : n;
    return {.bytes = passes * 2 * tensor_bytes(c), .launches = passes};
  }
  if (activations_of(c) == Activations::kept)
    return {.bytes = (is_fused ? 2 * n + 3 : 5 * n) * tensor_bytes(c),
            .launches = is_fused ? 2 : 2 * n};
  return {.bytes = 5 * tensor_bytes(c), .launches = 2};
}

/// Those of n operators; with a backward pass those of their derivatives, too. Where activations
/// are recomputed, all operators but the last run again, in one kernel with their derivatives.
double flops(const Case& c, const OperatorFlops& executed) {
  const Activations activations = activations_of(c);
  double sum = 0;
  for (std::uint64_t i = 0; i < operators_of(c); ++i) {
    const PointwiseFlops one = executed.pointwise(operator_at(c, i), c.dtype);
    sum += one.forward;
    if (activations != Activations::none) sum += one.gradient;
    if (activations == Activations::recomputed && i + 1 < operators_of(c))
      sum += one.forward - one.shared;
  }
  return static_cast<double>(c.elements) * sum;
}

/// Input and output; from the second unfused step on one more to go back and forth. With a backward
/// pass: the input, the gradient of the last result, and what is written.
double footprint(const Case& c) {
  if (activations_of(c) != Activations::none)
    return static_cast<double>(tensors_written(c) + 2) * tensor_bytes(c);
  const bool two = c.fusion == Fusion::fused || steps(c) < 2;
  return (two ? 2 : 3) * tensor_bytes(c);
}

/// No operator is faster than multiply-adds. One of a single FLOP takes an instruction, too.
Bounds bounds(const Case& c) {
  constexpr std::array of_one{Op::mul, Op::add, Op::relu};
  const bool single = std::ranges::all_of(
      c.ops, [&](Op op) { return std::ranges::find(of_one, op) != of_one.end(); });
  return {{{arithmetic_of_operators(c.dtype), c.units, Op::fma, single ? 0.5 : 1.0}}};
}

std::string refuse(const Case& c) {
  if (!has_operators(c.dtype))
    return "pointwise operators run in fp32, fp64 and bf16: choose one of these";
  const bool alone = operators_of(c) < 2 || c.fusion == Fusion::unfused;
  const bool plain = c.by == By::own && activations_of(c) == Activations::none;
  if (c.dtype == Dtype::bf16 && !(alone && plain))
    return "operators of bf16 run as kernels of their own, forward: choose unfused, or fp32";
  if (activations_of(c) == Activations::none) return "";
  if (c.more[1] > 2) return "activations are kept (1) or recomputed (2): choose one of these";
  if (c.elements % backward_granule != 0)
    return fmt::format("elements come in multiples of {} where there is a backward pass",
                       backward_granule);
  if (activations_of(c) == Activations::recomputed && c.fusion == Fusion::unfused)
    return "activations are recomputed in a fused kernel: choose fused";
  if (c.by != By::generated) return "kernels with a backward pass are generated";
  return "";
}

/// One operator forward, of our own: as launches go, any is like any other.
Case least(Case c) {
  c = with_activations(alone_at(c, 0), Activations::none);
  c.elements = least_elements;
  c.by = By::own;
  return c;
}

/// What a case writes: its result; with a backward pass all that tensors_written() counts.
Check check(Checkable& operators, const std::stop_token& stop) {
  const Case& c = operators.timed();
  const Covered covered = operators.run_poisoned(c, {}, stop);
  const bool backward = activations_of(c) != Activations::none;
  const std::uint64_t written = backward ? tensors_written(c) : 1;
  const std::uint64_t samples = samples_for(operators_of(c) * written, 100'000);
  Deviation kept, last;  // the error of a point is that of what both passes are run for
  for (std::uint64_t index = 0; index < written; ++index) {
    Deviation& deviation = index + 2 < written ? kept : last;
    const auto judge = [&](std::uint64_t i, double got) -> Check {
      const double x = operators.input(0, i), functions = operators.function_error();
      const Expected expected =
          backward ? expected_written(c, index, x, operators.input(1, i), functions)
                   : expected_pointwise(c, x, functions);
      if (!expected.tells()) return {.ok = true};
      if (!expected.agrees(got))
        return {false,
                fmt::format("{}{}, at most {:.2g} apart", backward ? name_of_written(c, index) : "",
                            mismatch(i, c.elements, expected.value, got), expected.error)};
      deviation.add(expected.value, got);
      return {.ok = true};
    };
    const Check found =
        compare(operators, covered, {index * c.elements, c.elements}, samples, stop, judge);
    if (!found.ok) return found;
  }
  return {.ok = true, .error = last.share()};
}

}  // namespace

Activations activations_of(const Case& c) { return static_cast<Activations>(c.more[1]); }

Case with_activations(Case c, Activations how) {
  c.more[1] = static_cast<std::uint64_t>(how);
  return c;
}

std::uint64_t operators_of(const Case& c) {
  return c.repeat * (c.more[0] > 0 ? c.more[0] : c.ops.count);
}

Op operator_at(const Case& c, std::uint64_t index) {
  const std::uint64_t length = c.more[0] > 0 ? c.more[0] : c.ops.count;
  return c.ops.at[index % length % c.ops.count];
}

Case alone_at(const Case& c, std::uint64_t index) {
  Case one = with(c, "length", 1);
  one.ops = operator_at(c, index);
  one.repeat = 1;
  return one;
}

std::uint64_t tensors_written(const Case& c) {
  return (activations_of(c) == Activations::kept ? operators_of(c) : 1) + 1;
}

extern const FamilyInfo pointwise_family{
    .name = "pointwise",
    .help = "operators of neural networks on every element",
    .ops = ops,
    .chooses_op = true,
    .fuses = true,
    .several_ops = true,
    .for_labs = true,
    .step = "pass over the operators",
    .steps = "passes over the operators",
    .axes = axes,
    .work = work,
    .flops = flops,
    .footprint = footprint,
    .bounds = bounds,
    .least = least,
    .refuse = refuse,
    .tag = [](const Case& c) { return text_of(c.ops); },
    .check = on_random<check>,
};

}  // namespace kernels
