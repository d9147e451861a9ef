// The table of ops: one row each. Knows nothing of devices.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kernels {

struct OpInfo;

/// A row of the table of ops: small, comparable, never null. `->` reads the row.
struct Op {
  std::uint8_t row = 0;  ///< public, so that an op can be a template argument

  const OpInfo* operator->() const;
  auto operator<=>(const Op&) const = default;

  static const Op mul, add, fma, mma, read, write, copy, triad, none, mul_add, gemm, shared, sqrt,
      l2, mma_sync;
};

/// What the rest of the program may ask of an op.
struct OpInfo {
  std::string_view name;  ///< as on the command line and in files
  std::string_view help;  ///< one sentence
  double flops;           ///< FLOP per element
  int tensors_read;       ///< by a stream; a chain reads one
  int tensors_written;
};

/// The rows that are built in. Handles below name them in this order.
inline constexpr std::array<OpInfo, 15> op_rows{{
    {"mul", "Multiply by a number: 1 FLOP.", 1, 1, 1},
    {"add", "Add a number: 1 FLOP.", 1, 1, 1},
    {"fma", "Multiply and add in one instruction: 2 FLOP.", 2, 1, 1},
    {"mma", "Multiply two tiles, or sum a dot product.", 2, 1, 1},
    {"read", "Read one tensor.", 0, 1, 0},
    {"write", "Write one tensor.", 0, 0, 1},
    {"copy", "Read one tensor, write another.", 0, 1, 1},
    {"triad", "Read two tensors, write a + s b: 2 FLOP.", 2, 2, 1},
    {"none", "No arithmetic.", 0, 0, 0},
    {"mul+add", "A multiply and an add, each rounded: 2 FLOP.", 2, 1, 1},
    {"gemm", "A matrix product of a library.", 2, 2, 1},
    {"shared", "Read the shared memory of a GPU.", 0, 1, 0},
    {"sqrt", "Square root of the magnitude: 1 FLOP.", 1, 1, 1},
    {"l2", "Read the L2 of a GPU, past its L1.", 0, 1, 0},
    {"mma.sync", "Multiply two tiles, warp by warp, on a GPU that has a faster instruction.", 2, 1, 1},
}};

inline constexpr Op Op::mul{0}, Op::add{1}, Op::fma{2}, Op::mma{3}, Op::read{4}, Op::write{5},
    Op::copy{6}, Op::triad{7}, Op::none{8}, Op::mul_add{9}, Op::gemm{10}, Op::shared{11},
    Op::sqrt{12}, Op::l2{13}, Op::mma_sync{14};

std::string_view name_of(Op);
std::optional<Op> op_named(std::string_view);
/// Every op, those added last.
std::vector<Op> all_ops();
/// Adds a row, which must outlive its use. Before any thread looks at the table.
Op add_op(const OpInfo&);

inline constexpr std::size_t most_ops = 16;

/// The ops of a case, applied in order; nearly all cases have one.
struct Ops {
  std::array<Op, most_ops> at{};
  std::uint8_t count = 0;

  constexpr Ops() = default;
  constexpr Ops(Op op) : at{op}, count(1) {}  // one op is what most callers have
  /// At most `most_ops`; more are left out.
  constexpr Ops(std::initializer_list<Op> ops) {
    for (const Op op : ops) {
      if (count < most_ops) at[count++] = op;
    }
  }

  /// The first; mul when there is none.
  constexpr Op front() const { return at[0]; }
  constexpr const Op* begin() const { return at.data(); }
  constexpr const Op* end() const { return at.data() + count; }
  auto operator<=>(const Ops&) const = default;
};

/// FLOP per element of all of them together.
double flops_of(const Ops&);
/// "fma", "mul,add": as on the command line and in files.
std::string text_of(const Ops&);
/// What text_of() wrote; nothing where a name is unknown or there are too many.
std::optional<Ops> ops_named(std::string_view);

}  // namespace kernels
