// Samples of what pointwise operators wrote, against the reference.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

#include "kernels/cuda/runtime/gpu.hpp"
#include "kernels/device.hpp"
#include "kernels/families/pointwise_reference.hpp"
#include "kernels/families/reference.hpp"

namespace kernels::cuda {

/// A tensor of a case's elements in device memory.
struct Written {
  const void* data = nullptr;
  std::string name;  ///< how a message about it begins; empty: it needs none
  /// What belongs in an element.
  std::function<Expected(std::uint64_t element)> expected;
};

/// Compares about `samples` elements, spread by `seed`, where the reference tells; `deviation`
/// takes them. Throws Cancelled.
Check compare_samples(Gpu&, const Case&, const Written&, std::uint64_t samples, std::uint64_t seed,
                      Deviation& deviation, const std::stop_token&);

}  // namespace kernels::cuda
