// FLOP of operators on a GPU: the table against the machine code of every architecture, and against
// what the counters of an H200 saw.
#include "kernels/operator_flops.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>

#include "kernels/chain_text.hpp"
#include "kernels/cuda/bodies/arguments.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/reference.hpp"
#include "kernels/families/rowwise/rowwise.hpp"
#include "kernels/random.hpp"
#include "tests/cuda/machine_code/paths.hpp"
#include "tests/cuda/operators/taken_branches.hpp"
#include "tests/text.hpp"

using namespace kernels;
using namespace kernels::cuda;
using tests::contains;

namespace {

Op pointwise_op(const std::string& name) {
  for (const Op op : Family::pointwise->ops) {
    if (contains(name, "pointwise::" + identifier_of(op) + ">")) return op;
  }
  FAIL("no operator in " << name);
  return Op::none;
}

/// What a kernel reads: bf16 as its arithmetic or its bits.
Dtype dtype_in(const std::string& name) {
  if (contains(name, "WidenedBf16") || contains(name, "<unsigned short")) return Dtype::bf16;
  return contains(name, "<double") ? Dtype::fp64 : Dtype::fp32;
}

/// "rowwise_kernel<float, (unsigned char)22, 32>" in its parts.
struct RowKernel {
  Op op;
  Dtype dtype;
  int team;

  explicit RowKernel(const std::string& name) : dtype(dtype_in(name)) {
    int row = 0;
    REQUIRE(std::sscanf(name.c_str() + name.find("(unsigned char)"), "(unsigned char)%d, %d", &row,
                        &team) == 2);
    op = {static_cast<std::uint8_t>(row)};
  }
  int lanes() const {
    return row_vectors_for(size_of(dtype)) * static_cast<int>(sizeof(Vector) / size_of(dtype));
  }
  /// What the table counts for a thread of a team whose elements all lie in a row of so many parts.
  double flops_of(int threads, std::uint64_t parts = 1) const {
    const std::uint64_t columns = parts * static_cast<unsigned>(threads * lanes());
    const Case c = with({.family = Family::rowwise, .ops = op, .dtype = dtype, .elements = columns},
                        "columns", columns);
    return cuda_operator_flops.rowwise(c) / threads;
  }
  /// Of each part of a row of many, where exp runs again.
  double flops_of_part() const {
    constexpr std::uint64_t many = 8;
    return (flops_of(row_teams[1], 2 * many) - flops_of(row_teams[1], many)) / many;
  }
  /// Beside its elements.
  double flops_of_row() const {
    const double beside = flops_of(row_teams[1], 2) - 2 * flops_of_part();
    const double elements = flops_of(row_teams[1]) - beside;
    return flops_of(team) - elements;
  }
};

/// FLOP per element of branches that inputs do not take, or that exclude each other: results of exp
/// beyond the range of fp64, which softmax can compute in two places, as it can the last product.
double other_branches(const RowKernel& kernel) {
  if (kernel.dtype != Dtype::fp64)
    return kernel.op == Op::bias_gelu || kernel.op == Op::gelu_gradient ? 1 : 0;
  if (kernel.op == Op::softmax) return 5;
  if (kernel.op == Op::scaled_softmax_dropout) return 4;
  return kernel.op == Op::gelu_gradient ? 2 : 0;
}

/// What nvcc 13.0 makes of cos for Blackwell differs.
bool has_another_cosine(Op op, int architecture) { return op == Op::cos && architecture >= 100; }

}  // namespace

TEST_CASE("a pointwise operator executes the FLOP of the table, on the branches that inputs take") {
  for (const int architecture : sass::architectures) {
    int kernels = 0;
    for (const cubin::Kernel& kernel : sass::kernels_of("pointwise", architecture)) {
      if (!contains(kernel.name, "pointwise_kernel<")) continue;
      CAPTURE(architecture);
      CAPTURE(kernel.name);
      const Dtype dtype = dtype_in(kernel.name);
      const bool wide = dtype == Dtype::fp64;
      const Op op = pointwise_op(kernel.name);
      const double elements =
          static_cast<double>(vectors_per_thread * sizeof(Vector) / size_of(dtype));
      const sass::Flops flops = sass::flops_between(kernel, sass::everything(kernel), wide);
      const double table = cuda_operator_flops.pointwise(op, dtype).forward;
      ++kernels;
      if (has_another_cosine(op, architecture)) {
        CHECK(flops.least / elements < 1.07 * table);
        CHECK(flops.most / elements > table);
        continue;
      }
      const double counted = flops.least / elements + taken::flops(op, dtype);
      CHECK(counted == doctest::Approx(table).epsilon(0.005));
      CHECK(counted <= flops.most / elements + (op == Op::relu ? 1 : 0));
    }
    CHECK(kernels == 11 * 3);
  }
}

TEST_CASE("an operator on rows executes the FLOP of the table for elements, rows and threads") {
  for (const int architecture : sass::architectures) {
    int kernels = 0;
    for (const cubin::Kernel& kernel : sass::kernels_of("rowwise", architecture)) {
      if (!contains(kernel.name, "rowwise_kernel<")) continue;
      CAPTURE(architecture);
      CAPTURE(kernel.name);
      const RowKernel row(kernel.name);
      const bool wide = row.dtype == Dtype::fp64;
      double in_loops = 0;
      for (const cubin::Loop& loop : cubin::innermost_loops(kernel))
        in_loops += sass::flops_between(kernel, loop, wide).most;
      const double all = sass::flops_between(kernel, sass::everything(kernel), wide).most;
      // For Blackwell one product of a row is in its loop, with its four elements.
      const bool moved =
          architecture >= 100 && row.op == Op::scaled_softmax_dropout && row.dtype == Dtype::bf16;
      CHECK(in_loops >= row.flops_of_part());
      CHECK(in_loops <= row.flops_of_part() + other_branches(row) * row.lanes() + (moved ? 4 : 0));
      // The last additions of a sum are those of one thread of a team of several warps; of fp32 and
      // fp64, one runs only where another part follows.
      const bool exact = row.dtype == Dtype::bf16 && row.team == row_teams[0];
      const double of_one = row.op == Op::sum && !exact ? 3 : 0;
      CHECK(all - in_loops >= row.flops_of_row() - (moved ? 1 : 0));
      CHECK(all - in_loops <= row.flops_of_row() + of_one);
      ++kernels;
    }
    CHECK(kernels == 14 * 2 * 3);
  }
}

TEST_CASE("a sum of columns executes one addition for each element, a transpose nothing") {
  for (const int architecture : sass::architectures) {
    for (const cubin::Kernel& kernel : sass::kernels_of("rowwise", architecture)) {
      const bool sums = contains(kernel.name, "column_sum_kernel<");
      if (!sums && !contains(kernel.name, "transpose_kernel<")) continue;
      CAPTURE(architecture);
      CAPTURE(kernel.name);
      const Dtype dtype = dtype_in(kernel.name);
      const bool wide = dtype == Dtype::fp64;
      const auto lanes = static_cast<double>(sizeof(Vector) / size_of(dtype));
      double in_loops = 0;
      for (const cubin::Loop& loop : cubin::innermost_loops(kernel))
        in_loops += sass::flops_between(kernel, loop, wide).most;
      const Case c{.family = Family::rowwise,
                   .ops = sums ? Op::column_sum : Op::transpose,
                   .dtype = dtype,
                   .elements = 64 * 1024};
      CHECK(in_loops / (lanes * row_vectors_for(size_of(dtype))) ==
            cuda_operator_flops.rowwise(c) / static_cast<double>(c.elements));
    }
  }
}

namespace {

/// FADD + FMUL + 2 FFMA per element, of fp64 DADD, DMUL and DFMA, with inputs of 1.5 GB in rows of
/// 1024: smsp__sass_thread_inst_executed_op_*_pred_on.sum by ncu on an H200 (CUDA 13.0).
struct Counted {
  Family family;
  Op op;
  double fp32, fp64;
};
constexpr std::array<Counted, 25> counted_on_h200{
    {{Family::pointwise, Op::cos, 17.2854, 23.2854},
     {Family::pointwise, Op::gelu, 19.2908, 82},
     {Family::pointwise, Op::gelu_tanh, 20.4685, 39.7146},
     {Family::pointwise, Op::silu, 21, 46},
     {Family::pointwise, Op::exp, 10, 29},
     {Family::pointwise, Op::tanh, 13.2, 34.2906},
     {Family::pointwise, Op::sqrt, 7, 14},
     {Family::pointwise, Op::reciprocal, 5, 10},
     {Family::pointwise, Op::add, 1, 1},
     {Family::pointwise, Op::mul, 1, 1},
     {Family::rowwise, Op::layernorm, 7.3438, 20.875},
     {Family::rowwise, Op::rmsnorm, 3.875, 12},
     {Family::rowwise, Op::softmax, 13.3125, 34.25},
     {Family::rowwise, Op::sum, 1.126, 2.6279},
     {Family::rowwise, Op::bias, 1, 2},
     {Family::rowwise, Op::bias_gelu, 20.4559, 83},
     {Family::rowwise, Op::dropout, 2, 2},
     {Family::rowwise, Op::drop, 1, 1},
     {Family::rowwise, Op::residual, 1, 2},
     {Family::rowwise, Op::gelu_gradient, 34.2908, 116},
     {Family::rowwise, Op::softmax_gradient, 4.1562, 9},
     {Family::rowwise, Op::layernorm_gradient, 14.3438, 34.875},
     {Family::rowwise, Op::column_sum, 1.0032, 1.0032},
     {Family::rowwise, Op::scaled_softmax_dropout, 16.375, 37.5},
     {Family::rowwise, Op::scaled_softmax_dropout_gradient, 6.1875, 7.125}}};

}  // namespace

TEST_CASE("work on a GPU is within 1 % of what the counters of an H200 saw") {
  for (const Counted& one : counted_on_h200) {
    for (const Dtype dtype : {Dtype::fp32, Dtype::fp64}) {
      CAPTURE(one.op->name);
      CAPTURE(name_of(dtype));
      const Case c{.family = one.family, .ops = one.op, .dtype = dtype, .elements = 64 * 1024};
      const double counted = dtype == Dtype::fp64 ? one.fp64 : one.fp32;
      CHECK(work_of(c, "cuda").flops / static_cast<double>(c.elements) ==
            doctest::Approx(counted).epsilon(0.01));
    }
  }
  // Every operator is there, but for relu, which ncu counts nothing of, and transpose.
  CHECK(counted_on_h200.size() == Family::pointwise->ops.size() + Family::rowwise->ops.size() - 2);
}
