// How tiles in memory become the operands of a tile kernel: used where they lie, or converted once
// into L1. Included by files that are compiled for one instruction set, see op_loop.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/case.hpp"
#include "kernels/families/tile/tile.hpp"

namespace kernels::cpu {
namespace {

/// Asks for the A tile (and the D tile that is read first) some tiles ahead, for a working set in
/// DRAM; 3 KiB measured best for a fused sweep.
[[gnu::always_inline]] inline void prefetch_ahead(const char* a, const char* d, std::size_t d_bytes,
                                                  bool d_is_read) {
  constexpr std::size_t line = 64;
  constexpr std::size_t a_bytes = tile_rows * tile_row_bytes;
  constexpr std::size_t tiles_ahead = 3;
  for (std::size_t at = 0; at < a_bytes; at += line) {
    __builtin_prefetch(a + tiles_ahead * a_bytes + at);
  }
  if (d_is_read) {
    for (std::size_t at = 0; at < d_bytes; at += line) {
      __builtin_prefetch(d + tiles_ahead * d_bytes + at);
    }
  }
}

/// fp64 and fp32: memory holds what the arithmetic takes.
template <class Element>
class DirectStorage {
 public:
  static constexpr int depth = static_cast<int>(tile_row_bytes / sizeof(Element));

  explicit DirectStorage(const void* b) : b_(static_cast<const Element*>(b)) {}
  const Element* a(const void* tile) const { return static_cast<const Element*>(tile); }
  const Element* b() const { return b_; }

 private:
  const Element* b_;
};

/// fp16 and bf16 that are only storage: every A tile is widened to fp32 once, B once per slice.
/// `Widen::load` turns Simd::lanes 16-bit values into one register of fp32.
template <class Simd, class Widen>
class WidenedStorage {
 public:
  static constexpr int depth = static_cast<int>(tile_row_bytes / sizeof(std::uint16_t));

  explicit WidenedStorage(const void* b) { widen(b, b_, depth * static_cast<int>(tile_columns)); }
  const float* a(const void* tile) {
    widen(tile, a_, static_cast<int>(tile_rows) * depth);
    return a_;
  }
  const float* b() const { return b_; }

 private:
  static void widen(const void* from, float* to, int count) {
    const auto* values = static_cast<const std::uint16_t*>(from);
    for (int i = 0; i < count; i += Simd::lanes) Simd::store(to + i, Widen::load(values + i));
  }

  alignas(64) float a_[tile_rows * depth];
  alignas(64) float b_[tile_columns * depth];
};

/// int8: widened to int16, whose products are exact when summed in pairs. Pairs along k lie side by
/// side.
class PairedStorage {
 public:
  static constexpr int depth = static_cast<int>(tile_row_bytes / 2);  // in pairs

  explicit PairedStorage(const void* b) {
    const auto* values = static_cast<const std::int8_t*>(b);
    constexpr int columns = static_cast<int>(tile_columns);
    for (int k = 0; k < 2 * depth; ++k) {
      for (int j = 0; j < columns; ++j) {
        b_[(k / 2 * columns + j) * 2 + k % 2] = values[k * columns + j];
      }
    }
  }
  const std::int16_t* a(const void* tile) {
    const auto* values = static_cast<const std::int8_t*>(tile);
    for (std::size_t i = 0; i < tile_rows * tile_row_bytes; ++i) a_[i] = values[i];
    return a_;
  }
  const std::int16_t* b() const { return b_; }

 private:
  alignas(64) std::int16_t a_[tile_rows * tile_row_bytes];
  alignas(64) std::int16_t b_[tile_columns * tile_row_bytes];
};

/// Groups along k of B side by side, as dot product instructions take them.
template <class Element, int group>
[[gnu::always_inline]] inline void interleave(const Element* values, Element* b, int groups) {
  constexpr int columns = static_cast<int>(tile_columns);
  for (int k = 0; k < groups * group; ++k) {
    for (int j = 0; j < columns; ++j) {
      b[(k / group * columns + j) * group + k % group] = values[k * columns + j];
    }
  }
}

/// A is used where it lies: its rows hold groups along k as they are.
template <class Element, int group>
class GroupedStorage {
 public:
  static constexpr int depth = static_cast<int>(tile_row_bytes / sizeof(Element)) / group;

  explicit GroupedStorage(const void* b) {
    interleave<Element, group>(static_cast<const Element*>(b), b_, depth);
  }
  const Element* a(const void* tile) const { return static_cast<const Element*>(tile); }
  const Element* b() const { return b_; }

 private:
  alignas(64) Element b_[tile_columns * tile_row_bytes / sizeof(Element)];
};

/// int8 for instructions that multiply unsigned by signed bytes: A is 128 larger, and what this
/// adds to a sum is taken off it at the start.
class QuadStorage {
 public:
  static constexpr int depth = static_cast<int>(tile_row_bytes / 4);

  explicit QuadStorage(const void* b) {
    const auto* values = static_cast<const std::uint8_t*>(b);
    interleave<std::uint8_t, 4>(values, b_, depth);
    for (std::size_t j = 0; j < tile_columns; ++j) {
      std::int32_t sum = 0;
      for (std::size_t k = 0; k < tile_row_bytes; ++k) {
        sum += static_cast<std::int8_t>(values[k * tile_columns + j]);
      }
      bias_[j] = -128 * sum;
    }
  }
  const std::uint8_t* a(const void* tile) {
    const auto* values = static_cast<const std::uint8_t*>(tile);
    for (std::size_t i = 0; i < tile_rows * tile_row_bytes; ++i) {
      a_[i] = static_cast<std::uint8_t>(values[i] ^ 0x80U);
    }
    return a_;
  }
  const std::uint8_t* b() const { return b_; }
  /// Of one product: a row of D.
  const std::int32_t* bias() const { return bias_; }

 private:
  alignas(64) std::uint8_t a_[tile_rows * tile_row_bytes];
  alignas(64) std::uint8_t b_[tile_columns * tile_row_bytes];
  alignas(64) std::int32_t bias_[tile_columns];
};

}  // namespace
}  // namespace kernels::cpu
