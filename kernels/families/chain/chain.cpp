// `chain`: one op after the other on every element.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernels/check.hpp"
#include "kernels/families/family.hpp"

namespace kernels {
namespace {

constexpr std::array ops{Op::fma, Op::mul, Op::add, Op::sqrt};

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

// A large case is checked in two steps: all elements with a few ops (several rounds of the kernels'
// unrolled loops, several launches back and forth, and what is left over of either), once per
// kernel and size; and all ops on a part of the elements, for every case. A fault that needs both
// goes unseen; all ops on all elements would take as long as a sample.
constexpr std::uint64_t unrolled = 8, few_ops = 4 * unrolled, few_launches = 4;

Check check_run(Checkable& chain, const Case& c, const Operands& operands,
                const std::stop_token& stop) {
  const Covered covered = chain.run_poisoned(c, operands, stop);
  Deviation deviation;
  std::uint64_t compared = 0;
  const auto judge = [&](std::uint64_t i, double got) -> Check {
    const double x = chain.input(0, i);
    const double expected = reference_chain(c, chain.arithmetic(), operands, x);
    if (got != expected)
      return {false, fmt::format("{}, after {} ops",
                                 mismatch(i, chain.timed().elements, expected, got), c.repeat)};
    if (compared++ % exact_every == 0) deviation.add(exact_chain(c, operands, x), got);
    return {.ok = true};
  };
  Check check = compare(chain, covered, {0, c.elements}, samples_for(c.repeat), stop, judge);
  check.error = deviation.share();
  return check;
}

/// With operands under which the result tells the number of ops. Sums of few bits tell only small
/// ones: then all ops are checked with the operands that are timed.
Check check_ops(Checkable& chain, const Case& c, const std::stop_token& stop) {
  Case counted = c;
  counted.repeat = std::min(c.repeat, countable_repeat(c, chain.arithmetic()));
  const Check check =
      check_run(chain, counted, counting_operands(counted, chain.arithmetic()), stop);
  if (!check.ok || counted.repeat == c.repeat) return check;
  return check_run(chain, c, chain.operands(), stop);
}

Check check(Checkable& chain, const std::stop_token& stop) {
  const Case& c = chain.timed();
  const bool fused = c.fusion == Fusion::fused;
  if (c.elements > chain.with_all_ops() && !chain.is_proved()) {
    // A single launch alone has no third tensor, and says nothing of the others.
    const bool tells = fused || c.repeat > 1;
    Case few = c;
    if (tells) few.repeat = fused ? few_ops + c.repeat % unrolled : few_launches + c.repeat % 2;
    const Check found = check_ops(chain, few, stop);
    if (found.ok && tells) chain.note_proved();
    if (!found.ok || few.repeat == c.repeat) return found;
  }
  Case part = c;
  part.elements = std::min(c.elements, chain.with_all_ops());
  return check_ops(chain, part, stop);
}

}  // namespace

extern const FamilyInfo chain_family{
    .name = "chain",
    .help = "a chain of ops on every element",
    .ops = ops,
    .chooses_op = true,
    .fuses = true,
    .work = work,
    .footprint = footprint,
    .bounds = bounds,
    .least = least,
    .refuse = refuse,
    .tag = tag,
    .check = on_random<check>,  // of zeros no result tells how often they were multiplied
};

}  // namespace kernels
