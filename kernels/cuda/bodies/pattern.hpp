// What input tensors hold: pure functions of (seed, index), for kernels and for the reference.
#pragma once

#include <cstdint>

#include "kernels/case.hpp"
#include "kernels/cuda/bodies/arguments.hpp"
#include "kernels/families/tile/tile.hpp"
#include "kernels/host_device.hpp"
#include "kernels/random.hpp"

namespace kernels::cuda {

/// Bits of 1, or of -1.
RIDGEPOINT_BOTH constexpr std::uint64_t unit_bits(Dtype dtype, bool negative) {
  switch (dtype) {
    case Dtype::fp64:
      return negative ? 0xbff0000000000000U : 0x3ff0000000000000U;
    case Dtype::fp32:
    case Dtype::tf32:
      return negative ? 0xbf800000U : 0x3f800000U;
    case Dtype::fp16:
      return negative ? 0xbc00U : 0x3c00U;
    case Dtype::bf16:
      return negative ? 0xbf80U : 0x3f80U;
    case Dtype::fp8:
      return negative ? 0xb8U : 0x38U;
    case Dtype::int32:
      return negative ? 0xffffffffU : 1U;
    case Dtype::int8:
      return negative ? 0xffU : 1U;
  }
  return 0;
}

/// Element `index` in the low size_of(dtype) bytes. random: as random_bits. zeros: for Case::data.
/// unit_rows as A and signs as B make every element of A B 1 or -1, so that a product repeated
/// `max_repeat` times is exact in every accumulator (fp8 on Hopper has 14 bits): unit_rows holds
/// one 1 or -1 in each row of a tile, at a random place, and signs nothing but 1 and -1.
RIDGEPOINT_BOTH constexpr std::uint64_t pattern_bits(Pattern pattern, Dtype dtype,
                                                     std::uint64_t seed, std::uint64_t index) {
  if (pattern == Pattern::random) return random_bits(dtype, seed, index);
  if (pattern == Pattern::zeros) return 0;
  // The bits of a random int32 are those of its word.
  if (pattern == Pattern::signs) {
    return unit_bits(dtype, (random_bits(Dtype::int32, seed, index) & 0x10000U) != 0);
  }
  const std::uint64_t word = random_bits(Dtype::int32, seed, index / tile_depth(dtype));
  const bool here = index % tile_depth(dtype) == word % tile_depth(dtype);
  return here ? unit_bits(dtype, (word & 0x10000U) != 0) : 0;
}

constexpr Pattern pattern_of(Data data) {
  return data == Data::zeros ? Pattern::zeros : Pattern::random;
}

}  // namespace kernels::cuda
