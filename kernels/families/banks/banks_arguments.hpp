// What the host hands to the kernel of reads with bank conflicts. Plain C++.
#pragma once

#include <cstdint>

namespace kernels::cuda {

inline constexpr int banks_threads = 256;
inline constexpr int banks_warps = banks_threads / 32;

/// sums[g] = the sum of what the threads of group g's warp made of their words, modulo 2^32.
struct BanksArguments {
  const std::uint32_t* words;  ///< `bank_table`, which each block copies to shared memory
  std::uint32_t* sums;
  std::uint64_t groups, first_group;
  std::uint32_t stride;
};

/// Takes BanksArguments; `banks_threads` per block.
const void* banks_function();

}  // namespace kernels::cuda
