// What one thread of a banks launch does: it reads words of shared memory, each of which lies a
// stride behind that of the thread before. Plain C++, so that tests run it on the host.
#pragma once

#include <cstdint>

#include "kernels/families/banks/banks.hpp"
#include "kernels/families/banks/banks_arguments.hpp"
#include "kernels/host_device.hpp"

namespace kernels::cuda {

/// Loads that a thread has under way, which also share what the loop costs.
inline constexpr int banks_in_flight = bank_skew;

/// What a lane of a warp makes of its words.
RIDGEPOINT_BOTH inline std::uint32_t banks_thread(const std::uint32_t* table,
                                                  const BanksArguments& args, std::uint64_t group,
                                                  std::uint32_t lane) {
  constexpr std::uint32_t reads = bank_reads;
  const std::uint32_t* first = table + lane * args.stride;
  std::uint32_t next = static_cast<std::uint32_t>(group * bank_skew) % reads;
  std::uint32_t sum = 0;
#pragma unroll 1
  for (std::uint32_t trip = 0; trip < reads / banks_in_flight; ++trip) {
    std::uint32_t read[banks_in_flight];
#pragma unroll
    for (int i = 0; i < banks_in_flight; ++i) read[i] = first[next + i];
#pragma unroll
    for (int i = 0; i < banks_in_flight; ++i) sum = sum * bank_factor + read[i];
    next = (next + banks_in_flight) % reads;
  }
  return sum;
}

}  // namespace kernels::cuda
