// `stream`: reads and writes of a working set, which measure the bandwidth of a memory level.
#include <array>

#include "kernels/families/family.hpp"

namespace kernels {
namespace {

constexpr std::array ops{Op::copy,   Op::read, Op::write,    Op::triad,
                         Op::shared, Op::l2,   Op::l2_slices};
constexpr std::array units{Units::vector};

double tensor_bytes(const Case& c) {
  return static_cast<double>(c.elements) * static_cast<double>(size_of(c.dtype));
}

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

}  // namespace

Case stream_case(Op op, std::uint64_t elements, Data data) {
  Case c;
  c.family = Family::stream;
  c.ops = op;
  c.elements = elements;
  c.data = data;
  return c;
}

const FamilyInfo stream_family{
    .name = "stream",
    .help = "reads and writes of a working set",
    .role = Role::bandwidth,
    .ops = ops,
    .chooses_op = true,
    .units = units,
    .work = work,
    .footprint = footprint,
    .tag = [](const Case& c) { return text_of(c.ops); },
};

}  // namespace kernels
