// Kernels of the host side that are never timed: the clock behind a timed region, and data whose
// products are exact. Plain C++, like tables.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "kernels/dtypes.hpp"

namespace kernels::cuda {

/// Clocks of a multiprocessor while the GPU's timer advanced by `nanoseconds`.
struct ClockSample {
  std::uint64_t cycles;
  std::uint64_t nanoseconds;
};

/// Every block measures for `nanoseconds` and leaves samples[block]. It ends after `most_cycles`
/// though the timer stands still.
struct ProbeArguments {
  ClockSample* samples;
  std::uint64_t nanoseconds;
  std::uint64_t most_cycles;
};

/// The clock that samples tell, Hz, their median; nothing when none of them makes sense.
std::optional<double> clock_of(std::span<const ClockSample>);

/// out[i] = sparse_bits(dtype, seed, i, magnitude_bits, density).
struct SparseArguments {
  void* out;
  std::uint64_t elements, seed;
  Dtype dtype;
  int magnitude_bits;
  std::uint32_t density;
};

struct HelperKernels {
  const void* probe;   ///< ProbeArguments
  const void* sparse;  ///< SparseArguments
};
HelperKernels helper_kernels();

}  // namespace kernels::cuda
