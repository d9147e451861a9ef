// What one thread does in a step: it reads what its neighbour wrote in the step before, and adds
// one. Plain C++, so that tests run it on the host.
#pragma once

#include <cstdint>

#include "kernels/cuda/bodies/arguments.hpp"
#include "kernels/host_device.hpp"

namespace kernels::cuda {

/// Threads of a block: one warp on each multiprocessor.
inline constexpr int step_threads = 32;

RIDGEPOINT_BOTH inline void step_thread(const float* in, float* out, std::uint32_t elements,
                                        Place place) {
  const auto i = static_cast<std::uint32_t>(place.block) * place.threads + place.thread;
  if (i < elements) out[i] = in[i + 1 == elements ? 0 : i + 1] + 1;
}

}  // namespace kernels::cuda
