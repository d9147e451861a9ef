#include "kernels/cuda/trials/matrix_peak_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/cuda/bodies/mma_layout.hpp"
#include "kernels/cuda/bodies/wgmma_layout.hpp"
#include "kernels/families/tile/tile.hpp"

namespace kernels::cuda {
namespace {

constexpr int columns_per_tile = static_cast<int>(tile_columns);

MatrixPeakKernel warpgroup_kernel(Dtype dtype, const ShapeValues& shape) {
  static const auto kernels = wgmma_kernels();
  const int accumulators = shape.number("accumulators", 128);
  const bool in_registers = shape.is("A from", "registers");
  const auto kernel = std::ranges::find_if(kernels, [&](const WgmmaKernel& k) {
    return k.dtype == dtype && wgmma_accumulators(k.columns) == accumulators &&
           k.a_in_registers == in_registers;
  });
  if (kernel == kernels.end()) {
    throw Unsupported(
        fmt::format("no wgmma of {} with {} accumulators", name_of(dtype), accumulators));
  }
  const bool plain = shape.is("layout", "plain");
  return {.function = kernel->peak,
          .warpgroup = true,
          .a_tiles = wgmma_rows / static_cast<int>(tile_rows),
          .b_tiles = kernel->columns / columns_per_tile,
          .accumulators = accumulators,
          .layout = plain ? WgmmaLayout::plain : WgmmaLayout::swizzled,
          .words = fmt::format("wgmma m64n{}k{}, A from {}, shared memory {}", kernel->columns,
                               wgmma_step_bytes / size_of(dtype),
                               in_registers ? "registers" : "shared memory",
                               plain ? "plain" : "swizzled")};
}

MatrixPeakKernel warp_kernel(Dtype dtype, const ShapeValues& shape, int architecture) {
  static const auto kernels = matrix_kernels();
  const int accumulators = shape.number("accumulators", 32);
  const auto tiles = std::ranges::find(peak_warp_tiles, accumulators / mma_accumulators);
  const auto kernel = std::ranges::find(kernels, dtype, &MatrixKernel::dtype);
  const auto index = static_cast<std::size_t>(tiles - peak_warp_tiles.begin());
  if (kernel == kernels.end() || tiles == peak_warp_tiles.end() || kernel->peak[index] == nullptr) {
    throw Unsupported(
        fmt::format("no mma.sync of {} with {} accumulators", name_of(dtype), accumulators));
  }
  const MmaShape mma = mma_shape(dtype, architecture);
  return {.function = kernel->peak[index],
          .warpgroup = false,
          .a_tiles = tile_warps * *tiles,
          .b_tiles = 1,
          .accumulators = accumulators,
          .layout = {},
          .words = fmt::format("mma.sync m{}n8k{}, {} accumulators", mma.rows,
                               mma_depth(mma, dtype), accumulators)};
}

}  // namespace

AccumulatorPlace MatrixPeakKernel::place(int thread, int i) const {
  if (warpgroup) {
    const int row = wgmma_d_row(thread, i), column = wgmma_d_column(thread, i);
    return {row / static_cast<int>(tile_rows), column / columns_per_tile,
            row % static_cast<int>(tile_rows), column % columns_per_tile};
  }
  const int lane = thread % 32;
  const int in_tile = i % mma_accumulators;
  return {thread / 32 * (a_tiles / tile_warps) + i / mma_accumulators, 0,
          mma_row(lane, in_tile % 4 / 2), mma_d_column(lane, in_tile / 4, in_tile % 2)};
}

MatrixPeakKernel matrix_peak_kernel(const Case& c, const ShapeValues& shape,
                                    Architecture architecture) {
  return uses_wgmma(c, architecture) ? warpgroup_kernel(c.dtype, shape)
                                     : warp_kernel(c.dtype, shape, architecture.code);
}

}  // namespace kernels::cuda
