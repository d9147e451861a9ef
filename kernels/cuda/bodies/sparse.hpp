// Input whose matrix products are exact in every accumulator: sparse integers. Once for host and
// device.
#pragma once

#include <cstdint>

#include "kernels/host_device.hpp"
#include "kernels/random.hpp"

namespace kernels::cuda {

/// Where an integer below 2^significand_bits lies in a floating-point format of `bits` bits.
struct FloatFormat {
  int bits;
  int significand_bits;  ///< with the implicit one
  int bias;
};
RIDGEPOINT_BOTH constexpr FloatFormat format_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::fp64:
      return {64, 53, 1023};
    case Dtype::fp16:
      return {16, 11, 15};
    case Dtype::bf16:
      return {16, 8, 127};
    case Dtype::fp8:
      return {8, 4, 7};
    default:
      return {32, 24, 127};
  }
}

/// Bit pattern of +-magnitude, magnitude of at most as many bits as the type's significand.
RIDGEPOINT_BOTH constexpr std::uint64_t integer_bits(Dtype dtype, std::uint64_t magnitude,
                                                     bool negative) {
  if (dtype == Dtype::int8 || dtype == Dtype::int32) {
    const std::uint64_t wide = negative ? 0 - magnitude : magnitude;
    return dtype == Dtype::int8 ? wide & 0xffU : wide & 0xffffffffU;
  }
  const FloatFormat format = format_of(dtype);
  if (magnitude == 0) return 0;
  int exponent = 0;
  while ((magnitude >> exponent) > 1) ++exponent;
  const int fraction_bits = format.significand_bits - 1;
  const std::uint64_t fraction =
      (magnitude << (fraction_bits - exponent)) & ((std::uint64_t{1} << fraction_bits) - 1);
  const auto biased = static_cast<std::uint64_t>(exponent + format.bias);
  return (std::uint64_t{negative} << (format.bits - 1)) | (biased << fraction_bits) | fraction;
}

/// Element `index`: with chance density / 2^16 an odd integer of random sign, its magnitude of up
/// to `magnitude_bits` bits, else 0.
RIDGEPOINT_BOTH constexpr std::uint64_t sparse_bits(Dtype dtype, std::uint64_t seed,
                                                    std::uint64_t index, int magnitude_bits,
                                                    std::uint32_t density) {
  const std::uint32_t key = random_key(seed, static_cast<std::uint32_t>(index >> 32));
  const std::uint32_t word = random_word(key, static_cast<std::uint32_t>(index));
  if ((word & 0xffffU) >= density) return 0;
  const std::uint64_t more = (std::uint64_t{mix_bits(word ^ 0x9e3779b9U)} << 32) | mix_bits(word);
  const std::uint64_t mask = (std::uint64_t{1} << magnitude_bits) - 1;
  return integer_bits(dtype, (more & mask) | 1, (word >> 31) != 0);
}

}  // namespace kernels::cuda
