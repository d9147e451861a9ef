// The reference of `tile` kernels for tiles as they lie in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/families/reference.hpp"
#include "kernels/families/tile/tile_reference.hpp"

namespace kernels {

inline std::vector<double> values_of(Dtype dtype, const void* memory, std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = decode(dtype, bits_at(memory, i, size_of(dtype)));
  return values;
}

/// `start`: D before, or nullptr.
inline TileReference tile_reference(Dtype dtype, Units units, const void* a, const void* b,
                                    std::uint64_t repeat, const void* start) {
  const std::size_t depth = tile_depth(dtype);
  std::vector<double> before;
  if (start != nullptr) before = values_of(accumulator_of(dtype), start, tile_rows * tile_columns);
  return tile_reference(dtype, units, values_of(dtype, a, tile_rows * depth),
                        values_of(dtype, b, depth * tile_columns), repeat, before);
}

inline Check check_tile(const TileReference& reference, Dtype dtype, const void* d,
                        std::uint64_t tile) {
  return check_tile(reference, values_of(accumulator_of(dtype), d, reference.value.size()), tile);
}

}  // namespace kernels
