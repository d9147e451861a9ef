// Memory of one tile launch in tests: A, B and D as a kernel gets them, with a guard behind D.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <new>
#include <vector>

#include "kernels/cpu/simd/isa.hpp"
#include "kernels/families/tile/tile.hpp"

namespace kernels::cpu {

/// 64-byte aligned bytes, poisoned with 0xff (NaN in every floating-point dtype).
class AlignedBytes {
 public:
  explicit AlignedBytes(std::size_t size) : memory_(size + alignment, 0xff) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    first_ = (alignment - address % alignment) % alignment;
  }
  std::uint8_t* data() { return memory_.data() + first_; }

 private:
  static constexpr std::size_t alignment = 64;
  std::vector<std::uint8_t> memory_;
  std::size_t first_;
};

/// Value of element `index` of A, B or D.
using Values = std::function<double(std::uint64_t index)>;

struct TileBuffers {
  TileBuffers(Dtype type, std::uint64_t tile_count)
      : dtype(type),
        tiles(tile_count),
        a(tile_count * tile_rows * tile_row_bytes),
        b(tile_depth(type) * tile_columns * size_of(type)),
        d(tile_count * d_bytes() + guard_bytes) {}

  std::size_t d_bytes() const { return tile_rows * tile_columns * info_of(dtype).accumulator_size; }
  Dtype accumulator() const {
    if (info_of(dtype).integer) return Dtype::int32;
    return dtype == Dtype::fp64 ? Dtype::fp64 : Dtype::fp32;
  }
  static void fill(Dtype type, std::uint8_t* to, std::uint64_t count, const Values& values) {
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t bits = encode(type, values(i));
      std::memcpy(to + i * size_of(type), &bits, size_of(type));
    }
  }
  void fill_a(const Values& values) { fill(dtype, a.data(), tiles * tile_elements(dtype), values); }
  void fill_b(const Values& values) {
    fill(dtype, b.data(), tile_depth(dtype) * tile_columns, values);
  }
  void fill_d(const Values& values) {
    fill(accumulator(), d.data(), tiles * tile_rows * tile_columns, values);
  }
  const std::uint8_t* a_tile(std::uint64_t tile) {
    return a.data() + tile * tile_rows * tile_row_bytes;
  }
  const std::uint8_t* d_tile(std::uint64_t tile) { return d.data() + tile * d_bytes(); }
  double d_value(std::uint64_t index) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, d.data() + index * size_of(accumulator()), size_of(accumulator()));
    return decode(accumulator(), bits);
  }
  bool guard_intact() {
    const std::uint8_t* guard = d.data() + tiles * d_bytes();
    for (std::size_t i = 0; i < guard_bytes; ++i) {
      if (guard[i] != 0xff) return false;
    }
    return true;
  }

  static constexpr std::size_t guard_bytes = 256;
  Dtype dtype;
  std::uint64_t tiles;
  AlignedBytes a, b, d;
};

}  // namespace kernels::cpu
