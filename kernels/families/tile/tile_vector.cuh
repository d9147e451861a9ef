// The tile kernel on vector units: the same product with FMAs. A lane computes 4 x 4 elements of D;
// its four columns of B stay in registers, A is read from shared memory, 16 bytes at a time.
#pragma once

#include "kernels/families/tile/copy_queue.cuh"
#include "kernels/families/tile/tile.hpp"
#include "kernels/families/tile/tile_vector_body.hpp"

namespace kernels::cuda {

/// Tiles of A that a warp has under way: B of 16-bit types, widened, leaves registers for few
/// warps.
template <Dtype dtype>
inline constexpr int vector_tile_stages = size_of(dtype) == 2 ? 8 : 4;

/// Blocks of a multiprocessor that registers must suffice for. Left alone, ptxas 13.0 spills some
/// of doubles to save others.
template <Dtype dtype>
inline constexpr int vector_tile_blocks = size_of(dtype) == 2 ? 2 : 3;

template <Dtype dtype>
__global__ void __launch_bounds__(tile_threads, vector_tile_blocks<dtype>)
    tile_vector_kernel(TileArguments args) {
  using Tile = VectorTile<dtype>;
  using Word = typename Tile::Word;
  using Sum = typename Tile::Sum;
  __shared__ Vector staged[tile_warps][tile_rows][Tile::row_stride];
  Vector(*const shared)[Tile::row_stride] = staged[threadIdx.x / 32];
  using Queue = CopyQueue<vector_tile_stages<dtype>, 1>;
  __shared__ typename Queue::Storage copied[tile_warps];
  const int lane = threadIdx.x % 32;
  constexpr int d_vectors = tile_rows * tile_columns / Tile::sum_columns;
  auto* const d_tiles = static_cast<Vector*>(args.d);

  Word b[Tile::depth][4];
#pragma unroll
  for (int k = 0; k < Tile::depth; ++k) {
#pragma unroll
    for (int j = 0; j < 4; ++j) b[k][j] = Tile::b_word(args.b, k, Tile::column(lane, j));
  }
  const std::uint64_t first =
      static_cast<std::uint64_t>(blockIdx.x) * tile_warps + threadIdx.x / 32;
  const std::uint64_t stride = static_cast<std::uint64_t>(gridDim.x) * tile_warps;
  Queue queue(copied[threadIdx.x / 32], lane);
  const auto start = [&](int stage, std::uint64_t tile) {
    if (tile < args.tiles) queue.start(stage, 0, args.a + tile * tile_a_vectors);
    queue.close();
  };
#pragma unroll
  for (int i = 0; i < Queue::depth; ++i) start(i, first + i * stride);
  int oldest = 0;
  for (std::uint64_t tile = first; tile < args.tiles; tile += stride) {
    Vector loaded[lane_vectors];
    queue.wait();
    queue.take(oldest, 0, loaded);
    __syncwarp();
    Tile::stage(shared, loaded, lane);
    __syncwarp();
    // The next tiles are on their way while this one is multiplied.
    start(oldest, tile + Queue::depth * stride);
    oldest = oldest + 1 == Queue::depth ? 0 : oldest + 1;
    Sum sum[4][4] = {};
    if (args.accumulate) Tile::load(sum, d_tiles + tile * d_vectors, lane);
#pragma unroll 1
    for (std::uint32_t r = args.repeat; r != 0; --r) {
      // A is read again in every repeat: held in registers, its rows would push out B.
      asm volatile("" ::: "memory");
      Tile::multiply(sum, shared, b, lane);
    }
    Tile::store(d_tiles + tile * d_vectors, sum, lane);
  }
}

}  // namespace kernels::cuda
