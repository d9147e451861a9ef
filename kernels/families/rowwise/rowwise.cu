// Operators on the rows of a matrix.
#include "kernels/cuda/trials/tables.hpp"
#include "kernels/families/rowwise/rowwise_body.hpp"
#include "kernels/families/rowwise/rowwise_tiles_body.hpp"

namespace kernels::cuda {
namespace {

constexpr int warps = row_block_threads / 32;

__device__ Place here() {
  return {blockIdx.x, threadIdx.x, static_cast<std::uint32_t>(row_block_threads)};
}

template <bool maximum, class S>
__device__ S joined(S a, S b) {
  return maximum ? (a > b ? a : b) : a + b;
}

/// What the values of a team's threads become together, in each of them. `partial` has a value for
/// each warp.
template <int team, bool maximum, class S>
__device__ S reduced(S value, S* partial) {
  for (int lanes = 16; lanes > 0; lanes /= 2)
    value = joined<maximum>(value, __shfl_xor_sync(0xffffffffU, value, lanes));
  if constexpr (team > 32) {
    constexpr unsigned team_warps = team / 32;
    const unsigned warp = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) partial[warp] = value;
    __syncthreads();
    value = partial[warp / team_warps * team_warps];
    for (unsigned w = 1; w < team_warps; ++w)
      value = joined<maximum>(value, partial[warp / team_warps * team_warps + w]);
  }
  return value;
}

/// Both values, one after the other; `partial` has two rows of that.
template <Op op, int team, bool maximum, class S, int count>
__device__ Reduced<S> all_reduced(Reduced<S> values, S (&partial)[2][count]) {
  values.of_x = reduced<team, maximum>(values.of_x, partial[0]);
  if constexpr (reduces_two(op))
    values.of_gradient = reduced<team, false>(values.of_gradient, partial[1]);
  return values;
}

// An Op as an argument of a kernel: see stream.cu.
template <class Memory, std::uint8_t op_row, int team>
__global__ void __launch_bounds__(row_block_threads) rowwise_kernel(RowwiseArguments args) {
  using S = typename StorageOf<Memory>::Lanes::Chain;
  constexpr Op op{op_row};
  __shared__ S partial[2][2][team > 32 && reductions_of(op) > 0 ? warps : 1];
  RowThread<Memory, op, team> thread(args, here());
  Reduced<S> one{}, two{};
  if constexpr (reductions_of(op) > 0)
    one = all_reduced<op, team, reduces_to_maximum(op)>(thread.first(), partial[0]);
  if constexpr (reductions_of(op) > 1)
    two = all_reduced<op, team, false>(thread.second(one), partial[1]);
  thread.finish(one, two);
}

template <class Memory, class Result>
__global__ void __launch_bounds__(row_block_threads) column_sum_kernel(RowwiseArguments args) {
  using Thread = ColumnThread<Memory, Result>;
  __shared__ alignas(Vector) typename Thread::Sum shared[Thread::shared_sums];
  const Thread thread(args, here());
  thread.stage(shared);
  __syncthreads();
  thread.finish(shared);
}

template <class S>
__global__ void __launch_bounds__(row_block_threads) transpose_kernel(RowwiseArguments args) {
  __shared__ S shared[TransposeTile<S>::shared_elements];
  const TransposeTile<S> tile(args, here());
  tile.stage(shared);
  __syncthreads();
  tile.store(shared);
}

}  // namespace

std::vector<RowwiseKernel> rowwise_kernels() {
  std::vector<RowwiseKernel> rows;
  const auto add = [&](Op op, Dtype dtype, auto* kernel, bool sums_parts = false) {
    rows.push_back({op, dtype, 0, reinterpret_cast<const void*>(kernel), sums_parts});
  };
  add(Op::transpose, Dtype::fp32, &transpose_kernel<float>);
  add(Op::transpose, Dtype::fp64, &transpose_kernel<double>);
  add(Op::transpose, Dtype::bf16, &transpose_kernel<std::uint16_t>);
  for (const bool sums_parts : {false, true}) {
    add(Op::column_sum, Dtype::fp32, &column_sum_kernel<float, float>, sums_parts);
    add(Op::column_sum, Dtype::fp64, &column_sum_kernel<double, double>, sums_parts);
  }
  add(Op::column_sum, Dtype::bf16, &column_sum_kernel<WidenedBf16, float>);
  add(Op::column_sum, Dtype::bf16, &column_sum_kernel<float, WidenedBf16>, true);
  visit_rowwise([&]<class Memory, Op op, int team>() {
    rows.push_back({op, dtype_of<Memory>, team,
                    reinterpret_cast<const void*>(&rowwise_kernel<Memory, op.row, team>)});
  });
  return rows;
}

}  // namespace kernels::cuda
