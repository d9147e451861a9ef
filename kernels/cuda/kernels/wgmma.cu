// Matrix peak of Hopper: warpgroup instructions on operands in shared memory. Compiled for 9.0a
// alone, whose instructions no other architecture has.
#include "kernels/cuda/bodies/mma_layout.hpp"
#include "kernels/cuda/bodies/wgmma_body.hpp"
#include "kernels/cuda/kernels/wgmma.cuh"
#include "kernels/cuda/trials/tables.hpp"
#include "kernels/families/peak/matrix_peak_body.hpp"
#include "kernels/families/tile/tile.hpp"

namespace kernels::cuda {
namespace {

// Instructions in flight: the tensor cores never wait for the next one to be issued.
constexpr int in_flight = 4;

__device__ std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

/// A of a unit: in shared memory, or in the registers of the warpgroup.
template <bool in_registers>
struct WgmmaA;

template <>
struct WgmmaA<false> {
  std::uint64_t descriptor, step;

  __device__ WgmmaA(const Vector* tiles, unsigned char* shared, WgmmaLayout layout)
      : descriptor(wgmma_descriptor(layout) | wgmma_address(shared_address(shared))),
        step(wgmma_step(layout)) {
    wgmma_stage_a(shared, tiles, layout, static_cast<int>(threadIdx.x));
  }
  __device__ std::uint64_t operator[](int s) const { return descriptor + s * step; }
};

template <>
struct WgmmaA<true> {
  std::uint32_t words[wgmma_steps][wgmma_a_operands];

  __device__ WgmmaA(const Vector* tiles, unsigned char*, WgmmaLayout) {
    wgmma_load_a(words, tiles, static_cast<int>(threadIdx.x));
  }
  __device__ const std::uint32_t* operator[](int s) const { return words[s]; }
};

template <Dtype dtype, int n, bool a_in_registers>
__global__ void __launch_bounds__(wgmma_threads) wgmma_peak_kernel(MatrixPeakArguments args) {
  using Sum = typename MmaTypes<dtype>::Sum;
  constexpr int count = wgmma_accumulators(n);
  constexpr int unit_tiles = wgmma_rows / static_cast<int>(tile_rows);
  __shared__ alignas(1024) unsigned char a_shared[wgmma_rows * tile_row_bytes];
  __shared__ alignas(1024) unsigned char b_shared[n * tile_row_bytes];
  const auto thread = static_cast<int>(threadIdx.x);
  wgmma_stage_b<dtype>(b_shared, args.b, n, args.layout, thread);
  const std::uint64_t b = wgmma_descriptor(args.layout) | wgmma_address(shared_address(b_shared));
  const std::uint64_t b_step = wgmma_step(args.layout);
  for (std::uint64_t unit = blockIdx.x; unit < args.units; unit += gridDim.x) {
    const std::uint64_t tile = (args.first_unit + unit) * unit_tiles & args.tile_mask;
    const WgmmaA<a_in_registers> a(args.a + tile * tile_a_vectors, a_shared, args.layout);
    wgmma_publish();
    __syncthreads();
    Sum d[count];
#pragma unroll
    for (int i = 0; i < count; ++i) d[i] = 0;
#pragma unroll 1
    for (std::uint32_t repeat = args.repeat; repeat != 0; --repeat) {
      wgmma_fence();
#pragma unroll
      for (int s = 0; s < wgmma_steps; ++s) {
        Wgmma<dtype, n>::run(d, a[s], b + s * b_step);
        wgmma_commit();
        wgmma_wait<in_flight - 1>();
      }
    }
    wgmma_wait<0>();
    store_accumulators(args, args.first_unit + unit, thread, d);
    // Nobody still reads the rows of A that the next turn replaces.
    __syncthreads();
  }
}

template <Dtype dtype, int n, bool a_in_registers>
WgmmaKernel row() {
  return {dtype, n, a_in_registers,
          reinterpret_cast<const void*>(&wgmma_peak_kernel<dtype, n, a_in_registers>)};
}

template <Dtype dtype>
void add_rows(std::vector<WgmmaKernel>& rows) {
  rows.insert(rows.end(),
              {row<dtype, 256, false>(), row<dtype, 256, true>(), row<dtype, 128, false>(),
               row<dtype, 128, true>(), row<dtype, 64, false>(), row<dtype, 64, true>(),
               row<dtype, 32, false>(), row<dtype, 32, true>()});
}

}  // namespace

std::vector<WgmmaKernel> wgmma_kernels() {
  std::vector<WgmmaKernel> rows;
  add_rows<Dtype::tf32>(rows);
  add_rows<Dtype::fp16>(rows);
  add_rows<Dtype::bf16>(rows);
  add_rows<Dtype::fp8>(rows);
  add_rows<Dtype::int8>(rows);
  return rows;
}

}  // namespace kernels::cuda
