// Pointwise operators: one at a time, and several by a list.
#include "kernels/cuda/bodies/pointwise_body.hpp"
#include "kernels/cuda/trials/tables.hpp"

namespace kernels::cuda {
namespace {

__device__ Place here() {
  return {blockIdx.x, threadIdx.x, static_cast<std::uint32_t>(block_threads)};
}

template <class Memory, class Operator>
__global__ void __launch_bounds__(block_threads) pointwise_kernel(PointwiseArguments args) {
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
