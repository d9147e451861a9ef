// The loops behind every vector `tile` row: D (16 x 32) = repeat x (A B), summed repeat by repeat
// in registers. See op_loop.hpp for the rules and for the Simd policies.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/simd/rows.hpp"
#include "kernels/families/tile/tile.hpp"
#include "kernels/families/tile/tile_storage.hpp"

namespace kernels::cpu {
namespace {

// What tile kernels need of a Simd policy besides what op_loop.hpp names:
// - Operand, group: type of a factor in memory; factors per lane, 1 or as many as fill 32 bits.
// - set_group(std::int32_t): the same group in every lane, where there are groups.
// - accumulate(sum, a, b): sum += a b, in this order and place; only where fma is not apart.
// - block_rows: rows of D that fit into registers.

/// Vectors side by side in one block of D: a broadcast element of A serves both, so that each k
/// step needs rows + 2 loads for 2 rows fmas and stays below one load per fma.
inline constexpr int block_vectors = 2;
/// k steps per trip of the innermost loop.
inline constexpr int tile_unroll = 4;

/// What a block does besides multiplying.
struct BlockMode {
  std::uint64_t repeat;
  bool accumulate;
  bool streaming;
  const std::int32_t* bias = nullptr;  ///< see QuadStorage
};

/// Whether products of this Simd need a correction, see QuadStorage.
template <class Simd>
inline constexpr bool is_biased = requires {
  Simd::biased;
};

template <class Simd>
[[gnu::always_inline]] inline typename Simd::Vector broadcast(const typename Simd::Operand* from) {
  if constexpr (Simd::group == 1) {
    return Simd::set(*from);
  } else {
    std::int32_t group;
    __builtin_memcpy(&group, from, sizeof group);
    return Simd::set_group(group);
  }
}

/// One k step: every row of a column of A (elements `depth` groups apart) times one row of B, added
/// to the sums.
template <class Simd, int rows, int depth>
[[gnu::always_inline]] inline void tile_step(typename Simd::Vector (&sum)[rows][block_vectors],
                                             const typename Simd::Operand* a_column,
                                             const typename Simd::Operand* b_row) {
  const auto left = Simd::load(b_row);
  const auto right = Simd::load(b_row + Simd::lanes * Simd::group);
  if constexpr (!Simd::fma_is_apart) {
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
      const auto factor = broadcast<Simd>(a_column + i * depth * Simd::group);
      Simd::accumulate(sum[i][0], factor, left);
      Simd::accumulate(sum[i][1], factor, right);
    }
  } else {
    // The products of a row are added after the multiplications of the next, see peak_step().
    typename Simd::Vector products[rows][block_vectors];
#pragma GCC unroll 16
    for (int i = 0; i <= rows; ++i) {
      if (i < rows) {
        const auto factor = broadcast<Simd>(a_column + i * depth * Simd::group);
        products[i][0] = Simd::mul(factor, left);
        Simd::opaque(products[i][0]);
        products[i][1] = Simd::mul(factor, right);
        Simd::opaque(products[i][1]);
      }
      if (i > 0) {
        for (int j = 0; j < block_vectors; ++j) {
          sum[i - 1][j] = Simd::add(sum[i - 1][j], products[i - 1][j]);
          Simd::opaque(sum[i - 1][j]);
        }
      }
    }
  }
}

/// One block of D: `rows` x 2 vectors that stay in registers over all repeats. `depth` is k in
/// groups.
template <class Simd, int rows, int depth>
[[gnu::noinline]] void tile_block(const typename Simd::Operand* a, const typename Simd::Operand* b,
                                  typename Simd::Scalar* d, BlockMode mode) {
  constexpr int columns = static_cast<int>(tile_columns);
  static_assert(depth % tile_unroll == 0 && columns % (block_vectors * Simd::lanes) == 0);
  typename Simd::Vector sum[rows][block_vectors];
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < block_vectors; ++j) {
      sum[i][j] =
          mode.accumulate ? Simd::load(d + i * columns + j * Simd::lanes) : typename Simd::Vector{};
      if constexpr (is_biased<Simd>) {
        const auto correction = Simd::load(mode.bias + j * Simd::lanes);
        const auto repeat = Simd::set_group(static_cast<std::int32_t>(mode.repeat));
        sum[i][j] = Simd::add(sum[i][j], Simd::mul(correction, repeat));
      }
    }
  }
  for (std::uint64_t step = mode.repeat; step != 0; --step) {
    // Each repeat multiplies operands the compiler can't know, or one product would serve for all
    // of them; a loop length it can't know keeps the innermost loop as it is written.
    int end = depth;
    __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(end));
    for (int first = 0; first < end; first += tile_unroll) {
#pragma GCC unroll 4
      for (int step_k = 0; step_k < tile_unroll; ++step_k) {
        const int k = first + step_k;
        tile_step<Simd, rows, depth>(sum, a + k * Simd::group, b + k * columns * Simd::group);
      }
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < block_vectors; ++j) {
      auto* out = d + i * columns + j * Simd::lanes;
      if (mode.streaming) {
        Simd::stream(out, sum[i][j]);
      } else {
        Simd::store(out, sum[i][j]);
      }
    }
  }
}

/// All column blocks of `rows` rows.
template <class Simd, int rows, int depth>
[[gnu::always_inline]] inline void tile_stripe(const typename Simd::Operand* a,
                                               const typename Simd::Operand* b,
                                               typename Simd::Scalar* d, BlockMode mode) {
  constexpr int width = block_vectors * Simd::lanes;
  for (int column = 0; column < static_cast<int>(tile_columns); column += width) {
    BlockMode part = mode;
    if constexpr (is_biased<Simd>) part.bias += column;
    tile_block<Simd, rows, depth>(a, b + column * Simd::group, d + column, part);
  }
}

/// One whole D tile, its 16 rows split as evenly as `Simd::block_rows` allows (8 8, 6 5 5 or 4 4 4
/// 4).
template <class Simd, int depth>
[[gnu::always_inline]] inline void tile_multiply(const typename Simd::Operand* a,
                                                 const typename Simd::Operand* b,
                                                 typename Simd::Scalar* d, BlockMode mode) {
  constexpr int all_rows = static_cast<int>(tile_rows);
  constexpr int stripes = (all_rows + Simd::block_rows - 1) / Simd::block_rows;
  constexpr int rows = all_rows / stripes;
  constexpr int taller = all_rows % stripes;  // this many stripes have one row more
  for (int stripe = 0; stripe < stripes; ++stripe) {
    const int first = stripe * rows + (stripe < taller ? stripe : taller);
    const auto* a_rows = a + first * depth * Simd::group;
    auto* d_rows = d + first * static_cast<int>(tile_columns);
    if (taller != 0 && stripe < taller) {
      tile_stripe<Simd, rows + (taller != 0 ? 1 : 0), depth>(a_rows, b, d_rows, mode);
    } else {
      tile_stripe<Simd, rows, depth>(a_rows, b, d_rows, mode);
    }
  }
}

/// A TileFunction: `Storage` says how tiles in memory become operands in L1 (see tile_storage.hpp).
template <class Simd, class Storage>
void tile_slice(const TileSlice& slice) {
  using Scalar = typename Simd::Scalar;
  constexpr std::size_t d_elements = tile_rows * tile_columns;
  constexpr std::size_t a_bytes = tile_rows * tile_row_bytes;
  Storage storage(slice.b);
  const auto* a = static_cast<const char*>(slice.a);
  auto* d = static_cast<Scalar*>(slice.d);
  BlockMode mode{slice.repeat, slice.accumulate, slice.streaming};
  if constexpr (is_biased<Simd>) mode.bias = storage.bias();
  for (std::uint64_t tile = 0; tile < slice.tiles; ++tile, a += a_bytes, d += d_elements) {
    if (slice.streaming) {
      prefetch_ahead(a, reinterpret_cast<const char*>(d), d_elements * sizeof(Scalar),
                     slice.accumulate);
    }
    tile_multiply<Simd, Storage::depth>(storage.a(a), storage.b(), d, mode);
  }
  if (slice.streaming) Simd::fence();
}

/// Tile kernel with vector units.
template <class Simd, class Storage>
consteval Row tile_row(Dtype dtype, Dtype arithmetic) {
  return {.family = Family::tile,
          .op = Op::mma,
          .dtype = dtype,
          .arithmetic = arithmetic,
          .tile = tile_slice<Simd, Storage>,
          .summing = Simd::summing};
}

template <class Registers>
consteval void add_tile(Rows& rows) {
  using Single = typename Registers::Fp32;
  rows.add(tile_row<typename Registers::Fp64, DirectStorage<double>>(Dtype::fp64, Dtype::fp64));
  rows.add(tile_row<Single, DirectStorage<float>>(Dtype::fp32, Dtype::fp32));
  rows.add(
      tile_row<Single, WidenedStorage<Single, typename Registers::Half>>(Dtype::fp16, Dtype::fp32));
  rows.add(tile_row<Single, WidenedStorage<Single, typename Registers::Brain>>(Dtype::bf16,
                                                                               Dtype::fp32));
  rows.add(tile_row<typename Registers::Int16Pairs, PairedStorage>(Dtype::int8, Dtype::int32));
}

}  // namespace
}  // namespace kernels::cpu
