// Tile and peak kernels on matrix units with mma.sync: a warp multiplies several tiles at a time,
// with B in registers.
#pragma once

#include "kernels/cuda/bodies/arguments.hpp"
#include "kernels/cuda/kernels/mma.cuh"
#include "kernels/families/peak/matrix_peak_body.hpp"
#include "kernels/families/tile/copy_queue.cuh"
#include "kernels/families/tile/tile.hpp"
#include "kernels/families/tile/tile_matrix_body.hpp"

namespace kernels::cuda {

template <Dtype dtype>
using ThisTile = MatrixTile<dtype, this_architecture>;

/// d += a b
template <Dtype dtype>
__device__ void multiply(typename ThisTile<dtype>::D& d, const typename ThisTile<dtype>::A& a,
                         const typename ThisTile<dtype>::B& b) {
  using Tile = ThisTile<dtype>;
#pragma unroll
  for (int s = 0; s < Tile::shape.steps(); ++s) {
#pragma unroll
    for (int f = 0; f < mma_fragments; ++f) {
#pragma unroll
      for (int part = 0; part < Tile::shape.parts(); ++part) {
        typename Tile::Word operands[mma_a_operands(Tile::shape)];
        Tile::a_operands(operands, a, s, part);
        Mma<dtype>::run(d.sum[f] + 2 * part, operands, b.word[f] + s * Tile::shape.depth);
      }
    }
  }
}

template <Dtype dtype, int tiles>
__device__ void repeat_multiply(typename ThisTile<dtype>::D (&d)[tiles],
                                const typename ThisTile<dtype>::A (&a)[tiles],
                                const typename ThisTile<dtype>::B& b, std::uint32_t repeat) {
#pragma unroll 1
  for (; repeat != 0; --repeat) {
#pragma unroll
    for (int t = 0; t < tiles; ++t) multiply<dtype>(d[t], a[t], b);
  }
}

/// Turns of A that a warp has under way.
inline constexpr int matrix_tile_stages = 2;

template <Dtype dtype>
__global__ void __launch_bounds__(tile_threads) tile_matrix_kernel(TileArguments args) {
  if constexpr (mma_shape(dtype, this_architecture).native()) {
    using Tile = ThisTile<dtype>;
    const int lane = threadIdx.x % 32;
    const typename Tile::B b(args.b, lane);
    auto* const d_tiles = static_cast<typename Tile::Pair*>(args.d);
    constexpr int pairs = tile_rows * tile_columns / 2;
    constexpr int block_tiles = tile_warps * warp_tiles;
    const std::uint64_t last = args.tiles - 1;
    // All warps of a block take every turn: a branch on the warp would cost the compiler its proof
    // that the warp is whole at each mma, and a hundred register moves. Turns beyond the last tile
    // compute that one again and do not store it.
    const std::uint64_t step = static_cast<std::uint64_t>(gridDim.x) * block_tiles;
    using Queue = CopyQueue<matrix_tile_stages, warp_tiles>;
    __shared__ typename Queue::Storage copied[tile_warps];
    Queue queue(copied[threadIdx.x / 32], lane);
    const auto start = [&](int stage, std::uint64_t turn) {
#pragma unroll
      for (int t = 0; t < warp_tiles && turn <= last; ++t) {
        const std::uint64_t tile = min(turn + threadIdx.x / 32 * warp_tiles + t, last);
        queue.start(stage, t, args.a + tile * tile_a_vectors);
      }
      queue.close();
    };
    const std::uint64_t begin = static_cast<std::uint64_t>(blockIdx.x) * block_tiles;
#pragma unroll
    for (int i = 0; i < Queue::depth; ++i) start(i, begin + i * step);
    int oldest = 0;
    for (std::uint64_t turn = begin; turn <= last; turn += step) {
      const std::uint64_t first = turn + threadIdx.x / 32 * warp_tiles;
      const std::uint64_t tile[warp_tiles] = {min(first, last), min(first + 1, last)};
      Vector loaded[warp_tiles][lane_vectors];
      queue.wait();
#pragma unroll
      for (int t = 0; t < warp_tiles; ++t) queue.take(oldest, t, loaded[t]);
      const typename Tile::A a[warp_tiles] = {{loaded[0], args.zero}, {loaded[1], args.zero}};
      // The next tiles are on their way while these are multiplied.
      start(oldest, turn + Queue::depth * step);
      oldest = oldest + 1 == Queue::depth ? 0 : oldest + 1;
      typename Tile::D d[warp_tiles];
#pragma unroll
      for (int t = 0; t < warp_tiles; ++t) {
        d[t].clear();
        if (args.accumulate) d[t].load(d_tiles + tile[t] * pairs, lane);
      }
      repeat_multiply<dtype>(d, a, b, args.repeat);
#pragma unroll
      for (int t = 0; t < warp_tiles; ++t) {
        if (first + t <= last) d[t].store(d_tiles + tile[t] * pairs, lane);
      }
    }
  }
}

// One block per multiprocessor is promised, so that ptxas takes the registers it needs: left alone
// it saves some of sm_90's and spills B instead, for doubles.
template <Dtype dtype, int tiles>
__global__ void __launch_bounds__(tile_threads, 1) peak_matrix_kernel(MatrixPeakArguments args) {
  if constexpr (mma_shape(dtype, this_architecture).native()) {
    using Tile = ThisTile<dtype>;
    const auto thread = static_cast<int>(threadIdx.x);
    const typename Tile::B b(args.b, thread % 32);
    for (std::uint64_t turn = blockIdx.x; turn < args.units; turn += gridDim.x) {
      const std::uint64_t unit = args.first_unit + turn;
      const std::uint64_t first = (unit * tile_warps + threadIdx.x / 32) * tiles;
      typename Tile::A a[tiles];
      typename Tile::D d[tiles];
#pragma unroll
      for (int t = 0; t < tiles; ++t) {
        const Vector* const tile = args.a + (first + t & args.tile_mask) * tile_a_vectors;
        a[t] = typename Tile::A(tile, thread % 32, args.zero);
        d[t].clear();
      }
      repeat_multiply<dtype>(d, a, b, args.repeat);
      typename Tile::Sum sums[tiles * mma_accumulators];
#pragma unroll
      for (int i = 0; i < tiles * mma_accumulators; ++i) {
        sums[i] = d[i / mma_accumulators].sum[i % mma_accumulators / 4][i % 4];
      }
      store_accumulators(args, unit, thread, sums);
    }
  }
}

}  // namespace kernels::cuda
