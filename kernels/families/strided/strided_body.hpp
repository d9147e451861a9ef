// What one thread of a strided launch does: its warp reads a group of words, each of which lies a
// stride behind that of the thread before. Plain C++, so that tests run it on the host.
#pragma once

#include <cstdint>

#include "kernels/cuda/bodies/arguments.hpp"
#include "kernels/families/strided/strided.hpp"
#include "kernels/families/strided/strided_arguments.hpp"
#include "kernels/host_device.hpp"

namespace kernels::cuda {

/// Loads that a thread has under way: 2048 threads of a multiprocessor then wait for 64 KiB, more
/// than its share of the bandwidth times the latency of memory.
inline constexpr int strided_in_flight = 8;

/// The group of a thread's warp.
RIDGEPOINT_BOTH inline std::uint64_t strided_group_of(const StridedArguments& args, Place place) {
  return args.first_group + place.block * strided_warps + place.thread / 32;
}

/// The part of the sum of its group that a thread adds up.
RIDGEPOINT_BOTH inline std::uint32_t strided_thread(const StridedArguments& args, Place place) {
  constexpr std::uint64_t trips = strided_group / 32 / strided_in_flight;
  const std::uint64_t first = strided_group_of(args, place) * strided_group + place.thread % 32;
  const std::uint32_t* word = args.words + first * args.stride;
  const std::uint64_t next = 32 * args.stride;
  std::uint32_t sum = 0;
#pragma unroll 1
  for (std::uint64_t trip = 0; trip < trips; ++trip) {
    std::uint32_t read[strided_in_flight];
#pragma unroll
    for (int i = 0; i < strided_in_flight; ++i)
      read[i] = word[static_cast<std::uint64_t>(i) * next];
#pragma unroll
    for (int i = 0; i < strided_in_flight; ++i) sum += read[i];
    word += strided_in_flight * next;
  }
  return sum;
}

}  // namespace kernels::cuda
