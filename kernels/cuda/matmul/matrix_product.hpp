// What a lane of a matrix product holds on matrix units: a warp computes 64 x 32 elements of C with
// mma.sync. Plain C++, so that tests run it on the host, with an mma in software.
#pragma once

#include <cstring>

#include "kernels/cuda/bodies/mma_layout.hpp"
#include "kernels/cuda/matmul/product_layout.hpp"

namespace kernels::cuda {

template <Dtype dtype, int architecture>
class MatrixProduct {
 public:
  using Word = typename MmaTypes<dtype>::Word;
  using Sum = typename MmaTypes<dtype>::Sum;
  static constexpr MmaShape shape = mma_shape(dtype, architecture);
  static constexpr int a_words = mma_a_operands(shape), b_words = shape.depth;
  static constexpr int bands = product_warp_rows / 16;  ///< of 16 rows, in A and C

  /// Accumulators by band and fragment, [half * 2 + column].
  Sum sum[bands][mma_fragments][4];

  RIDGEPOINT_BOTH void clear() {
#pragma unroll
    for (int i = 0; i < bands * mma_accumulators; ++i) sum[i / 16][i / 4 % 4][i % 4] = 0;
  }

  /// Operand registers of A for a band, step and part, in the order of the instruction.
  RIDGEPOINT_BOTH static void take_a(Word (&a)[a_words], const Slice& slice, int band, int step,
                                     int part, int thread) {
#pragma unroll
    for (int i = 0; i < a_words; ++i) {
      const MmaWord from = mma_a_operand(shape, step, part, i);
      const int line = first_row(thread) + 16 * band + mma_row(thread & 31, from.half);
      a[i] = word(slice.a, line, from.word, thread);
    }
  }
  /// Those of B for a fragment and step.
  RIDGEPOINT_BOTH static void take_b(Word (&b)[b_words], const Slice& slice, int fragment, int step,
                                     int thread) {
#pragma unroll
    for (int i = 0; i < b_words; ++i) {
      const int line = first_column(thread) + mma_b_column(thread & 31, fragment);
      b[i] = word(slice.b, line, step * shape.depth + i, thread);
    }
  }

  /// Adds the product of a slice; Mma::run(sum, a, b) is the instruction of a warp.
  template <class Mma>
  RIDGEPOINT_BOTH void multiply(const Slice& slice, int thread) {
#pragma unroll 1
    for (int step = 0; step < shape.steps(); ++step) {
      Word b[mma_fragments][b_words];
#pragma unroll
      for (int f = 0; f < mma_fragments; ++f) take_b(b[f], slice, f, step, thread);
#pragma unroll
      for (int band = 0; band < bands; ++band) {
#pragma unroll
        for (int part = 0; part < shape.parts(); ++part) {
          Word a[a_words];
          take_a(a, slice, band, step, part, thread);
#pragma unroll
          for (int f = 0; f < mma_fragments; ++f) Mma::run(sum[band][f] + 2 * part, a, b[f]);
        }
      }
    }
  }

  /// Adds the bias and takes relu, where there is one. Products of integers have none.
  RIDGEPOINT_BOTH void finish(const MatmulArguments& args, ProductTile tile, int thread) {
    if constexpr (dtype != Dtype::int8) {
      if (args.bias == nullptr) return;
#pragma unroll
      for (int f = 0; f < mma_fragments; ++f) {
#pragma unroll
        for (int x = 0; x < 2; ++x) {
          const int at = first_column(thread) + mma_d_column(thread & 31, f, x);
          const Sum bias = bias_at<Sum>(args, tile.column + static_cast<std::uint32_t>(at));
#pragma unroll
          for (int i = 0; i < bands * 2; ++i) {
            Sum& one = sum[i / 2][f][i % 2 * 2 + x];
            one = added_and_clipped(one, bias);
          }
        }
      }
    }
  }

  RIDGEPOINT_BOTH void store(const MatmulArguments& args, ProductTile tile, int thread) const {
    const bool pairs = args.n % 2 == 0;
#pragma unroll
    for (int i = 0; i < bands * 2; ++i) {
      const int in_tile = first_row(thread) + 16 * (i / 2) + mma_row(thread & 31, i % 2);
      const std::uint32_t row = tile.row + static_cast<std::uint32_t>(in_tile);
      if (row >= args.m) continue;
      Sum* const line = row_of_c<Sum>(args, tile.product, row);
#pragma unroll
      for (int f = 0; f < mma_fragments; ++f) {
        const int at = first_column(thread) + mma_d_column(thread & 31, f, 0);
        const std::uint32_t column = tile.column + static_cast<std::uint32_t>(at);
        const Sum* const from = sum[i / 2][f] + i % 2 * 2;
        store_pair(line, column, args.n, pairs, {from[0], from[1]});
      }
    }
  }

 private:
  struct alignas(2 * sizeof(Sum)) Pair {
    Sum first, second;
  };

  RIDGEPOINT_BOTH static int first_row(int thread) { return (thread >> 7) * product_warp_rows; }
  RIDGEPOINT_BOTH static int first_column(int thread) {
    return (thread >> 5 & 3) * product_warp_columns;
  }

  // A lane's word `index` of a line: every fourth one, so that eight lines lie in different banks.
  RIDGEPOINT_BOTH static Word word(const Vector* lines, int line, int index, int thread) {
    const int at = (thread & 3) + 4 * index;
    constexpr int in_piece = static_cast<int>(sizeof(Vector) / sizeof(Word));
    const Vector& piece = lines[piece_place(line, at / in_piece)];
    Word value;
    std::memcpy(&value,
                __builtin_assume_aligned(reinterpret_cast<const unsigned char*>(piece.word) +
                                             static_cast<std::size_t>(at % in_piece) * sizeof(Word),
                                         sizeof(Word)),
                sizeof(Word));
    return value;
  }

  // With an even number of columns, both of a pair lie in C or none, and pairs are aligned.
  RIDGEPOINT_BOTH static void store_pair(Sum* line, std::uint32_t column, std::uint32_t columns,
                                         bool pairs, Pair pair) {
    if (pairs) {
      if (column < columns) *reinterpret_cast<Pair*>(line + column) = pair;
      return;
    }
    if (column < columns) line[column] = pair.first;
    if (column + 1 < columns) line[column + 1] = pair.second;
  }
};

}  // namespace kernels::cuda
