// How a block takes a matrix product: its tile of C, the slices of A and B that it copies to shared
// memory, and where they lie there. Plain C++, so that tests run it on the host, thread by thread.
#pragma once

#include <cstdint>

#include "kernels/arithmetic.hpp"
#include "kernels/cuda/matmul/matmul_tables.hpp"

namespace kernels::cuda {

/// A warp computes 64 x 32 elements of the tile of C of its block, a thread 64 of them.
inline constexpr int product_warp_rows = 64, product_warp_columns = 32;
/// Of each line of A and B, 64 bytes are multiplied at a time, as pieces of 16.
inline constexpr int slice_pieces = 4;

RIDGEPOINT_BOTH constexpr std::uint32_t tiles_along(std::uint32_t length) {
  return (length + product_tile - 1) / product_tile;
}
RIDGEPOINT_BOTH constexpr std::uint32_t slices_of(const MatmulArguments& args) {
  return (args.pieces + slice_pieces - 1) / slice_pieces;
}

/// Where a tile of C begins.
struct ProductTile {
  std::uint32_t row, column;
};

/// Tiles go down bands of eight rows of tiles, column by column: those that are computed at the same
/// time share lines of A and of B in the L2.
RIDGEPOINT_BOTH constexpr ProductTile product_tile_at(const MatmulArguments& args,
                                                      std::uint64_t tile) {
  constexpr std::uint32_t band_rows = 8;
  const std::uint64_t band_tiles = std::uint64_t{band_rows} * tiles_along(args.n);
  const auto top = static_cast<std::uint32_t>(tile / band_tiles) * band_rows;
  const auto in_band = static_cast<std::uint32_t>(tile % band_tiles);
  const std::uint32_t left = tiles_along(args.m) - top;
  const std::uint32_t rows = left < band_rows ? left : band_rows;
  return {(top + in_band % rows) * product_tile, in_band / rows * product_tile};
}

/// What is added to the sums of some columns of C before relu.
template <class Sum>
RIDGEPOINT_BOTH Sum bias_at(const MatmulArguments& args, std::uint32_t column) {
  return column < args.n ? static_cast<const Sum*>(args.bias)[column] : Sum{};
}
/// max(sum + bias, 0), which keeps what is not a number.
template <class Sum>
RIDGEPOINT_BOTH constexpr Sum added_and_clipped(Sum sum, Sum bias) {
  sum += bias;
  return sum < Sum{} ? Sum{} : sum;
}

/// 64 bytes of each line of A and B that a block multiplies, in shared memory.
struct Slice {
  Vector a[product_tile * slice_pieces];
  Vector b[product_tile * slice_pieces];
};

/// Where a piece of a line lies in Slice::a or b. Pieces are exchanged so that the same piece of
/// eight lines in a row lies in different banks.
RIDGEPOINT_BOTH constexpr int piece_place(int line, int piece) {
  return line * slice_pieces + (piece ^ (line >> 1 & (slice_pieces - 1)));
}

/// The four pieces of a slice that a thread copies: two of A, then two of B, 64 lines apart. Four
/// threads share a line.
class SliceShare {
 public:
  static constexpr int pieces = 4;

  RIDGEPOINT_BOTH SliceShare(const MatmulArguments& args, ProductTile tile, int thread)
      : args_(args),
        piece_(static_cast<std::uint32_t>(thread) % slice_pieces),
        a_(args.a + std::uint64_t{tile.row + line_of(thread)} * args.pieces + piece_),
        b_(args.b + std::uint64_t{tile.column + line_of(thread)} * args.pieces + piece_) {
#pragma unroll
    for (int part = 0; part < pieces; ++part) {
      const std::uint32_t line = (part < 2 ? tile.row : tile.column) + line_of(thread);
      const bool inside = line + part % 2 * apart < (part < 2 ? args.m : args.n);
      lines_ |= static_cast<std::uint32_t>(inside) << part;
    }
  }

  /// Beyond the edges of A and B a slice is zero.
  RIDGEPOINT_BOTH bool is_inside(int part, std::uint32_t slice) const {
    return (lines_ >> part & 1) != 0 && slice * slice_pieces + piece_ < args_.pieces;
  }
  /// Where part `part` of a slice comes from, if it is inside.
  RIDGEPOINT_BOTH const Vector* from(int part, std::uint32_t slice) const {
    return (part < 2 ? a_ : b_) + std::uint64_t{part % 2 * apart} * args_.pieces +
           slice * slice_pieces;
  }
  /// An address that can be read.
  RIDGEPOINT_BOTH const Vector* anywhere() const { return args_.a; }
  /// Where it goes.
  RIDGEPOINT_BOTH static Vector& to(Slice& slice, int thread, int part) {
    Vector* const lines = part < 2 ? slice.a : slice.b;
    const int line = static_cast<int>(line_of(thread)) + part % 2 * static_cast<int>(apart);
    return lines[piece_place(line, thread % slice_pieces)];
  }

 private:
  static constexpr std::uint32_t apart = product_threads / slice_pieces;
  RIDGEPOINT_BOTH static constexpr std::uint32_t line_of(int thread) {
    return static_cast<std::uint32_t>(thread) / slice_pieces;
  }

  const MatmulArguments& args_;
  std::uint32_t piece_;
  std::uint32_t lines_ = 0;  ///< a bit for each part whose line there is
  const Vector* a_;
  const Vector* b_;
};

}  // namespace kernels::cuda
