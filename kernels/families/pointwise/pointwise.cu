// Pointwise operators: one at a time, and several by a list.
#include <type_traits>

#include "kernels/cuda/trials/tables.hpp"
#include "kernels/families/pointwise/pointwise_body.hpp"

namespace kernels::cuda {
namespace {

__device__ Place here() {
  return {blockIdx.x, threadIdx.x, static_cast<std::uint32_t>(block_threads)};
}

// Left alone, ptxas gives the cosine of 32 elements of bf16 48 registers, and spills one. Four
// blocks of a multiprocessor have 64 KiB of loads under way. 0: ptxas chooses.
template <class Memory, class Operator>
constexpr int blocks_at_least =
    std::is_same_v<Memory, WidenedBf16>&& std::is_same_v<Operator, pointwise::cos> ? 4 : 0;

template <class Memory, class Operator>
__global__ void __launch_bounds__(block_threads, blocks_at_least<Memory, Operator>)
    pointwise_kernel(PointwiseArguments args) {
  pointwise_thread<Memory, Operator>(args, here());
}

// Three blocks of a multiprocessor have 48 KiB of loads under way, and need not spill.
template <class S>
__global__ void __launch_bounds__(block_threads, 3)
    pointwise_list_kernel(PointwiseListArguments args) {
  pointwise_list_thread<S>(args, here());
}

template <class Memory>
void add(std::vector<PointwiseKernel>& rows, Dtype dtype) {
  visit_operators([&]<class Operator>() {
    rows.push_back(
        {Operator::op, dtype, reinterpret_cast<const void*>(&pointwise_kernel<Memory, Operator>)});
  });
}

}  // namespace

std::vector<PointwiseKernel> pointwise_kernels() {
  std::vector<PointwiseKernel> rows;
  add<float>(rows, Dtype::fp32);
  add<double>(rows, Dtype::fp64);
  add<WidenedBf16>(rows, Dtype::bf16);
  return rows;
}

std::array<PointwiseListKernel, 2> pointwise_list_kernels() {
  return {{{Dtype::fp32, reinterpret_cast<const void*>(&pointwise_list_kernel<float>)},
           {Dtype::fp64, reinterpret_cast<const void*>(&pointwise_list_kernel<double>)}}};
}

}  // namespace kernels::cuda
