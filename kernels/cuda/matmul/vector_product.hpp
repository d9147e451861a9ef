// What a thread of a matrix product does on vector units: 8 x 8 elements of C. Plain C++, so that
// tests run it on the host.
#pragma once

#include <cstring>

#include "kernels/cuda/matmul/product_layout.hpp"
#include "kernels/families/tile/tile_vector_body.hpp"

namespace kernels::cuda {

template <Dtype dtype>
class VectorProduct {
 public:
  using Units = VectorUnits<dtype>;
  using Word = typename Units::Word;
  using Sum = typename Units::Sum;
  static constexpr int across = 8;

  RIDGEPOINT_BOTH void clear() {
#pragma unroll
    for (int i = 0; i < across * across; ++i) sum_[i / across][i % across] = 0;
  }

  /// Adds the product of a slice.
  RIDGEPOINT_BOTH void multiply(const Slice& slice, int thread) {
    constexpr int steps = size_of(dtype) == 2 ? 4 * slice_pieces : slice_pieces;
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
      if constexpr (size_of(dtype) == 2) {
        multiply_halves(slice, step / 4, step % 4, thread);
      } else {
        multiply_words(slice, step, thread);
      }
    }
  }

  /// Adds the bias and takes relu, where there is one. Products of integers have none.
  RIDGEPOINT_BOTH void finish(const MatmulArguments& args, ProductTile tile, int thread) {
    if constexpr (dtype != Dtype::int8) {
      if (args.bias == nullptr) return;
#pragma unroll
      for (int j = 0; j < across; ++j) {
        const int at = column(thread, j);
        const Sum bias = bias_at<Sum>(args, tile.column + static_cast<std::uint32_t>(at));
#pragma unroll
        for (int i = 0; i < across; ++i) sum_[i][j] = added_and_clipped(sum_[i][j], bias);
      }
    }
  }

  RIDGEPOINT_BOTH void store(const MatmulArguments& args, ProductTile tile, int thread) const {
    // One address that moves on: ptxas would hold one for each row, and spill.
    const std::uint32_t first = tile.column + static_cast<std::uint32_t>(column(thread, 0));
    std::uint32_t r = tile.row + static_cast<std::uint32_t>(row(thread, 0));
    Sum* line = row_of_c<Sum>(args, tile.product, r) + first;
#pragma unroll
    for (int i = 0; i < across; ++i) {
#pragma unroll
      for (int j = 0; j < across; ++j) {
        if (r < args.m && first + j * columns_apart < args.n) line[j * columns_apart] = sum_[i][j];
      }
      r += rows_apart;
      line += std::uint64_t{rows_apart} * args.n;
    }
  }

 private:
  static constexpr int rows_apart = 8, columns_apart = 4;  ///< of a thread's elements
  static constexpr int words = static_cast<int>(sizeof(Vector) / sizeof(Word));

  // A warp reads eight lines of A and four of B at once, in the order in which it can be served:
  // the lanes of a pair, and of a pair of pairs, share a line of A or of B.
  RIDGEPOINT_BOTH static int row(int thread, int i) {
    const int lane = thread & 31;
    return (thread >> 7) * product_warp_rows + (lane >> 1 & 1) + (lane >> 2 & 6) + rows_apart * i;
  }
  RIDGEPOINT_BOTH static int column(int thread, int j) {
    const int lane = thread & 31;
    return (thread >> 5 & 3) * product_warp_columns + (lane & 1) + (lane >> 1 & 2) +
           columns_apart * j;
  }

  RIDGEPOINT_BOTH void multiply_words(const Slice& slice, int piece, int thread) {
    Vector b[across];
#pragma unroll
    for (int j = 0; j < across; ++j) b[j] = slice.b[piece_place(column(thread, j), piece)];
#pragma unroll
    for (int i = 0; i < across; ++i) {
      const Vector vector = slice.a[piece_place(row(thread, i), piece)];
      Word a[words];
      std::memcpy(a, &vector, sizeof(a));
#pragma unroll
      for (int w = 0; w < words; ++w) {
#pragma unroll
        for (int j = 0; j < across; ++j) {
          Word of_b[words];
          std::memcpy(of_b, &b[j], sizeof(of_b));
          sum_[i][j] = Units::multiply_add(a[w], of_b[w], sum_[i][j]);
        }
      }
    }
  }

  // Pairs of halves are widened as they are used.
  RIDGEPOINT_BOTH void multiply_halves(const Slice& slice, int piece, int word, int thread) {
    float b[2][across];
#pragma unroll
    for (int j = 0; j < across; ++j)
      widen(b[0][j], b[1][j], slice.b[piece_place(column(thread, j), piece)].word[word]);
#pragma unroll
    for (int i = 0; i < across; ++i) {
      float a[2];
      widen(a[0], a[1], slice.a[piece_place(row(thread, i), piece)].word[word]);
#pragma unroll
      for (int e = 0; e < 2; ++e) {
#pragma unroll
        for (int j = 0; j < across; ++j)
          sum_[i][j] = Units::multiply_add(a[e], b[e][j], sum_[i][j]);
      }
    }
  }
  RIDGEPOINT_BOTH static void widen(float& low, float& high, std::uint32_t pair) {
    low = VectorTile<dtype>::widen(pair & 0xffffU);
    high = VectorTile<dtype>::widen(pair >> 16);
  }

  Sum sum_[across][across];
};

}  // namespace kernels::cuda
