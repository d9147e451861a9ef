// Paths of a branch: which element takes which, and what each computes; what kernels are given.
// Without library code: included by files that are compiled for one instruction set, and by nvcc.
#pragma once

#include <cstdint>

#include "kernels/case.hpp"
#include "kernels/host_device.hpp"

namespace kernels {

/// As many as a warp has threads.
inline constexpr int most_paths = 32;
/// Elements come in multiples of this: whole warps, and whole blocks of registers of every
/// instruction set.
inline constexpr std::uint64_t divergence_granule = 128;

/// Each of `most_paths` neighbours takes one of `paths`, each path equally often, in an order that
/// differs from group to group, so that no predictor of branches learns it: lane l of group g is at
/// place l k + h (mod 32), k odd and h from a hash of g (Knuth's multiplicative hash).
constexpr int path_of(std::uint64_t index, int paths) {
  const auto group = static_cast<std::uint32_t>(index / most_paths);
  const std::uint32_t hash = (group + 1) * 0x9e3779b9U;
  const auto lane = static_cast<std::uint32_t>(index % most_paths);
  const std::uint32_t place = (lane * ((hash >> 24) | 1U) + (hash >> 16)) % most_paths;
  return static_cast<int>(place) % paths;
}

/// Path p repeats x a + b. Both are exact in every type of floating point down to fp32, x tends to
/// (p + 1) / 2, and after 256 repeats an eighth of the start is still to be seen on every path.
RIDGEPOINT_BOTH constexpr float path_factor(int path) {
  return 1.0F - static_cast<float>(path + 1) / 4096;
}
RIDGEPOINT_BOTH constexpr float path_addend(int path) {
  return static_cast<float>((path + 1) * (path + 1)) / 8192;
}

/// The paths of a case of `divergence`.
int paths_of(const Case&);

namespace cpu {

/// A thread's share of a launch of `divergence`: fp32, the number of each element's path beside it.
struct DivergenceSlice {
  const float* in;
  const float* path;
  float* out;
  std::uint64_t elements;  ///< a multiple of divergence_granule
  std::uint64_t repeat;
  int paths;
};
using DivergenceFunction = void (*)(const DivergenceSlice&);

}  // namespace cpu

namespace cuda {

/// Arguments of a divergence launch: a thread per element.
struct DivergenceArguments {
  const float* in;
  const float* path;  ///< the number of each element's path
  float* out;
  std::uint64_t elements;
  std::uint32_t repeat;
};

/// fma of one trip of a path's loop.
inline constexpr int path_unroll = 16;

/// Takes DivergenceArguments.
const void* divergence_function();

}  // namespace cuda

}  // namespace kernels
