// Bandwidth kernels.
#include "kernels/cuda/bodies/shared_body.hpp"
#include "kernels/cuda/bodies/stream_body.hpp"
#include "kernels/cuda/trials/tables.hpp"

namespace kernels::cuda {
namespace {

// Accesses of 32 bytes exist from compute capability 10.0 on.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 1000
constexpr bool has_wide = false;
#else
constexpr bool has_wide = true;
#endif

// Compilers before 12.9 (PTX ISA 8.8) would make two of 16 of them.
constexpr bool toolkit_has_wide = __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1209;

__device__ Place here() {
  return {blockIdx.x, threadIdx.x, static_cast<std::uint32_t>(block_threads)};
}

// The sum over a block's threads, stored by its first.
__device__ void store_sum(const ReadArguments& args, std::uint32_t sum) {
  __shared__ std::uint32_t warps[block_threads / 32];
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(0xffffffffU, sum, lanes);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < block_threads / 32; ++w) sum += warps[w];
    args.sums[blockIdx.x] = sum;
  }
}

// nvcc 13.0 writes host code that does not compile for a kernel with an Op as argument: hence its
// row.
template <std::uint8_t op_row, int in_flight, int width, StreamHint hint>
__global__ void __launch_bounds__(block_threads) stream_kernel(StreamArguments args) {
  if constexpr (width == 16 || has_wide) {
    stream_thread<Op{op_row}, in_flight, width, hint>(args, here(), gridDim.x);
  }
}

// Of Op::l2, too, whose hint tells it apart.
template <int in_flight, int width, StreamHint hint>
__global__ void __launch_bounds__(block_threads) read_kernel(ReadArguments args) {
  if constexpr (width == 16 || has_wide) {
    store_sum(args,
              stream_thread<Op::read, in_flight, width, hint>(args.stream, here(), gridDim.x));
  }
}

template <int in_flight>
__global__ void __launch_bounds__(block_threads) shared_kernel(ReadArguments args) {
  __shared__ Vector shared[shared_vectors];
  const Walk walk = shared_walk(args.stream, here(), gridDim.x);
  shared_stage(args.stream, walk, shared, here());
  __syncthreads();
  store_sum(args, shared_read<in_flight>(args.stream, walk, shared, here()));
}

template <int in_flight>
SharedKernel shared_row() {
  return {in_flight, reinterpret_cast<const void*>(&shared_kernel<in_flight>)};
}

}  // namespace

std::vector<StreamKernel> stream_kernels() {
  std::vector<StreamKernel> rows;
  visit_streams<toolkit_has_wide>([&]<Op op, int in_flight, int width, StreamHint hint>() {
    if constexpr (only_reads(op)) {
      rows.push_back({op, in_flight, width, hint,
                      reinterpret_cast<const void*>(&read_kernel<in_flight, width, hint>)});
    } else {
      rows.push_back(
          {op, in_flight, width, hint,
           reinterpret_cast<const void*>(&stream_kernel<op.row, in_flight, width, hint>)});
    }
  });
  return rows;
}

std::vector<SharedKernel> shared_kernels() {
  return {shared_row<4>(), shared_row<8>(), shared_row<2>(), shared_row<1>()};
}

}  // namespace kernels::cuda
