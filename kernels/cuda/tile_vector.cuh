// The tile kernel on vector units: the same product with FMAs. A lane computes 4 x 4 elements of D;
// its four columns of B stay in registers, A is read from shared memory, 16 bytes at a time.
#pragma once

#include <cstring>

#include "kernels/case.hpp"
#include "kernels/cuda/arguments.hpp"

namespace kernels::cuda {

/// How a dtype is multiplied: `Word` is what one operand register holds, of `packed` elements.
template <Dtype dtype>
struct VectorUnits {
  using Word = float;
  using Sum = float;
  static constexpr int packed = 1;
  __device__ static Sum multiply_add(Word a, Word b, Sum c) { return fmaf(a, b, c); }
};
template <>
struct VectorUnits<Dtype::fp64> {
  using Word = double;
  using Sum = double;
  static constexpr int packed = 1;
  __device__ static Sum multiply_add(Word a, Word b, Sum c) { return fma(a, b, c); }
};
template <>
struct VectorUnits<Dtype::int8> {
  using Word = std::int32_t;
  using Sum = std::int32_t;
  static constexpr int packed = 4;
  __device__ static Sum multiply_add(Word a, Word b, Sum c) { return __dp4a(a, b, c); }
};

template <Dtype dtype>
struct VectorTile {
  using Units = VectorUnits<dtype>;
  using Word = typename Units::Word;
  using Sum = typename Units::Sum;
  static constexpr int depth = tile_depth(dtype) / Units::packed;  ///< words of a row of A
  static constexpr int vector_words = 16 / sizeof(Word);
  /// 16 bytes between rows put the four rows that a warp reads at once into different banks.
  static constexpr int row_words = depth + vector_words;
  /// Words that 16 bytes of A become: fp16 and bf16 widen to fp32.
  static constexpr int expanded = depth / 4;
  static constexpr int sum_columns = 16 / sizeof(Sum);  ///< columns that a lane stores at once

  __device__ static int row(int lane, int i) { return lane / 8 + 4 * i; }
  __device__ static int column(int lane, int j) {
    return j / sum_columns * 8 * sum_columns + lane % 8 * sum_columns + j % sum_columns;
  }

  /// Element `index` of 16-bit or wider elements, as a word.
  __device__ static Word element(const void* elements, int index) {
    if constexpr (dtype == Dtype::fp16 || dtype == Dtype::bf16) {
      return widen(static_cast<const std::uint16_t*>(elements)[index]);
    } else {
      return static_cast<const Word*>(elements)[index];
    }
  }

  __device__ static float widen(std::uint32_t bits) {
    if constexpr (dtype == Dtype::bf16) {
      return __uint_as_float(bits << 16);
    } else {
      return __half2float(__ushort_as_half(static_cast<unsigned short>(bits)));
    }
  }

  /// The k words of a column of B.
  __device__ static Word b_word(const void* b, int k, int col) {
    if constexpr (dtype == Dtype::int8) {
      const auto* bytes = static_cast<const std::uint8_t*>(b) + k * 4 * tile_columns + col;
      std::uint32_t word = 0;
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        word |= static_cast<std::uint32_t>(bytes[e * tile_columns]) << (8 * e);
      }
      return static_cast<Word>(word);
    } else {
      return element(b, k * static_cast<int>(tile_columns) + col);
    }
  }

  /// Brings two vectors of A into shared memory, as words.
  __device__ static void stage(Word (*shared)[row_words], const Vector (&loaded)[2], int lane) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int vector = lane + 32 * i;
      Word* const to = &shared[vector / 4][vector % 4 * expanded];
      if constexpr (dtype == Dtype::fp16 || dtype == Dtype::bf16) {
#pragma unroll
        for (int w = 0; w < 4; ++w) {
          to[2 * w] = widen(loaded[i].word[w] & 0xffffU);
          to[2 * w + 1] = widen(loaded[i].word[w] >> 16);
        }
      } else {
        *reinterpret_cast<Vector*>(to) = loaded[i];
      }
    }
  }

  /// sum += A b, once.
  __device__ static void multiply(Sum (&sum)[4][4], const Word (*shared)[row_words],
                                  const Word (&b)[depth][4], int lane) {
#pragma unroll
    for (int k = 0; k < depth; k += vector_words) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const Vector vector = *reinterpret_cast<const Vector*>(&shared[row(lane, i)][k]);
        Word a[vector_words];
        std::memcpy(a, &vector, sizeof(a));
#pragma unroll
        for (int v = 0; v < vector_words; ++v) {
#pragma unroll
          for (int j = 0; j < 4; ++j) sum[i][j] = Units::multiply_add(a[v], b[k + v][j], sum[i][j]);
        }
      }
    }
  }

  /// The vector of D that holds columns j.. of row i of a lane.
  __device__ static int place(int lane, int i, int j) {
    return (row(lane, i) * static_cast<int>(tile_columns) + column(lane, j)) / sum_columns;
  }

  __device__ static void load(Sum (&sum)[4][4], const Vector* tile, int lane) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
      for (int j = 0; j < 4; j += sum_columns) {
        const Vector vector = tile[place(lane, i, j)];
        std::memcpy(&sum[i][j], &vector, sizeof(vector));
      }
    }
  }

  __device__ static void store(Vector* tile, const Sum (&sum)[4][4], int lane) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
      for (int j = 0; j < 4; j += sum_columns) {
        Vector vector;
        std::memcpy(&vector, &sum[i][j], sizeof(vector));
        tile[place(lane, i, j)] = vector;
      }
    }
  }
};

template <Dtype dtype>
__global__ void __launch_bounds__(tile_threads) tile_vector_kernel(TileArguments args) {
  using Tile = VectorTile<dtype>;
  using Word = typename Tile::Word;
  using Sum = typename Tile::Sum;
  __shared__ alignas(16) Word staged[tile_warps][tile_rows][Tile::row_words];
  Word(*const shared)[Tile::row_words] = staged[threadIdx.x / 32];
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
  Vector next[2] = {};
  if (first < args.tiles) {
    next[0] = args.a[first * tile_a_vectors + lane];
    next[1] = args.a[first * tile_a_vectors + lane + 32];
  }
  for (std::uint64_t tile = first; tile < args.tiles; tile += stride) {
    __syncwarp();
    Tile::stage(shared, next, lane);
    __syncwarp();
    // The next tile is on its way while this one is multiplied.
    if (tile + stride < args.tiles) {
      next[0] = args.a[(tile + stride) * tile_a_vectors + lane];
      next[1] = args.a[(tile + stride) * tile_a_vectors + lane + 32];
    }
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
