// How much work a peak run does.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace kernels::cuda {

/// Whole waves of blocks for a run of about 1 ms: launch and tail, some us, then cost below 1 %. At
/// most 64, which bounds the output.
inline std::uint64_t peak_waves(double wave_seconds) {
  constexpr double run_seconds = 1e-3;
  return static_cast<std::uint64_t>(std::clamp(std::ceil(run_seconds / wave_seconds), 1.0, 64.0));
}

}  // namespace kernels::cuda
