// `stream`: reads and writes of a working set, which measure the bandwidth of a memory level.
#include <fmt/format.h>

#include <array>

#include "kernels/check.hpp"
#include "kernels/families/family.hpp"

namespace kernels {
namespace {

constexpr std::array ops{Op::copy,   Op::read, Op::write,    Op::triad,
                         Op::shared, Op::l2,   Op::l2_slices};

double tensors(const Case& c) { return c.op()->tensors_read + c.op()->tensors_written; }

/// N elements of b byte in each tensor: r passes over the working set of all threads (SMs), each
/// over its own part (l2: over another part in each pass), in one launch: r N b byte per tensor;
/// triad 2 N r FLOP.
Work work(const Case& c) {
  const double repeat = static_cast<double>(c.repeat);
  return {.flops = repeat * c.op()->flops * static_cast<double>(c.elements),
          .bytes = repeat * tensors(c) * tensor_bytes(c),
          .launches = 1};
}

double footprint(const Case& c) { return tensors(c) * tensor_bytes(c); }

/// Every word that was read in each pass, in wrap-around arithmetic, against the words that are
/// there.
Check check_sum(Checkable& stream, const std::stop_token& stop) {
  const auto [got, once] = stream.sums(stop);
  const std::uint32_t expected = once * static_cast<std::uint32_t>(stream.timed().repeat);
  if (got == expected) return {.ok = true};
  return {false, fmt::format("sum of all words read: expected {}, got {}", expected, got)};
}

Check check_elements(Checkable& stream, const std::stop_token& stop) {
  const Case& c = stream.timed();
  const Operands scalars = stream.operands();
  const auto judge = [&](std::uint64_t i, double got) -> Check {
    double expected = scalars.b;
    if (c.op() != Op::write) expected = stream.input(0, i);
    // The product with a scalar of few bits is exact in double: one rounding, like an fma.
    if (c.op() == Op::triad)
      expected = round_to(Dtype::fp32, expected + scalars.a * stream.input(1, i));
    if (got != expected) return {false, mismatch(i, c.elements, expected, got)};
    return {.ok = true};
  };
  return compare(stream, stream.run_poisoned(c, scalars, stop), {0, c.elements}, samples_for(1),
                 stop, judge);
}

Check check(Checkable& stream, const std::stop_token& stop) {
  const bool reads = stream.timed().op()->tensors_written == 0;
  return reads ? check_sum(stream, stop) : check_elements(stream, stop);
}

}  // namespace

Case stream_case(Op op, std::uint64_t elements, Data data) {
  return {.family = Family::stream, .ops = op, .elements = elements, .data = data};
}

extern const FamilyInfo stream_family{
    .name = "stream",
    .help = "reads and writes of a working set",
    .role = Role::bandwidth,
    .ops = ops,
    .chooses_op = true,
    .work = work,
    .footprint = footprint,
    .tag = [](const Case& c) { return text_of(c.ops); },
    .check = on_random<check>,  // nothing shows that zeros were read
};

}  // namespace kernels
