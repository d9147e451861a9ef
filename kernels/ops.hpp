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
      l2, relu, gelu, gelu_tanh, silu, exp, cos, tanh, reciprocal, layernorm, rmsnorm, softmax, sum,
      transpose, bias, bias_gelu, dropout, mma_sync, drop, residual, gelu_gradient,
      softmax_gradient, layernorm_gradient, column_sum, scaled_softmax_dropout,
      scaled_softmax_dropout_gradient, branches, masked, l2_slices;
};

/// What the rest of the program may ask of an op.
struct OpInfo {
  std::string_view name;  ///< as on the command line and in files
  std::string_view help;  ///< one sentence
  /// FLOP per element of the formula, in which a function such as exp counts 1. Operators of
  /// networks execute others: operator_flops.hpp.
  double flops;
  int tensors_read;  ///< by a stream or an operator on rows; a chain reads one
  int tensors_written;
};

/// The rows that are built in. Handles below name them in this order.
inline constexpr std::array<OpInfo, 42> op_rows{{
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
    {"l2", "Read the L2 of a GPU, past its L1, all of it by every multiprocessor.", 0, 1, 0},
    {"relu", "The larger of x and 0.", 1, 1, 1},
    {"gelu", "x/2 (1 + erf(x / sqrt 2)).", 5, 1, 1},
    {"gelu-tanh", "x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))).", 8, 1, 1},
    {"silu", "x / (1 + exp(-x)).", 3, 1, 1},
    {"exp", "The exponential function.", 1, 1, 1},
    {"cos", "The cosine.", 1, 1, 1},
    {"tanh", "The hyperbolic tangent.", 1, 1, 1},
    {"reciprocal", "1/x.", 1, 1, 1},
    {"layernorm", "Each row less its mean, over its standard deviation.", 6, 1, 1},
    {"rmsnorm", "Each row over its root mean square.", 3, 1, 1},
    {"softmax", "exp of each row over its sum.", 5, 1, 1},
    {"sum", "The sum of each row.", 1, 1, 0},
    {"transpose", "Rows become columns.", 0, 1, 1},
    {"bias", "Add one row to each row.", 1, 1, 1},
    {"bias+gelu", "Add one row to each row, then gelu.", 6, 1, 1},
    {"dropout+add", "Half of the elements, doubled, plus a second tensor.", 2, 2, 1},
    {"mma.sync", "Multiply two tiles, warp by warp, on a GPU that has a faster instruction.", 2, 1,
     1},
    {"dropout", "Half of the elements, doubled; the others become 0.", 1, 1, 1},
    {"residual-add", "The sum of two tensors.", 1, 2, 1},
    {"gelu-gradient", "A gradient times the derivative of gelu at x.", 11, 2, 1},
    {"softmax-gradient", "y (g - the sum of y g) of each row.", 4, 2, 1},
    {"layernorm-gradient", "The gradient through layernorm, of x and g.", 13, 2, 1},
    {"column-sum", "The sum of each column.", 1, 1, 0},
    {"scale+softmax+dropout", "softmax of x/8, then dropout.", 7, 1, 1},
    {"scale+softmax+dropout-gradient", "The gradient through these three.", 6, 2, 1},
    {"branches", "fma along a path that a branch chooses for each element: 2 FLOP.", 2, 2, 1},
    {"masked", "fma along all paths, of which masks keep one for each element: 2 FLOP.", 2, 2, 1},
    {"l2-slices", "Read the L2 of a GPU, past its L1, each part by one multiprocessor.", 0, 1, 0},
}};

inline constexpr Op Op::mul{0}, Op::add{1}, Op::fma{2}, Op::mma{3}, Op::read{4}, Op::write{5},
    Op::copy{6}, Op::triad{7}, Op::none{8}, Op::mul_add{9}, Op::gemm{10}, Op::shared{11},
    Op::sqrt{12}, Op::l2{13}, Op::relu{14}, Op::gelu{15}, Op::gelu_tanh{16}, Op::silu{17},
    Op::exp{18}, Op::cos{19}, Op::tanh{20}, Op::reciprocal{21}, Op::layernorm{22}, Op::rmsnorm{23},
    Op::softmax{24}, Op::sum{25}, Op::transpose{26}, Op::bias{27}, Op::bias_gelu{28},
    Op::dropout{29}, Op::mma_sync{30}, Op::drop{31}, Op::residual{32}, Op::gelu_gradient{33},
    Op::softmax_gradient{34}, Op::layernorm_gradient{35}, Op::column_sum{36},
    Op::scaled_softmax_dropout{37}, Op::scaled_softmax_dropout_gradient{38}, Op::branches{39},
    Op::masked{40}, Op::l2_slices{41};

/// What scale+softmax+dropout multiplies scores with, in heads of 64 columns: 1 / sqrt(64).
inline constexpr double attention_scale = 0.125;

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
