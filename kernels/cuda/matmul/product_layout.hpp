// How a block takes a matrix product: its tile of C, the slices of A and B that it copies to shared
// memory, and where they lie there. Plain C++, so that tests run it on the host, thread by thread.
#pragma once

#include <cstdint>
#include <cstring>

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
  std::uint32_t product = 0;
};

/// Tiles of a product go down bands of eight rows of tiles, column by column: those that are
/// computed at the same time share lines of A and of B in the L2.
RIDGEPOINT_BOTH constexpr ProductTile product_tile_at(const MatmulArguments& args,
                                                      std::uint64_t tile) {
  const std::uint64_t tiles = std::uint64_t{tiles_along(args.m)} * tiles_along(args.n);
  const auto product = static_cast<std::uint32_t>(tile / tiles);
  tile %= tiles;
  constexpr std::uint32_t band_rows = 8;
  const std::uint64_t band_tiles = std::uint64_t{band_rows} * tiles_along(args.n);
  const auto top = static_cast<std::uint32_t>(tile / band_tiles) * band_rows;
  const auto in_band = static_cast<std::uint32_t>(tile % band_tiles);
  const std::uint32_t left = tiles_along(args.m) - top;
  const std::uint32_t rows = left < band_rows ? left : band_rows;
  return {(top + in_band % rows) * product_tile, in_band / rows * product_tile, product};
}
/// Where a row of a product lies in C.
template <class Sum>
RIDGEPOINT_BOTH Sum* row_of_c(const MatmulArguments& args, std::uint32_t product,
                              std::uint32_t row) {
  return static_cast<Sum*>(args.c) + (std::uint64_t{product} * args.m + row) * args.n;
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

/// What a thread moves at a time.
template <std::size_t size>
struct alignas(size) Unit {
  std::uint32_t word[size / 4];
};

/// The lines of A or B that a tile of C needs.
struct TileLines {
  const Vector* data;           ///< of the product
  std::uint32_t first, lines;   ///< the first one, and how many there are in all
  std::uint32_t pieces, pitch;  ///< MatmulArguments
};

/// What of each slice of A or B a thread copies: units of one size of some lines, in `parts`.
template <Dtype dtype, Layout>
class LineShare;

/// Two pieces of 16 bytes, 64 lines apart. Four threads share a line.
template <Dtype dtype>
class LineShare<dtype, Layout::lines> {
 public:
  static constexpr int parts = 2;
  using Moved = Unit<sizeof(Vector)>;

  RIDGEPOINT_BOTH LineShare(const TileLines& tile, int thread)
      : anywhere_(tile.data),
        pieces_(tile.pieces),
        piece_(static_cast<std::uint32_t>(thread) % slice_pieces),
        from_(tile.data + std::uint64_t{tile.first + line_of(thread)} * tile.pieces + piece_) {
    const std::uint32_t line = tile.first + line_of(thread);
#pragma unroll
    for (std::uint32_t part = 0; part < parts; ++part)
      inside_ |= static_cast<std::uint32_t>(line + part * apart < tile.lines) << part;
  }

  /// Beyond the edges of A and B a slice is zero.
  RIDGEPOINT_BOTH bool is_inside(int part, std::uint32_t slice) const {
    return (inside_ >> part & 1) != 0 && slice * slice_pieces + piece_ < pieces_;
  }
  /// Where a part of a slice comes from, if it is inside.
  RIDGEPOINT_BOTH const void* from(int part, std::uint32_t slice) const {
    return from_ + static_cast<unsigned>(part) * std::uint64_t{apart} * pieces_ +
           slice * slice_pieces;
  }
  /// An address that can be read.
  RIDGEPOINT_BOTH const void* anywhere() const { return anywhere_; }
  /// Where it goes, of the lines of a slice.
  RIDGEPOINT_BOTH static void* to(Vector* lines, int thread, int part) {
    const int line = static_cast<int>(line_of(thread)) + part * static_cast<int>(apart);
    return &lines[piece_place(line, thread % slice_pieces)];
  }

 private:
  static constexpr std::uint32_t apart = product_threads / slice_pieces;
  RIDGEPOINT_BOTH static constexpr std::uint32_t line_of(int thread) {
    return static_cast<std::uint32_t>(thread) / slice_pieces;
  }

  const Vector* anywhere_;
  std::uint32_t pieces_, piece_;
  std::uint32_t inside_ = 0;  ///< a bit for each part whose line there is
  const Vector* from_;
};

/// Single elements. A warp copies a piece of each of eight lines or more that lie side by side: it
/// reads 32 bytes or more of each k, and writes to every bank once.
template <Dtype dtype>
class LineShare<dtype, Layout::across> {
  static constexpr int in_piece = static_cast<int>(sizeof(Vector) / size_of(dtype));
  static constexpr int of_warp = 32 / in_piece;  ///< lines
  static constexpr int apart = product_threads / 32 * of_warp;

 public:
  static constexpr int parts = product_tile / apart * slice_pieces;
  using Moved = Unit<size_of(dtype)>;

  RIDGEPOINT_BOTH LineShare(const TileLines& tile, int thread)
      : anywhere_(tile.data), pieces_(tile.pieces), pitch_(std::uint64_t{tile.pitch} * in_piece) {
    const auto k = static_cast<std::uint32_t>(thread % in_piece);
    const std::uint32_t line = tile.first + static_cast<std::uint32_t>(line_of(thread));
    from_ = reinterpret_cast<const Moved*>(tile.data) + k * pitch_ + line;
#pragma unroll
    for (std::uint32_t group = 0; group < product_tile / apart; ++group)
      inside_ |= static_cast<std::uint32_t>(line + group * apart < tile.lines) << group;
  }

  RIDGEPOINT_BOTH bool is_inside(int part, std::uint32_t slice) const {
    return (inside_ >> part / slice_pieces & 1) != 0 && piece(part, slice) < pieces_;
  }
  RIDGEPOINT_BOTH const void* from(int part, std::uint32_t slice) const {
    return from_ + piece(part, slice) * in_piece * pitch_ + part / slice_pieces * apart;
  }
  RIDGEPOINT_BOTH const void* anywhere() const { return anywhere_; }
  RIDGEPOINT_BOTH static void* to(Vector* lines, int thread, int part) {
    const int line = line_of(thread) + part / slice_pieces * apart;
    return lines[piece_place(line, part % slice_pieces)].word +
           thread % in_piece * static_cast<int>(sizeof(Moved) / 4);
  }

 private:
  RIDGEPOINT_BOTH static constexpr int line_of(int thread) {
    return thread / 32 * of_warp + thread % 32 / in_piece;
  }
  RIDGEPOINT_BOTH static std::uint32_t piece(int part, std::uint32_t slice) {
    return slice * slice_pieces + static_cast<std::uint32_t>(part % slice_pieces);
  }

  const Vector* anywhere_;
  std::uint32_t pieces_;
  std::uint64_t pitch_;       ///< elements
  std::uint32_t inside_ = 0;  ///< a bit for each group of lines, of those that there are
  const Moved* from_;
};

/// What a thread copies of a slice: its parts of A, then those of B.
template <Dtype dtype, Layout of_a, Layout of_b>
struct SliceShare {
  using A = LineShare<dtype, of_a>;
  using B = LineShare<dtype, of_b>;
  A a;
  B b;

  RIDGEPOINT_BOTH SliceShare(const MatmulArguments& args, ProductTile tile, int thread)
      : a({args.a + tile.product * args.a_step, tile.row, args.m, args.pieces, args.a_pitch},
          thread),
        b({args.b + tile.product * args.b_step, tile.column, args.n, args.pieces, args.b_pitch},
          thread) {}
};

}  // namespace kernels::cuda
