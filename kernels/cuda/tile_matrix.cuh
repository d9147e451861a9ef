// The tile kernels on matrix units: a warp multiplies two tiles at a time, with B in registers.
#pragma once

#include <cstring>
#include <type_traits>

#include "kernels/cuda/arguments.hpp"
#include "kernels/cuda/mma.cuh"

namespace kernels::cuda {

template <Dtype dtype>
struct MatrixTile {
  using Word = typename Mma<dtype>::Word;
  using Sum = typename Mma<dtype>::Sum;
  static constexpr MmaShape shape = mma_shape(dtype, this_architecture);
  static constexpr int words = shape.lane_words();
  static constexpr int elements_per_word = static_cast<int>(sizeof(Word) / size_of(dtype));

  /// Two accumulators side by side in D, and in the registers of an mma.
  struct alignas(2 * sizeof(Sum)) Pair {
    Sum first, second;
  };

  /// A lane's words of B, by fragment; gathered from k x 32 elements.
  struct B {
    Word word[mma_fragments][words];

    __device__ B(const void* b, int lane) {
      const auto* bytes = static_cast<const unsigned char*>(__builtin_assume_aligned(b, 16));
#pragma unroll
      for (int f = 0; f < mma_fragments; ++f) {
        const int column = mma_b_column(lane, f);
#pragma unroll
        for (int w = 0; w < words; ++w) {
          const int row = mma_word(lane, w, shape) * elements_per_word;
          unsigned char packed[sizeof(Word)];
#pragma unroll
          for (int e = 0; e < elements_per_word; ++e) {
            std::memcpy(
                packed + e * size_of(dtype),
                __builtin_assume_aligned(
                    bytes + ((row + e) * tile_columns + column) * size_of(dtype), size_of(dtype)),
                size_of(dtype));
          }
          std::memcpy(&word[f][w], packed, sizeof(Word));
        }
      }
    }
  };

  /// A lane's words of one tile of A: row lane / 4 and the row 8 below.
  struct A {
    Word word[2][words];

    /// `zero` is 0, which the compiler must not know: a 16-byte load leaves the words in another
    /// order than an mma wants them, and ptxas would redo the moves before every mma. It cannot
    /// redo an xor.
    __device__ A(const Vector* tile, int lane, std::uint32_t zero) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const Vector vector = tile[mma_row(lane, half) * 4 + lane % 4];
        std::memcpy(word[half], &vector, sizeof(vector));
#pragma unroll
        for (int w = 0; w < words; ++w) {
          if constexpr (!std::is_floating_point_v<Word>) word[half][w] ^= zero;
        }
      }
    }
  };

  /// A lane's accumulators of one tile, [fragment][half * 2 + column].
  struct D {
    Sum sum[mma_fragments][4];

    __device__ void clear() {
#pragma unroll
      for (int i = 0; i < mma_accumulators; ++i) sum[i / 4][i % 4] = 0;
    }

    __device__ void load(const Pair* tile, int lane) {
#pragma unroll
      for (int i = 0; i < 2 * mma_fragments; ++i) {
        const Pair pair = tile[place(i, lane)];
        sum[i / 2][i % 2 * 2] = pair.first;
        sum[i / 2][i % 2 * 2 + 1] = pair.second;
      }
    }

    __device__ void store(Pair* tile, int lane) const {
#pragma unroll
      for (int i = 0; i < 2 * mma_fragments; ++i) {
        tile[place(i, lane)] = {sum[i / 2][i % 2 * 2], sum[i / 2][i % 2 * 2 + 1]};
      }
    }

   private:
    // Of the pair in half i % 2 of fragment i / 2.
    __device__ static int place(int i, int lane) {
      const int column = mma_d_column(lane, i / 2, 0);
      return (mma_row(lane, i % 2) * static_cast<int>(tile_columns) + column) / 2;
    }
  };

  /// d += a b
  __device__ static void multiply(D& d, const A& a, const B& b) {
#pragma unroll
    for (int s = 0; s < shape.steps(); ++s) {
#pragma unroll
      for (int f = 0; f < mma_fragments; ++f) {
#pragma unroll
        for (int part = 0; part < shape.parts(); ++part) {
          Word operand[2 * shape.depth];
#pragma unroll
          for (int j = 0; j < shape.depth; ++j) {
            if (shape.rows == 16) {
              operand[2 * j] = a.word[0][s * shape.depth + j];
              operand[2 * j + 1] = a.word[1][s * shape.depth + j];
            } else {
              operand[j] = a.word[part][s * shape.depth + j];
            }
          }
          Mma<dtype>::run(d.sum[f] + 2 * part, operand, b.word[f] + s * shape.depth);
        }
      }
    }
  }

  __device__ static void repeat_multiply(D (&d)[warp_tiles], const A (&a)[warp_tiles], const B& b,
                                         std::uint32_t repeat) {
#pragma unroll 1
    for (; repeat != 0; --repeat) {
#pragma unroll
      for (int t = 0; t < warp_tiles; ++t) multiply(d[t], a[t], b);
    }
  }
};

template <Dtype dtype>
__global__ void __launch_bounds__(tile_threads) tile_matrix_kernel(TileArguments args) {
  if constexpr (mma_shape(dtype, this_architecture).native()) {
    using Tile = MatrixTile<dtype>;
    const int lane = threadIdx.x % 32;
    const typename Tile::B b(args.b, lane);
    auto* const d_tiles = static_cast<typename Tile::Pair*>(args.d);
    constexpr int pairs = tile_rows * tile_columns / 2;
    constexpr int block_tiles = tile_warps * warp_tiles;
    const std::uint64_t last = args.tiles - 1;
    // All warps of a block take every turn: a branch on the warp would cost the compiler its proof
    // that the warp is whole at each mma, and a hundred register moves. Turns beyond the last tile
    // compute that one again and do not store it.
    for (std::uint64_t turn = static_cast<std::uint64_t>(blockIdx.x) * block_tiles; turn <= last;
         turn += static_cast<std::uint64_t>(gridDim.x) * block_tiles) {
      const std::uint64_t first = turn + threadIdx.x / 32 * warp_tiles;
      const std::uint64_t tile[warp_tiles] = {min(first, last), min(first + 1, last)};
      const typename Tile::A a[warp_tiles] = {{args.a + tile[0] * tile_a_vectors, lane, args.zero},
                                              {args.a + tile[1] * tile_a_vectors, lane, args.zero}};
      typename Tile::D d[warp_tiles];
#pragma unroll
      for (int t = 0; t < warp_tiles; ++t) {
        d[t].clear();
        if (args.accumulate) d[t].load(d_tiles + tile[t] * pairs, lane);
      }
      Tile::repeat_multiply(d, a, b, args.repeat);
#pragma unroll
      for (int t = 0; t < warp_tiles; ++t) {
        if (first + t <= last) d[t].store(d_tiles + tile[t] * pairs, lane);
      }
    }
  }
}

template <Dtype dtype>
__global__ void __launch_bounds__(tile_threads) peak_matrix_kernel(MatrixPeakArguments args) {
  if constexpr (mma_shape(dtype, this_architecture).native()) {
    using Tile = MatrixTile<dtype>;
    const int lane = threadIdx.x % 32;
    const typename Tile::B b(args.b, lane);
    const std::uint64_t warp = (args.first_block + blockIdx.x) * tile_warps + threadIdx.x / 32;
    const std::uint64_t tile = warp * warp_tiles;
    const typename Tile::A a[warp_tiles] = {
        {args.a + (tile & args.tile_mask) * tile_a_vectors, lane, args.zero},
        {args.a + ((tile + 1) & args.tile_mask) * tile_a_vectors, lane, args.zero}};
    typename Tile::D d[warp_tiles];
    d[0].clear();
    d[1].clear();
    Tile::repeat_multiply(d, a, b, args.repeat);
    // A run-time choice keeps every accumulator alive at the price of one store.
    typename Tile::Sum picked = 0;
#pragma unroll
    for (int i = 0; i < warp_tiles * mma_accumulators; ++i) {
      const int r = i % mma_accumulators;
      if (i == static_cast<int>(args.pick)) picked = d[i / mma_accumulators].sum[r / 4][r % 4];
    }
    static_cast<typename Tile::Sum*>(args.out)[warp * 32 + lane] = picked;
  }
}

}  // namespace kernels::cuda
