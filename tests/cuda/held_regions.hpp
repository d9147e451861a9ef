// Times what is no case, such as copies by CUDA, as trials are timed: on a stream that is held
// until all is queued, over regions that are long beside what events and the ends of copies cost.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "kernels/cuda/runtime/gpu.hpp"
#include "kernels/device.hpp"

namespace tests {

/// Seconds of one `queue`, in regions of as many as last `least_seconds`; 0: of one each. Throws
/// Unsupported where the stream cannot be held.
inline std::vector<double> held_regions(kernels::cuda::Gpu& gpu, int samples, double least_seconds,
                                        const std::function<void()>& queue) {
  constexpr double most_runs = 256;  // a held stream takes about a thousand launches
  constexpr double aimed = 1.3, clock_step = 0.5e-6;
  kernels::cuda::Holds holds;
  const double one = std::max(clock_step, gpu.timer().warm_region(holds, queue));
  const double runs = std::clamp(std::ceil(aimed * least_seconds / one), 1.0, most_runs);
  std::vector<double> seconds;
  for (int sample = 0; sample < samples; ++sample) {
    const double region = gpu.timer().region(holds, [&] {
      for (int run = 0; run < static_cast<int>(runs); ++run) queue();
    });
    seconds.push_back(region / runs);
  }
  if (!holds.given_up()) return seconds;
  throw kernels::Unsupported(
      "the hold on the stream timed out three times in a row, as under a debugger or "
      "CUDA_LAUNCH_BLOCKING: its times would include those of queueing");
}

}  // namespace tests
