// FLOP of operators on a GPU: what the machine code of compute capability 9.0 (nvcc and NVRTC 13.0)
// executes on random inputs, as ncu counts it: FADD and FMUL 1, FFMA 2, of fp64 DADD, DMUL and DFMA
// alike. What the special function units look up (MUFU), comparisons, and fp32 in functions of fp64
// are not counted. bf16 is widened to fp32 by its bits, and computed as that.
// tests/cuda/operators/operator_flops_test.cpp compares with the machine code of every
// architecture, and with what an H200 counted.
#include "kernels/operator_flops.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "kernels/cuda/bodies/arguments.hpp"
#include "kernels/families/rowwise/rowwise.hpp"

namespace kernels::cuda {
namespace {

/// Magnitudes in [0.5, 2), as inputs are, take some branches of a function more often than others:
/// fractions. relu compares and computes nothing: it counts its comparison, so that it is a point
/// of the roofline.
struct Pointwise {
  Op op;
  PointwiseFlops fp32, fp64;
};
constexpr std::array<Pointwise, 11> pointwise_rows{
    {{Op::mul, {1, 1, 0}, {1, 1, 0}},
     {Op::add, {1, 0, 0}, {1, 0, 0}},
     {Op::sqrt, {7, 18, 7}, {14, 31, 14}},
     {Op::relu, {1, 1, 0}, {1, 1, 0}},
     {Op::reciprocal, {5, 11, 0}, {10, 17, 0}},
     {Op::exp, {10, 11, 10}, {29, 30, 20}},
     {Op::cos, {17.3, 20.7, 0}, {23.3, 26.7, 0}},
     {Op::tanh, {13.2, 16.2, 13.2}, {34.3, 37.3, 0}},
     {Op::silu, {21, 21, 11}, {46, 46, 19}},
     {Op::gelu, {19.3, 34.3, 16}, {82, 116, 79}},
     {Op::gelu_tanh, {20.5, 28.5, 18.5}, {39.7, 47.7, 5}}}};

/// What a row costs: for each of its elements, for each element that its threads could hold
/// (whether it lies in the row or not), and for each thread, by the size of the team. Of a row that
/// the registers of a team do not hold, exp runs `again` for each element.
struct Row {
  double element = 0, held = 0, again = 0;
  std::array<double, 2> thread{};
};
struct Rowwise {
  Op op;
  Row fp32, fp64;
  std::optional<Row> bf16{};  ///< where it is not that of fp32
};
constexpr std::array<Rowwise, 16> rowwise_rows{
    {{Op::layernorm, {6, 0, 0, {43, 49}}, {0, 6, 0, {65, 71}}},
     {Op::rmsnorm, {3, 0, 0, {28, 31}}, {0, 3, 0, {45, 48}}},
     {Op::softmax, {13, 0, 11, {10, 13}}, {32, 0, 30, {15, 18}}},
     {Op::sum, {11. / 32, 21. / 32, 0, {4, 5}}, {0, 1, 0, {4, 5}}, Row{1, 0, 0, {5, 5}}},
     {Op::transpose, {}, {}},
     {Op::bias, {1}, {0, 1}},
     {Op::bias_gelu, {20.46}, {83}},
     {Op::dropout, {2}, {2}},
     {Op::drop, {1}, {1}},
     {Op::residual, {1}, {0, 1}},
     {Op::gelu_gradient, {34.3}, {116}},
     {Op::softmax_gradient, {4, 0, 0, {5, 8}}, {0, 4, 0, {5, 8}}},
     {Op::layernorm_gradient, {12, 0, 0, {75, 87}}, {4, 8, 0, {107, 119}}},
     {Op::column_sum, {1}, {1}},
     {Op::scaled_softmax_dropout, {16, 0, 12, {12, 15}}, {35, 0, 31, {17, 20}}},
     {Op::scaled_softmax_dropout_gradient, {6, 0, 0, {6, 9}}, {6, 0, 0, {6, 9}}}}};

PointwiseFlops pointwise(Op op, Dtype dtype) {
  const auto* row = std::ranges::find(pointwise_rows, op, &Pointwise::op);
  if (row == pointwise_rows.end()) return {};
  return dtype == Dtype::fp64 ? row->fp64 : row->fp32;
}

double rowwise(const Case& c) {
  const auto* found = std::ranges::find(rowwise_rows, c.op(), &Rowwise::op);
  if (found == rowwise_rows.end()) return 0;
  const Row row = c.dtype == Dtype::fp64   ? found->fp64
                  : c.dtype == Dtype::bf16 ? found->bf16.value_or(found->fp32)
                                           : found->fp32;
  const std::uint64_t row_bytes = columns_of(c) * size_of(c.dtype);
  const int team = row_team(row_bytes, size_of(c.dtype));
  const auto held_vectors = static_cast<unsigned>(team * row_vectors_for(size_of(c.dtype)));
  const std::uint64_t team_bytes = held_vectors * sizeof(Vector);
  const std::uint64_t parts = (row_bytes + team_bytes - 1) / team_bytes;
  const double held = static_cast<double>(parts * team_bytes / size_of(c.dtype));
  const double elements = row.element + (parts > 1 ? row.again : 0);
  return static_cast<double>(c.elements) * elements +
         static_cast<double>(rows_of(c)) *
             (held * row.held + team * row.thread[team == row_teams[0] ? 0 : 1]);
}

}  // namespace
}  // namespace kernels::cuda

namespace kernels {

const OperatorFlops cuda_operator_flops{"cuda", cuda::pointwise, cuda::rowwise};

}  // namespace kernels
