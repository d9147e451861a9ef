// Bandwidth kernels.
#include "kernels/cuda/stream_body.hpp"
#include "kernels/cuda/tables.hpp"

namespace kernels::cuda {
namespace {

__device__ Place here() {
  return {blockIdx.x, threadIdx.x, static_cast<std::uint32_t>(block_threads)};
}

__global__ void __launch_bounds__(block_threads) write_kernel(StreamArguments args) {
  write_thread(args, here());
}

__global__ void __launch_bounds__(block_threads) copy_kernel(StreamArguments args) {
  copy_thread(args, here());
}

__global__ void __launch_bounds__(block_threads) triad_kernel(StreamArguments args) {
  triad_thread(args, here());
}

__global__ void __launch_bounds__(block_threads) read_kernel(ReadArguments args) {
  __shared__ std::uint32_t warps[block_threads / 32];
  std::uint32_t sum = read_thread(args.stream, here(), gridDim.x);
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(0xffffffffU, sum, lanes);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < block_threads / 32; ++w) sum += warps[w];
    args.sums[blockIdx.x] = sum;
  }
}

}  // namespace

StreamKernels stream_kernels() {
  return {reinterpret_cast<const void*>(&read_kernel), reinterpret_cast<const void*>(&write_kernel),
          reinterpret_cast<const void*>(&copy_kernel),
          reinterpret_cast<const void*>(&triad_kernel)};
}

}  // namespace kernels::cuda
