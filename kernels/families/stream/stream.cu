// Bandwidth kernels.
#include "kernels/cuda/trials/tables.hpp"
#include "kernels/families/stream/ring_body.hpp"
#include "kernels/families/stream/stream_body.hpp"

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

template <int threads>
__device__ Place here() {
  return {blockIdx.x, threadIdx.x, static_cast<std::uint32_t>(threads)};
}

// The sum over each warp, stored by its first thread: one for the block would make all warps wait.
template <int threads>
__device__ void store_sums(std::uint32_t* sums, std::uint32_t sum) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  sum = __reduce_add_sync(0xffffffffU, sum);
#else
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(0xffffffffU, sum, lanes);
#endif
  const std::uint64_t warp = static_cast<std::uint64_t>(blockIdx.x) * (threads / 32);
  if (threadIdx.x % 32 == 0) sums[warp + threadIdx.x / 32] = sum;
}

// nvcc 13.0 writes host code that does not compile for a kernel with an Op as argument: hence its
// row.
template <std::uint8_t op_row, int in_flight, int width>
__global__ void __launch_bounds__(block_threads) stream_kernel(StreamArguments args) {
  if constexpr (width == 16 || has_wide) {
    stream_thread<Op{op_row}, in_flight, width>(args, here<block_threads>());
  }
}

template <int in_flight, int width>
__global__ void __launch_bounds__(block_threads) read_kernel(ReadArguments args) {
  if constexpr (width == 16 || has_wide) {
    const Place place = here<block_threads>();
    store_sums<block_threads>(args.sums,
                              stream_thread<Op::read, in_flight, width>(args.stream, place));
  }
}

template <std::uint8_t op_row, int in_flight, bool past_l1>
__global__ void __launch_bounds__(ring_threads) ring_kernel(RingArguments args) {
  const std::uint32_t sum =
      ring_thread<Op{op_row}, in_flight, past_l1>(args, here<ring_threads>(), gridDim.x);
  if constexpr (only_reads(Op{op_row})) store_sums<ring_threads>(args.sums, sum);
}

template <int in_flight>
__global__ void __launch_bounds__(ring_threads) shared_kernel(RingArguments args) {
  __shared__ Vector shared[shared_vectors];
  const Place place = here<ring_threads>();
  const Ring ring(args, place, gridDim.x);
  shared_stage(args, ring, shared, place);
  __syncthreads();
  store_sums<ring_threads>(args.sums, shared_read<in_flight>(args, ring, shared, place));
}

template <int in_flight>
RingKernel shared_row() {
  return {Op::shared, in_flight, reinterpret_cast<const void*>(&shared_kernel<in_flight>)};
}

}  // namespace

std::vector<StreamKernel> stream_kernels() {
  std::vector<StreamKernel> rows;
  visit_streams<toolkit_has_wide>([&]<Op op, int in_flight, int width>() {
    if constexpr (only_reads(op)) {
      rows.push_back(
          {op, in_flight, width, reinterpret_cast<const void*>(&read_kernel<in_flight, width>)});
    } else {
      rows.push_back({op, in_flight, width,
                      reinterpret_cast<const void*>(&stream_kernel<op.row, in_flight, width>)});
    }
  });
  return rows;
}

std::vector<RingKernel> ring_kernels() {
  std::vector<RingKernel> rows{shared_row<4>(), shared_row<8>()};
  visit_rings([&]<Op op, int in_flight, bool past_l1>() {
    rows.push_back(
        {op, in_flight, reinterpret_cast<const void*>(&ring_kernel<op.row, in_flight, past_l1>)});
  });
  return rows;
}

}  // namespace kernels::cuda
