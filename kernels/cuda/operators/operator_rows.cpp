#include "kernels/cuda/operators/operator_rows.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "kernels/families/family.hpp"
#include "kernels/families/rowwise/rowwise.hpp"

namespace kernels::cuda {
namespace {

std::string note_of(Op op) {
  if (op == Op::transpose) return "tiles of 64 x 64 in shared memory";
  if (is_on_columns(op)) return "16-byte accesses; sums of parts of the rows, then of those";
  return calls_function(op) ? "functions of CUDA, within 2 ULP" : "16-byte accesses";
}

}  // namespace

bool calls_function(Op op) {
  constexpr std::array calling{
      Op::exp,       Op::cos,     Op::tanh,      Op::silu,          Op::gelu,
      Op::gelu_tanh, Op::softmax, Op::bias_gelu, Op::gelu_gradient, Op::scaled_softmax_dropout};
  return std::ranges::find(calling, op) != calling.end();
}

std::vector<Kernel> operator_rows(Family family) {
  std::vector<Kernel> rows;
  for (const Op op : family->ops) {
    for (const DtypeInfo& info : dtypes) {
      const std::string why_not = refusal_of({.family = family, .ops = op, .dtype = info.dtype});
      rows.push_back(
          answered({.family = family, .op = op, .dtype = info.dtype}, why_not, note_of(op)));
    }
  }
  return rows;
}

}  // namespace kernels::cuda
