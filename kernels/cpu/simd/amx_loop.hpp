// The bodies of the AMX kernels, over a tile unit that is either the processor's or an exact model
// of it in the tests. Tile registers: 0..3 sums (A0 B0, A0 B1, A1 B0, A1 B1), 4 and 5 A tiles, 6
// and 7 the halves of B.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/simd/isa.hpp"
#include "kernels/families/peak/peak_start.hpp"
#include "kernels/families/tile/tile.hpp"
#include "kernels/families/tile/tile_storage.hpp"

namespace kernels::cpu {

/// Memory layout of LDTILECFG's operand (Intel SDM vol. 1, 18.3: palette 1 has 8 tiles of 16 rows x
/// 64 bytes).
struct AmxConfig {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
static_assert(sizeof(AmxConfig) == 64);

namespace {

// A Unit policy names one tile unit:
// - configure(const AmxConfig&), release(): LDTILECFG, TILERELEASE.
// - zero<tile>(), load<tile>(from, stride), store<tile>(to, stride).
// - multiply_bf16<sum, a, b>(), multiply_int8<sum, a, b>(): TDPBF16PS, TDPBSSD.
// - stream(to, from, bytes): non-temporal copy of whole 64-byte lines, ordered by fence().

inline constexpr int amx_accumulators = 4;
inline constexpr std::size_t amx_row_bytes = 64;
inline constexpr std::size_t amx_tile_bytes = 16 * amx_row_bytes;
inline constexpr std::size_t d_row_bytes = tile_columns * sizeof(float);  // int32 has the same size
inline constexpr std::size_t d_tile_bytes = tile_rows * d_row_bytes;

/// bf16: 32 elements in a row, pairs along k side by side in B.
struct AmxBf16 {
  using Element = std::uint16_t;
  using Sum = float;
  template <class Unit, int sum, int a, int b>
  static void multiply() {
    Unit::template multiply_bf16<sum, a, b>();
  }
};
/// int8: 64 elements in a row, groups of four along k side by side in B.
struct AmxInt8 {
  using Element = std::uint8_t;
  using Sum = std::int32_t;
  template <class Unit, int sum, int a, int b>
  static void multiply() {
    Unit::template multiply_int8<sum, a, b>();
  }
};

/// B (k x 32, row major) as two B tiles of 16 columns in the layout that the unit multiplies with
/// ("VNNI"): row r of a tile holds, for each column, the 4 / size elements of k rows 4 / size x r
/// and following.
template <class Number>
void pack_b(const void* b, void* packed) {
  using Element = typename Number::Element;
  constexpr int group = static_cast<int>(4 / sizeof(Element));
  constexpr int columns = static_cast<int>(tile_columns);
  constexpr int half = columns / 2;
  const auto* from = static_cast<const Element*>(b);
  auto* to = static_cast<Element*>(packed);
  for (int row = 0; row < 16; ++row) {
    for (int column = 0; column < columns; ++column) {
      for (int i = 0; i < group; ++i) {
        const int at = ((column / half) * 16 + row) * half + column % half;
        to[at * group + i] = from[(row * group + i) * columns + column];
      }
    }
  }
}

/// `repeat` times A B added to the sums of two A tiles (`pair`) or one.
template <class Unit, class Number, bool pair>
[[gnu::noinline]] void amx_multiply(std::uint64_t repeat) {
  for (; repeat != 0; --repeat) {
    Number::template multiply<Unit, 0, 4, 6>();
    Number::template multiply<Unit, 1, 4, 7>();
    if constexpr (pair) {
      Number::template multiply<Unit, 2, 5, 6>();
      Number::template multiply<Unit, 3, 5, 7>();
    }
  }
}

/// Sums of one D tile into tile registers `left` and `left + 1`.
template <class Unit, int left>
void amx_start(const char* d, bool accumulate) {
  if (accumulate) {
    Unit::template load<left>(d, d_row_bytes);
    Unit::template load<left + 1>(d + amx_row_bytes, d_row_bytes);
  } else {
    Unit::template zero<left>();
    Unit::template zero<left + 1>();
  }
}

template <class Unit, int left>
void amx_finish(char* d, bool streaming) {
  alignas(64) char line_buffer[d_tile_bytes];
  char* to = streaming ? line_buffer : d;
  Unit::template store<left>(to, d_row_bytes);
  Unit::template store<left + 1>(to + amx_row_bytes, d_row_bytes);
  if (streaming) Unit::stream(d, line_buffer, d_tile_bytes);
}

/// A TileFunction for matrix units. Two A tiles at a time, so that four sums hide the latency of
/// the unit; an odd last tile goes alone.
template <class Unit, class Number>
void amx_slice(const TileSlice& slice) {
  alignas(64) char packed[2 * amx_tile_bytes];
  pack_b<Number>(slice.b, packed);
  const auto* a = static_cast<const char*>(slice.a);
  auto* d = static_cast<char*>(slice.d);
  Unit::configure(AmxConfig{});
  Unit::template load<6>(packed, amx_row_bytes);
  Unit::template load<7>(packed + amx_tile_bytes, amx_row_bytes);
  std::uint64_t left = slice.tiles;
  for (; left >= 2; left -= 2, a += 2 * amx_tile_bytes, d += 2 * d_tile_bytes) {
    if (slice.streaming) {
      prefetch_ahead(a, d, d_tile_bytes, slice.accumulate);
      prefetch_ahead(a + amx_tile_bytes, d + d_tile_bytes, d_tile_bytes, slice.accumulate);
    }
    Unit::template load<4>(a, amx_row_bytes);
    Unit::template load<5>(a + amx_tile_bytes, amx_row_bytes);
    amx_start<Unit, 0>(d, slice.accumulate);
    amx_start<Unit, 2>(d + d_tile_bytes, slice.accumulate);
    amx_multiply<Unit, Number, true>(slice.repeat);
    amx_finish<Unit, 0>(d, slice.streaming);
    amx_finish<Unit, 2>(d + d_tile_bytes, slice.streaming);
  }
  if (left != 0) {
    Unit::template load<4>(a, amx_row_bytes);
    amx_start<Unit, 0>(d, slice.accumulate);
    amx_multiply<Unit, Number, false>(slice.repeat);
    amx_finish<Unit, 0>(d, slice.streaming);
  }
  Unit::release();
  if (slice.streaming) Unit::fence();
}

/// A peak function for matrix units: `repeat` times two A tiles by B, all in tile registers. Its
/// operands are what `start` says; `a` and `b` of a chain have no meaning here.
template <class Unit, class Number>
double amx_peak(std::uint64_t repeat, double /*a*/, double /*b*/, PeakStart start) {
  using Element = typename Number::Element;
  constexpr std::size_t tile_count = 4;  // two A tiles, two halves of B
  constexpr std::size_t elements = amx_tile_bytes / sizeof(Element);
  alignas(64) Element operands[tile_count * elements];
  for (std::size_t i = 0; i < tile_count * elements; ++i)
    operands[i] = peak_bits<Element>(i, start);
  Unit::configure(AmxConfig{});
  Unit::template load<4>(operands, amx_row_bytes);
  Unit::template load<5>(operands + elements, amx_row_bytes);
  Unit::template load<6>(operands + 2 * elements, amx_row_bytes);
  Unit::template load<7>(operands + 3 * elements, amx_row_bytes);
  amx_start<Unit, 0>(nullptr, false);
  amx_start<Unit, 2>(nullptr, false);
  amx_multiply<Unit, Number, true>(repeat);
  constexpr std::size_t sums = 2 * tile_rows * tile_columns;
  alignas(64) typename Number::Sum d[sums];
  amx_finish<Unit, 0>(reinterpret_cast<char*>(d), false);
  amx_finish<Unit, 2>(reinterpret_cast<char*>(d) + d_tile_bytes, false);
  Unit::release();
  double sum = 0;
  for (std::size_t i = 0; i < sums; ++i) sum += static_cast<double>(d[i]);
  return sum;
}

template <class Unit, class Number>
consteval PeakFunction amx_peak_function() {
  return {amx_peak<Unit, Number>, 2 * amx_tile_bytes / sizeof(typename Number::Element)};
}

}  // namespace
}  // namespace kernels::cpu
