// What a lane of a vector tile kernel does. Plain C++, so that tests run it on the host, lane by
// lane.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "kernels/arithmetic.hpp"
#include "kernels/case.hpp"
#include "kernels/cuda/bodies/arguments.hpp"
#include "kernels/dtypes.hpp"
#include "kernels/families/tile/tile.hpp"
#if defined(__CUDACC__)
#include <cuda_fp16.h>
#endif

namespace kernels::cuda {

RIDGEPOINT_BOTH inline float from_fp16(std::uint16_t bits) {
#if defined(__CUDA_ARCH__)
  return __half2float(__ushort_as_half(bits));
#else
  return static_cast<float>(decode(Dtype::fp16, bits));
#endif
}

/// How a dtype is multiplied: `Word` is what one operand register holds, of `packed` elements.
template <Dtype dtype>
struct VectorUnits {
  using Word = float;
  using Sum = float;
  static constexpr int packed = 1;
  RIDGEPOINT_BOTH static Sum multiply_add(Word a, Word b, Sum c) { return fmaf(a, b, c); }
};
template <>
struct VectorUnits<Dtype::fp64> {
  using Word = double;
  using Sum = double;
  static constexpr int packed = 1;
  RIDGEPOINT_BOTH static Sum multiply_add(Word a, Word b, Sum c) { return fma(a, b, c); }
};
template <>
struct VectorUnits<Dtype::int8> {
  using Word = std::int32_t;
  using Sum = std::int32_t;
  static constexpr int packed = 4;
  RIDGEPOINT_BOTH static Sum multiply_add(Word a, Word b, Sum c) {
#if defined(__CUDA_ARCH__)
    return __dp4a(a, b, c);
#else
    for (int e = 0; e < 4; ++e) c += byte(a, e) * byte(b, e);
    return c;
#endif
  }
  RIDGEPOINT_BOTH static std::int32_t byte(Word word, int e) {
    return static_cast<std::int8_t>(static_cast<std::uint32_t>(word) >> (8 * e));
  }
};

template <Dtype dtype>
struct VectorTile {
  using Units = VectorUnits<dtype>;
  using Word = typename Units::Word;
  using Sum = typename Units::Sum;
  static constexpr int depth = tile_depth(dtype) / Units::packed;  ///< words of a row of A
  static constexpr int vector_words = 16 / sizeof(Word);
  /// Vectors from row to row in shared memory: one more than a row has puts the four rows that a
  /// warp reads at once into different banks.
  static constexpr int row_stride = depth / vector_words + 1;
  /// Vectors that 16 bytes of A become: fp16 and bf16 widen to fp32.
  static constexpr int expanded = depth / vector_words / 4;
  static constexpr int sum_columns = 16 / sizeof(Sum);  ///< columns that a lane stores at once

  RIDGEPOINT_BOTH static constexpr int row(int lane, int i) { return lane / 8 + 4 * i; }
  RIDGEPOINT_BOTH static constexpr int column(int lane, int j) {
    return j / sum_columns * 8 * sum_columns + lane % 8 * sum_columns + j % sum_columns;
  }

  /// Element `index` of 16-bit or wider elements, as a word.
  RIDGEPOINT_BOTH static Word element(const void* elements, int index) {
    if constexpr (dtype == Dtype::fp16 || dtype == Dtype::bf16) {
      return widen(static_cast<const std::uint16_t*>(elements)[index]);
    } else {
      return static_cast<const Word*>(elements)[index];
    }
  }

  RIDGEPOINT_BOTH static float widen(std::uint32_t bits) {
    if constexpr (dtype == Dtype::bf16) {
      const std::uint32_t wide = bits << 16;
      float value;
      std::memcpy(&value, &wide, sizeof(value));
      return value;
    } else {
      return from_fp16(static_cast<std::uint16_t>(bits));
    }
  }

  /// The k words of a column of B.
  RIDGEPOINT_BOTH static Word b_word(const void* b, int k, int col) {
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
  RIDGEPOINT_BOTH static void stage(Vector (*shared)[row_stride], const Vector (&loaded)[2],
                                    int lane) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int vector = lane + 32 * i;
      Vector* const to = &shared[vector / 4][vector % 4 * expanded];
      if constexpr (dtype == Dtype::fp16 || dtype == Dtype::bf16) {
        Word wide[8];
#pragma unroll
        for (int e = 0; e < 8; ++e)
          wide[e] = widen(loaded[i].word[e / 2] >> (16 * (e % 2)) & 0xffffU);
        std::memcpy(&to[0], &wide[0], sizeof(Vector));
        std::memcpy(&to[1], &wide[4], sizeof(Vector));
      } else {
        to[0] = loaded[i];
      }
    }
  }

  /// sum += A b, once.
  RIDGEPOINT_BOTH static void multiply(Sum (&sum)[4][4], const Vector (*shared)[row_stride],
                                       const Word (&b)[depth][4], int lane) {
#pragma unroll
    for (int k = 0; k < depth; k += vector_words) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const Vector vector = shared[row(lane, i)][k / vector_words];
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

  /// A lane's first vector of a tile of D, and how far from it that of row i, columns j.. is.
  RIDGEPOINT_BOTH static int start(int lane) {
    return row(lane, 0) * row_vectors + column(lane, 0) / sum_columns;
  }
  RIDGEPOINT_BOTH static constexpr int offset(int i, int j) {
    return row(0, i) * row_vectors + column(0, j) / sum_columns;
  }
  static constexpr int row_vectors = static_cast<int>(tile_columns) / sum_columns;

  RIDGEPOINT_BOTH static void load(Sum (&sum)[4][4], const Vector* tile, int lane) {
    const Vector* const first = tile + start(lane);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
      for (int j = 0; j < 4; j += sum_columns) {
        const Vector vector = first[offset(i, j)];
        std::memcpy(&sum[i][j], &vector, sizeof(vector));
      }
    }
  }

  RIDGEPOINT_BOTH static void store(Vector* tile, const Sum (&sum)[4][4], int lane) {
    Vector* const first = tile + start(lane);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
      for (int j = 0; j < 4; j += sum_columns) {
        Vector vector;
        std::memcpy(&vector, &sum[i][j], sizeof(vector));
        first[offset(i, j)] = vector;
      }
    }
  }
};

}  // namespace kernels::cuda
