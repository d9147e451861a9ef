// What a lane of a matrix tile kernel loads and stores. Plain C++, so that tests run it on the
// host, with an mma in software.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/arithmetic.hpp"
#include "kernels/cuda/bodies/arguments.hpp"
#include "kernels/cuda/bodies/mma_layout.hpp"
#include "kernels/families/tile/tile.hpp"

namespace kernels::cuda {

/// A tile in the registers of one lane, for the mma that an architecture has for a dtype.
template <Dtype dtype, int architecture>
struct MatrixTile {
  using Word = typename MmaTypes<dtype>::Word;
  using Sum = typename MmaTypes<dtype>::Sum;
  static constexpr MmaShape shape = mma_shape(dtype, architecture);
  static constexpr int words = shape.lane_words();
  static constexpr int elements_per_word = static_cast<int>(sizeof(Word) / size_of(dtype));

  /// Two accumulators side by side in D, and in the registers of an mma.
  struct alignas(2 * sizeof(Sum)) Pair {
    Sum first, second;
  };

  /// A lane's words of B, by fragment; gathered from k x 32 elements.
  struct B {
    Word word[mma_fragments][words];

    RIDGEPOINT_BOTH B(const void* b, int lane) {
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

    A() = default;
    RIDGEPOINT_BOTH A(const Vector* tile, int lane, std::uint32_t zero)
        : A({tile[vector_of(lane, 0)], tile[vector_of(lane, 1)]}, zero) {}
    /// The vectors of a tile that a lane holds: `lane` and `lane` + 32.
    RIDGEPOINT_BOTH static constexpr int vector_of(int lane, int half) {
      return mma_row(lane, half) * 4 + lane % 4;
    }
    /// `zero` is 0, which the compiler must not know: a 16-byte load leaves the words in another
    /// order than an mma wants them, and ptxas would redo the moves before every mma. It cannot
    /// redo an xor.
    RIDGEPOINT_BOTH A(const Vector (&loaded)[2], std::uint32_t zero) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        std::memcpy(word[half], &loaded[half], sizeof(loaded[half]));
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

    RIDGEPOINT_BOTH void clear() {
#pragma unroll
      for (int i = 0; i < mma_accumulators; ++i) sum[i / 4][i % 4] = 0;
    }

    RIDGEPOINT_BOTH void load(const Pair* tile, int lane) {
      const Pair* const first = tile + start(lane);
#pragma unroll
      for (int i = 0; i < 2 * mma_fragments; ++i) {
        const Pair pair = first[offset(i)];
        sum[i / 2][i % 2 * 2] = pair.first;
        sum[i / 2][i % 2 * 2 + 1] = pair.second;
      }
    }

    RIDGEPOINT_BOTH void store(Pair* tile, int lane) const {
      Pair* const first = tile + start(lane);
#pragma unroll
      for (int i = 0; i < 2 * mma_fragments; ++i) {
        first[offset(i)] = {sum[i / 2][i % 2 * 2], sum[i / 2][i % 2 * 2 + 1]};
      }
    }

   private:
    // A lane's first pair of a tile, and how far from it the pair in half i % 2 of fragment i / 2
    // is.
    RIDGEPOINT_BOTH static int start(int lane) {
      return mma_row(lane, 0) * row_pairs + mma_d_column(lane, 0, 0) / 2;
    }
    RIDGEPOINT_BOTH static constexpr int offset(int i) {
      return mma_row(0, i % 2) * row_pairs + mma_d_column(0, i / 2, 0) / 2;
    }
    static constexpr int row_pairs = static_cast<int>(tile_columns) / 2;
  };

  /// Operand registers of A for step s and part p, in the order of the instruction.
  RIDGEPOINT_BOTH static void a_operands(Word (&operands)[mma_a_operands(shape)], const A& a, int s,
                                         int part) {
#pragma unroll
    for (int i = 0; i < mma_a_operands(shape); ++i) {
      const MmaWord from = mma_a_operand(shape, s, part, i);
      operands[i] = a.word[from.half][from.word];
    }
  }
};

}  // namespace kernels::cuda
