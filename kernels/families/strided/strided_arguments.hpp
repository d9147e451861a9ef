// What the host hands to the kernel of strided reads. Plain C++.
#pragma once

#include <cstdint>

namespace kernels::cuda {

inline constexpr int strided_threads = 256;
inline constexpr int strided_warps = strided_threads / 32;
/// sums[g] = the sum of the words of group g, modulo 2^32.
struct StridedArguments {
  const std::uint32_t* words;  ///< the first that is read
  std::uint32_t* sums;
  std::uint64_t groups, first_group;
  std::uint64_t stride;
};

/// Takes StridedArguments; `strided_threads` per block.
const void* strided_function();

}  // namespace kernels::cuda
