#include "kernels/cuda/operators/operator_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "kernels/families/family.hpp"
#include "kernels/pointwise_operators.hpp"

namespace kernels::cuda {
namespace {

#define RIDGEPOINT_NAME(name, expression) Op::name,
constexpr std::array pointwise_ops{RIDGEPOINT_OPERATORS(RIDGEPOINT_NAME)};
#undef RIDGEPOINT_NAME
constexpr std::array rowwise_ops{Op::layernorm, Op::rmsnorm, Op::softmax,   Op::sum,
                                 Op::transpose, Op::bias,    Op::bias_gelu, Op::dropout};

bool has_kernel(Op op) {
  return std::ranges::find(pointwise_ops, op) != pointwise_ops.end() ||
         std::ranges::find(rowwise_ops, op) != rowwise_ops.end();
}

std::string reason_of(Family family, Op op, Dtype dtype) {
  if (!has_kernel(op)) return fmt::format("{} has no CUDA kernel yet: choose the CPU", op->name);
  const Case c{.family = family, .ops = op, .dtype = dtype};
  return refusal_of(c);
}

std::string note_of(Op op) {
  if (op == Op::transpose) return "tiles of 64 x 64 in shared memory";
  return calls_function(op) ? "functions of CUDA, within 2 ULP" : "16-byte accesses";
}

}  // namespace

bool calls_function(Op op) {
  constexpr std::array calling{Op::exp,  Op::cos,       Op::tanh,    Op::silu,
                               Op::gelu, Op::gelu_tanh, Op::softmax, Op::bias_gelu};
  return std::ranges::find(calling, op) != calling.end();
}

std::vector<Kernel> operator_rows() {
  std::vector<Kernel> rows;
  for (const Family family : {Family::pointwise, Family::rowwise}) {
    for (const Op op : family->ops) {
      for (const DtypeInfo& info : dtypes) {
        const std::string why_not = reason_of(family, op, info.dtype);
        rows.push_back({.family = family,
                        .op = op,
                        .dtype = info.dtype,
                        .runs = why_not.empty(),
                        .why_not = why_not,
                        .note = why_not.empty() ? note_of(op) : ""});
      }
    }
  }
  return rows;
}

}  // namespace kernels::cuda
