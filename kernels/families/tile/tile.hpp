// The shape of a tile, and the work of multiplying it.
#pragma once

#include "kernels/case.hpp"
#include "kernels/host_device.hpp"

namespace kernels {

/// Every A tile has 16 rows of 64 bytes, so k = 64 / size; it is multiplied by a k x 32 tile B. The
/// same shape serves AMX (two B tiles) and mma.sync (two k steps of four n8 fragments).
inline constexpr std::uint64_t tile_rows = 16;
inline constexpr std::uint64_t tile_columns = 32;
inline constexpr std::uint64_t tile_row_bytes = 64;
RIDGEPOINT_BOTH constexpr std::uint64_t tile_depth(Dtype dtype) {
  return tile_row_bytes / size_of(dtype);
}
constexpr std::uint64_t tile_elements(Dtype dtype) { return tile_rows * tile_depth(dtype); }

/// FLOP of all tiles of a case: (N / 16k) 2 16 32 k r.
double tile_flops(const Case&);

}  // namespace kernels
