// What a peak kernel and its reference must agree on: the first value of every chain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/cpu/simd/isa.hpp"

namespace kernels::cpu {

/// First value of chain i: 64 different values in [1, 2), exact in every floating-point dtype;
/// integers fill both 16-bit halves, because int8 kernels see a lane as a pair of int16. Or 0.
template <class Element>
[[gnu::always_inline]] inline auto peak_start(int i, PeakStart start) {
  using Value = std::conditional_t<std::is_integral_v<Element>, int, float>;
  if (start == PeakStart::zeros) return Value{0};
  if constexpr (std::is_integral_v<Element>) {
    return (64 + i % 64) * 0x10001;
  } else {
    return 1 + static_cast<float>(i % 64) / 64;
  }
}

/// Bits of operand i of a matrix peak kernel, mixed by the finalizer of MurmurHash3: any int8, or a
/// bf16 with random sign and magnitude in [0.5, 2), or 0, or an integer from -8 to 7.
template <class Element>
[[gnu::always_inline]] inline Element peak_bits(std::size_t i, PeakStart start) {
  if (start == PeakStart::zeros) return 0;
  auto x = static_cast<std::uint32_t>(i) + 1;
  x = (x ^ (x >> 16)) * 0x85ebca6bU;
  x = (x ^ (x >> 13)) * 0xc2b2ae35U;
  x ^= x >> 16;
  if constexpr (sizeof(Element) == 1) {
    return static_cast<Element>(x);
  } else if (start == PeakStart::integers) {
    const float small = static_cast<float>(x >> 28) - 8;
    return static_cast<Element>(__builtin_bit_cast(std::uint32_t, small) >> 16);
  } else {
    return static_cast<Element>((x & 0x8000U) | (0x3f00U + ((x >> 16) & 0xffU)));
  }
}

}  // namespace kernels::cpu
