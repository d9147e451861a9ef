// The case of each kernel whose work the hardware counts (gpu_work.cpp, under ncu): large enough
// that caches do not hide what it moves, and of few launches, since each is run several times.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/device.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/matmul/matmul.hpp"
#include "kernels/families/rowwise/rowwise.hpp"

namespace tests {

inline kernels::Case counted_case(const kernels::Device& gpu, const kernels::Kernel& row,
                                  kernels::Fusion fusion) {
  using namespace kernels;
  // A cache keeps up to its size of what was written; 24 times that in each tensor makes it less
  // than the tolerance.
  constexpr double tensor_of_caches = 24;
  constexpr std::uint64_t chain_repeat = 8, unfused_repeat = 2, peak_repeat = 1024;
  // Whole tiles, so that every product that is computed is one of the case.
  constexpr MatmulSize whole_tiles{2048, 2048, 2048};
  constexpr std::uint64_t shared_bytes = 32768;  // of each multiprocessor, as the roof

  Case c{.family = row.family,
         .ops = row.op,
         .dtype = row.dtype,
         .fusion = fusion,
         .units = row.units,
         .repeat = fusion == Fusion::fused ? chain_repeat : unfused_repeat};
  if (row.family == Family::matmul) {
    c.repeat = 1;
    return with_size(c, whole_tiles);
  }
  if (row.family == Family::peak) {
    c.repeat = peak_repeat;
    return c;
  }
  if (row.family == Family::stream && row.op == Op::shared) {
    c.elements = shared_bytes / size_of(row.dtype) *
                 static_cast<std::uint64_t>(std::max(1, gpu.info().multiprocessors));
    return c;
  }
  const bool once =
      row.family == Family::stream || (row.family->for_labs && row.family != Family::divergence);
  if (once) c.repeat = 1;
  const double bytes =
      std::min(tensor_of_caches * gpu.info().last_level_cache(), gpu.free_bytes() / 16);
  const std::uint64_t unit =
      row.family == Family::rowwise ? usual_columns * row_block : granule_of(row.family, row.dtype);
  c.elements = static_cast<std::uint64_t>(bytes) / size_of(row.dtype) / unit * unit;
  return c;
}

}  // namespace tests
