// The loops behind every vector `matmul` row: C = A B in tiles of 64 x 64, each summed over blocks
// of k. A is packed by a launch of its own; B is packed where it is used, into what the caches of a
// core hold. See op_loop.hpp for the rules and tile_loop.hpp for what is asked of a Simd policy.
//
// From the outside in, as Goto and van de Geijn do (Anatomy of High-Performance Matrix
// Multiplication, 2008): bands of 8 tile rows, columns of tiles, blocks of k, register blocks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/simd/rows.hpp"
#include "kernels/families/matmul/matmul.hpp"
#include "kernels/families/tile/tile_loop.hpp"

namespace kernels::cpu {
namespace {

/// Groups of k in a block: two vectors of B times so many groups are 24 KiB at most (12 registers
/// of 32 KiB L1 caches are left for A).
inline constexpr int matmul_depth = 192;
/// Tile rows that use a packed piece of B one after the other.
inline constexpr std::uint64_t band_tiles = 8;
/// Rows of B that are asked for ahead of being packed.
inline constexpr int rows_ahead = 12;
inline constexpr int tile_edge = static_cast<int>(matmul_tile);

template <class Scalar>
inline constexpr bool is_floating = static_cast<Scalar>(0.5) != 0;

constexpr std::uint64_t rounded_up(std::uint64_t value, std::uint64_t to) {
  return (value + to - 1) / to * to;
}
constexpr std::uint64_t lesser(std::uint64_t a, std::uint64_t b) { return a < b ? a : b; }

// How elements in memory become operands: a policy says the type in memory, and copies a row of
// factors of A, or of B where groups are of one.

/// fp64 and fp32: memory holds what the arithmetic takes.
template <class Number>
struct DirectFactors {
  using Element = Number;
  static void copy_a(Number* to, const Number* from, int count) {
    for (int i = 0; i < count; ++i) to[i] = from[i];
  }
  static Number of_b(Number value) { return value; }
  static void copy_b(Number* to, const Number* from, int count) { copy_a(to, from, count); }
};

/// fp16 and bf16 that are only storage. `Widen::load` makes a register of fp32 of 16-bit values.
template <class Simd, class Widen>
struct WidenedFactors {
  using Element = std::uint16_t;
  static void copy_a(float* to, const std::uint16_t* from, int count) {
    int i = 0;
    for (; i + Simd::lanes <= count; i += Simd::lanes) Simd::store(to + i, Widen::load(from + i));
    if (i == count) return;
    std::uint16_t rest[Simd::lanes] = {};
    float wide[Simd::lanes];
    for (int j = 0; j < count - i; ++j) rest[j] = from[i + j];
    Simd::store(wide, Widen::load(rest));
    for (int j = 0; j < count - i; ++j) to[i + j] = wide[j];
  }
  static void copy_b(float* to, const std::uint16_t* from, int count) { copy_a(to, from, count); }
};

/// Groups along k: pairs of bf16 as they are, int8 as pairs of int16, or fours of bytes, those of A
/// 128 larger (QuadStorage).
template <class From, class To, int offset_bits = 0>
struct GroupedFactors {
  using Element = From;
  static void copy_a(To* to, const From* from, int count) {
    for (int i = 0; i < count; ++i) to[i] = static_cast<To>(from[i] ^ offset_bits);
  }
  static To of_b(From value) { return static_cast<To>(value); }
};

/// Where a tile lies, and how many tiles below it in its band follow in the same column.
struct MatmulSpot {
  std::uint64_t row, column, below;
};

/// Tiles in the order in which they are computed: by bands of tile rows, in a band by columns, in a
/// column from top to bottom.
inline MatmulSpot matmul_spot(std::uint64_t tile, std::uint64_t rows, std::uint64_t columns) {
  const std::uint64_t in_band = band_tiles * columns;
  const std::uint64_t first = tile / in_band * band_tiles;
  const std::uint64_t height = lesser(band_tiles, rows - first);
  const std::uint64_t rest = tile % in_band;
  return {first + rest % height, rest / height, height - rest % height};
}

/// Sums so far, or nothing, and where those with one more block of k go; rows of each are so many
/// elements apart. With an epilogue, what is added to each row before relu.
template <class Simd>
struct Sums {
  const typename Simd::Scalar* from;
  typename Simd::Scalar* to;
  std::uint64_t to_row;
  const typename Simd::Scalar* epilogue = nullptr;
};

/// max(sum + bias, 0) in a register block. Integers have none.
template <class Simd, int rows>
[[gnu::always_inline]] inline void add_and_clip(typename Simd::Vector (&sum)[rows][block_vectors],
                                                const typename Simd::Scalar* bias) {
#pragma GCC unroll 2
  for (int j = 0; j < block_vectors; ++j) {
    const auto added = Simd::load(bias + j * Simd::lanes);
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
      sum[i][j] = Simd::add(sum[i][j], added);
      const typename Simd::Vector zero{};
      sum[i][j] = zero > sum[i][j] ? zero : sum[i][j];  // keeps what is not a number
    }
  }
}

/// A register block of C: `rows` x 2 vectors, over one block of k.
template <class Simd>
[[gnu::noinline]] void matmul_block(const typename Simd::Operand* a,
                                    const typename Simd::Operand* b, int groups,
                                    const std::int32_t* bias, Sums<Simd> sums) {
  constexpr int rows = Simd::block_rows, width = block_vectors * Simd::lanes, group = Simd::group;
  typename Simd::Vector sum[rows][block_vectors];
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 2
    for (int j = 0; j < block_vectors; ++j) {
      sum[i][j] = typename Simd::Vector{};
      if (sums.from != nullptr) sum[i][j] = Simd::load(sums.from + i * tile_edge + j * Simd::lanes);
      if constexpr (is_biased<Simd>)
        sum[i][j] = Simd::add(sum[i][j], Simd::load(bias + j * Simd::lanes));
    }
  }
  constexpr int operands_per_trip = rows * tile_unroll * group;
  const auto* next = reinterpret_cast<const char*>(a + rows * matmul_depth * group);
  for (int first = 0; first < groups; first += tile_unroll) {
    // The rows of A below these: longer streams than the processor sees coming.
#pragma GCC unroll 8
    for (std::size_t line = 0; line < operands_per_trip * sizeof(*a); line += 64)
      __builtin_prefetch(next + line);
    next += operands_per_trip * sizeof(*a);
#pragma GCC unroll 4
    for (int step = 0; step < tile_unroll; ++step) {
      const int k = first + step;
      tile_step<Simd, rows, matmul_depth>(sum, a + k * group, b + k * width * group);
    }
  }
  if constexpr (is_floating<typename Simd::Scalar>) {
    if (sums.epilogue != nullptr) add_and_clip<Simd>(sum, sums.epilogue);
  }
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 2
    for (int j = 0; j < block_vectors; ++j)
      Simd::store(sums.to + std::uint64_t(i) * sums.to_row + j * Simd::lanes, sum[i][j]);
  }
}

template <class Simd, class Factors>
struct Matmul {
  using Scalar = typename Simd::Scalar;
  using Operand = typename Simd::Operand;
  using Element = typename Factors::Element;

  static constexpr int group = Simd::group;
  static constexpr int rows = Simd::block_rows;
  static constexpr int width = block_vectors * Simd::lanes;
  static constexpr int panels = tile_edge / width;
  static constexpr int padded_rows = static_cast<int>(rounded_up(tile_edge, rows));
  static constexpr int block_k = matmul_depth * group;
  static constexpr int panel_operands = matmul_depth * width * group;
  static_assert(tile_edge % width == 0 && matmul_depth % tile_unroll == 0);

  static constexpr std::uint64_t sums_of_tile = std::uint64_t{padded_rows} * tile_edge;
  static constexpr std::uint64_t block_bytes =
      std::uint64_t{padded_rows} * block_k * sizeof(Operand);
  static constexpr std::uint64_t room_bytes =
      std::uint64_t{panels} * panel_operands * sizeof(Operand) + tile_edge * sizeof(std::int32_t) +
      band_tiles * sums_of_tile * sizeof(Scalar);

  /// Groups of a block that are computed, whole trips of the innermost loop: what is behind the end
  /// of k is zero.
  static int groups_of(std::uint64_t left) {
    const std::uint64_t elements = lesser(left, block_k);
    return static_cast<int>(rounded_up(rounded_up(elements, group) / group, tile_unroll));
  }

  static void pack(const MatmulRows& all) {
    const std::uint64_t blocks = (all.k + block_k - 1) / block_k;
    const std::uint64_t all_tiles = (all.m + tile_edge - 1) / tile_edge;
    for (std::uint64_t tile = all.first; tile < all.first + all.tiles; ++tile) {
      for (std::uint64_t block = 0; block < blocks; ++block) {
        auto* to = static_cast<Operand*>(all.packed) +
                   (block * all_tiles + tile) * std::uint64_t{padded_rows} * block_k;
        pack_a(all, tile * tile_edge, block * block_k, to);
      }
    }
  }

  /// Transposed matrices are turned in pieces of so many elements along k, which are in the L1.
  static constexpr int turned = 16;

  static void pack_a(const MatmulRows& all, std::uint64_t row, std::uint64_t k, Operand* to) {
    const int high = row < all.m ? static_cast<int>(lesser(all.m - row, tile_edge)) : 0;
    const int count = static_cast<int>(lesser(all.k - k, block_k));
    const int end = groups_of(all.k - k) * group;
    const auto* a = static_cast<const Element*>(all.a);
    if (all.transposed) {
      turn_a(a + k * all.m + row, all.m, high, count, to);
    } else {
      for (int i = 0; i < high; ++i)
        Factors::copy_a(to + i * block_k, a + (row + std::uint64_t(i)) * all.k + k, count);
    }
    for (int i = 0; i < padded_rows; ++i) {
      for (int j = i < high ? count : 0; j < end; ++j) to[i * block_k + j] = Operand{};
    }
  }

  /// Rows of A that lie in memory as columns; from one row there to the next are m elements.
  static void turn_a(const Element* from, std::uint64_t m, int high, int count, Operand* to) {
    Element part[tile_edge * turned];
    for (int k = 0; k < count; k += turned) {
      const int depth = count - k < turned ? count - k : turned;
      for (int j = 0; j < depth; ++j) {
        const Element* row = from + std::uint64_t(k + j) * m;
        for (int i = 0; i < high; ++i) part[i * turned + j] = row[i];
      }
      for (int i = 0; i < high; ++i)
        Factors::copy_a(to + i * block_k + k, part + i * turned, depth);
    }
  }

  /// What of B is packed: a block of k in a column of tiles.
  struct Piece {
    const Element* from;
    std::uint64_t n;  // elements from one row to the next; transposed: from one column
    int columns;      // inside of B
    int count, groups;
  };

  static void pack_b(const Piece& piece, bool transposed, Operand* to, std::int32_t* bias) {
    if constexpr (is_biased<Simd>) {
      for (int j = 0; j < tile_edge; ++j) bias[j] = 0;
    }
    if (!transposed) return pack_rows(piece, to, bias);
    static_assert(turned % group == 0);
    Element part[turned * tile_edge];
    for (int k = 0; k < piece.groups * group; k += turned) {
      const int left = piece.count - k, depth = left < 0 ? 0 : left < turned ? left : turned;
      for (int j = 0; j < piece.columns; ++j) {
        const Element* column = piece.from + std::uint64_t(j) * piece.n + std::uint64_t(k);
        for (int i = 0; i < depth; ++i) part[i * tile_edge + j] = column[i];
      }
      const int groups = piece.groups - k / group;
      pack_rows({part, tile_edge, piece.columns, depth,
                 groups < turned / group ? groups : turned / group},
                to + k * width, bias);
    }
  }

  static void pack_rows(const Piece& piece, Operand* to, std::int32_t* bias) {
    for (int g = 0; g < piece.groups; ++g) {
      for (int ahead = 0; ahead < group; ++ahead) {
        const Element* next =
            piece.from + (std::uint64_t(g + rows_ahead) * group + std::uint64_t(ahead)) * piece.n;
        for (int j = 0; j < piece.columns; j += static_cast<int>(64 / sizeof(Element)))
          __builtin_prefetch(next + j);
      }
      for (int panel = 0; panel < panels; ++panel) {
        const int first = panel * width;
        const int inside = piece.columns < first ? 0 : piece.columns - first;
        pack_group(piece, g, first, inside < width ? inside : width,
                   to + panel * panel_operands + g * width * group);
      }
    }
    if constexpr (is_biased<Simd>) {
      for (int k = 0; k < piece.count; ++k) {
        const Element* row = piece.from + std::uint64_t(k) * piece.n;
        for (int j = 0; j < piece.columns; ++j) bias[j] -= 128 * static_cast<std::int8_t>(row[j]);
      }
    }
  }

  /// A group of rows of B, `inside` columns of it and zeros.
  [[gnu::always_inline]] static inline void pack_group(const Piece& piece, int g, int first,
                                                       int inside, Operand* to) {
    const Element* from = piece.from + std::uint64_t(g) * group * piece.n + first;
    int done = 0;  // rows that there are
    while (done < group && g * group + done < piece.count) ++done;
    if constexpr (group == 1) {
      if (done == 0) inside = 0;
      if (inside == width) return Factors::copy_b(to, from, width);
      Factors::copy_b(to, from, inside);
      for (int j = inside; j < width; ++j) to[j] = Operand{};
    } else if (done == group && inside == width) {
      for (int j = 0; j < width; ++j) {
#pragma GCC unroll 4
        for (int i = 0; i < group; ++i)
          to[j * group + i] = Factors::of_b(from[std::uint64_t(i) * piece.n + std::uint64_t(j)]);
      }
    } else {
      for (int j = 0; j < width; ++j) {
        for (int i = 0; i < group; ++i)
          to[j * group + i] =
              i < done && j < inside
                  ? Factors::of_b(from[std::uint64_t(i) * piece.n + std::uint64_t(j)])
                  : Operand{};
      }
    }
  }

  /// The same at an edge of C, of which `height` x `inside` lie in it.
  static void edge_block(const Operand* a, const Operand* b, int groups, const std::int32_t* bias,
                         Sums<Simd> sums, int height, int inside) {
    Scalar room[rows * width];
    matmul_block<Simd>(a, b, groups, bias, {sums.from, room, width, sums.epilogue});
    for (int i = 0; i < height; ++i) {
      for (int j = 0; j < inside; ++j)
        sums.to[std::uint64_t(i) * sums.to_row + std::uint64_t(j)] = room[i * width + j];
    }
  }

  /// What a thread works on, in its room.
  struct Room {
    Operand* b;          // one block of k of a column of tiles
    std::int32_t* bias;  // of these columns
    Scalar* sums;        // tiles of a column in a band

    explicit Room(void* from)
        : b(static_cast<Operand*>(from)),
          bias(reinterpret_cast<std::int32_t*>(b + panels * panel_operands)),
          sums(reinterpret_cast<Scalar*>(bias + tile_edge)) {}
  };

  /// One tile of C over one block of k: `first`, there is no sum yet; `last`, C is written.
  struct Step {
    std::uint64_t row, column;  // of C
    int groups;
    bool first, last;
  };

  static void tile(const MatmulSlice& slice, const Room& room, const Operand* a, Scalar* sums,
                   const Step& step) {
    const int high = static_cast<int>(lesser(tile_edge, slice.m - step.row));
    const int wide = static_cast<int>(lesser(tile_edge, slice.n - step.column));
    const int row_end = slice.whole ? tile_edge : high, column_end = slice.whole ? tile_edge : wide;
    auto* c = static_cast<Scalar*>(slice.c) + step.row * slice.n + step.column;
    for (int j = 0; j < column_end; j += width) {
      const Operand* panel = room.b + j / width * panel_operands;
      for (int i = 0; i < row_end; i += rows) {
        Scalar* kept = sums + i * tile_edge + j;
        Sums<Simd> block{step.first ? nullptr : kept, kept, tile_edge};
        if (step.last) {
          block.to = c + std::uint64_t(i) * slice.n + std::uint64_t(j);
          block.to_row = slice.n;
          if (slice.bias != nullptr)
            block.epilogue =
                static_cast<const Scalar*>(slice.bias) + step.column + std::uint64_t(j);
        }
        const int height = high - i < rows ? high - i : rows;
        const int inside = wide - j < width ? wide - j : width;
        if (step.last && (height < rows || inside < width)) {
          edge_block(a + i * block_k, panel, step.groups, room.bias + j, block, height, inside);
        } else {
          matmul_block<Simd>(a + i * block_k, panel, step.groups, room.bias + j, block);
        }
      }
    }
  }

  /// `run` tiles of a column, one below the other.
  static void multiply_run(const MatmulSlice& slice, const Room& room, const MatmulSpot& spot,
                           std::uint64_t run) {
    const std::uint64_t blocks = (slice.k + block_k - 1) / block_k;
    const std::uint64_t all_tiles = (slice.m + tile_edge - 1) / tile_edge;
    const std::uint64_t column = spot.column * tile_edge;
    for (std::uint64_t block = 0; block < blocks; ++block) {
      const std::uint64_t k = block * block_k;
      const int groups = groups_of(slice.k - k);
      const auto* b = static_cast<const Element*>(slice.b);
      pack_b({slice.transposed ? b + column * slice.k + k : b + k * slice.n + column,
              slice.transposed ? slice.k : slice.n,
              static_cast<int>(lesser(tile_edge, slice.n - column)),
              static_cast<int>(lesser(block_k, slice.k - k)), groups},
             slice.transposed, room.b, room.bias);
      for (std::uint64_t i = 0; i < run; ++i) {
        const auto* a = static_cast<const Operand*>(slice.packed) +
                        (block * all_tiles + spot.row + i) * std::uint64_t{padded_rows} * block_k;
        tile(slice, room, a, room.sums + i * sums_of_tile,
             {(spot.row + i) * tile_edge, column, groups, block == 0, block + 1 == blocks});
      }
    }
  }

  static void multiply(const MatmulSlice& slice) {
    const std::uint64_t all_rows = (slice.m + tile_edge - 1) / tile_edge;
    const std::uint64_t all_columns = (slice.n + tile_edge - 1) / tile_edge;
    const Room room(slice.room);
    const std::uint64_t end = slice.first + slice.tiles;
    for (std::uint64_t at = slice.first; at < end;) {
      const MatmulSpot spot = matmul_spot(at, all_rows, all_columns);
      const std::uint64_t run = lesser(spot.below, end - at);
      multiply_run(slice, room, spot, run);
      at += run;
    }
  }

  static constexpr MatmulFunction function() {
    return {pack, multiply, block_k, block_bytes, room_bytes, rows};
  }
};

/// Matrix product with vector units.
template <class Simd, class Factors>
consteval Row matmul_row(Dtype dtype, Dtype arithmetic) {
  return {.family = Family::matmul,
          .op = Op::mma,
          .dtype = dtype,
          .arithmetic = arithmetic,
          .summing = Simd::summing,
          .matmul = Matmul<Simd, Factors>::function()};
}

template <class Registers>
consteval void add_matmul(Rows& rows) {
  using Single = typename Registers::Fp32;
  rows.add(matmul_row<typename Registers::Fp64, DirectFactors<double>>(Dtype::fp64, Dtype::fp64));
  rows.add(matmul_row<Single, DirectFactors<float>>(Dtype::fp32, Dtype::fp32));
  rows.add(matmul_row<Single, WidenedFactors<Single, typename Registers::Half>>(Dtype::fp16,
                                                                                Dtype::fp32));
  rows.add(matmul_row<Single, WidenedFactors<Single, typename Registers::Brain>>(Dtype::bf16,
                                                                                 Dtype::fp32));
  rows.add(matmul_row<typename Registers::Int16Pairs, GroupedFactors<std::int8_t, std::int16_t>>(
      Dtype::int8, Dtype::int32));
}

}  // namespace
}  // namespace kernels::cpu
