// Random input as pure functions of (seed, index), so that a host loop, a device kernel and the
// reference make the same element alone, in any order.
#pragma once

#include <cstdint>

#include "kernels/dtypes.hpp"
#include "kernels/host_device.hpp"

namespace kernels {

/// Bijective 32-bit mixer "lowbias32" of Chris Wellons' hash-prospector (two multiplies;
/// vectorizes).
RIDGEPOINT_BOTH constexpr std::uint32_t mix_bits(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352dU;
  x ^= x >> 15;
  x *= 0x846ca68bU;
  return x ^ (x >> 16);
}

/// Key of 2^32 consecutive elements of a tensor: `block` is index >> 32.
RIDGEPOINT_BOTH constexpr std::uint32_t random_key(std::uint64_t seed, std::uint32_t block) {
  const auto low = static_cast<std::uint32_t>(seed);
  const auto high = static_cast<std::uint32_t>(seed >> 32);
  return mix_bits(mix_bits(mix_bits(low) ^ high) + block);
}

/// 32 random bits of element `index` (low half) in the block of this key.
RIDGEPOINT_BOTH constexpr std::uint32_t random_word(std::uint32_t key, std::uint32_t index) {
  return mix_bits(index ^ key);
}

/// Bit patterns from a random word: random sign and mantissa, exponent -1 or 0, so the magnitude is
/// in [0.5, 2).
RIDGEPOINT_BOTH constexpr std::uint16_t random_fp16(std::uint32_t word) {
  return static_cast<std::uint16_t>(((word >> 16) & 0x8000U) | (0x3800U + ((word >> 8) & 0x7ffU)));
}
RIDGEPOINT_BOTH constexpr std::uint16_t random_bf16(std::uint32_t word) {
  return static_cast<std::uint16_t>(((word >> 16) & 0x8000U) | (0x3f00U + ((word >> 8) & 0xffU)));
}
RIDGEPOINT_BOTH constexpr std::uint8_t random_fp8(std::uint32_t word) {
  return static_cast<std::uint8_t>(((word >> 24) & 0x80U) | (0x30U + ((word >> 8) & 0xfU)));
}
RIDGEPOINT_BOTH constexpr std::uint32_t random_fp32(std::uint32_t word) {
  return (word & 0x80000000U) | (0x3f000000U + ((word >> 7) & 0xffffffU));
}
RIDGEPOINT_BOTH constexpr std::uint32_t random_tf32(std::uint32_t word) {
  return random_fp32(word) & 0xffffe000U;
}
RIDGEPOINT_BOTH constexpr std::uint64_t random_fp64(std::uint32_t word) {
  const std::uint64_t low = mix_bits(word ^ 0x9e3779b9U);
  const std::uint64_t bits = (std::uint64_t{word} << 32) | low;
  return (bits & 0x8000000000000000U) | (0x3fe0000000000000U + ((bits >> 10) & 0x1fffffffffffffU));
}
/// -8..7, so that sums of products of thousands of elements fit an int32.
RIDGEPOINT_BOTH constexpr std::int8_t random_int8(std::uint32_t word) {
  return static_cast<std::int8_t>(static_cast<int>(word >> 28) - 8);
}

/// The bit pattern of a random element in the low size_of(dtype) bytes.
RIDGEPOINT_BOTH constexpr std::uint64_t random_bits(Dtype dtype, std::uint64_t seed,
                                                    std::uint64_t index) {
  const std::uint32_t key = random_key(seed, static_cast<std::uint32_t>(index >> 32));
  const std::uint32_t word = random_word(key, static_cast<std::uint32_t>(index));
  switch (dtype) {
    case Dtype::fp64:
      return random_fp64(word);
    case Dtype::fp32:
      return random_fp32(word);
    case Dtype::tf32:
      return random_tf32(word);
    case Dtype::fp16:
      return random_fp16(word);
    case Dtype::bf16:
      return random_bf16(word);
    case Dtype::fp8:
      return random_fp8(word);
    case Dtype::int32:
      return word;
    case Dtype::int8:
      return static_cast<std::uint8_t>(random_int8(word));
  }
  return 0;
}

/// Whether dropout keeps an element of a tensor: half of them, by the top bit of a product with an
/// odd number (Knuth's multiplicative hash).
RIDGEPOINT_BOTH constexpr bool keeps(Dtype dtype, std::uint64_t index) {
  if (dtype == Dtype::fp64) return (index * 0x9e3779b97f4a7c15U) >> 63 != 0;
  return (static_cast<std::uint32_t>(index) * 0x9e3779b9U) >> 31 != 0;
}

}  // namespace kernels
