// Ops that peak kernels have beyond those of chains. Once for host and device, like
// kernels/ops.hpp.
#pragma once

#include "kernels/arithmetic.hpp"

namespace kernels::cuda {

// The intrinsics are what the compiler must not fuse.
RIDGEPOINT_BOTH inline float multiply_then_add(float x, float a, float b) {
#if defined(__CUDA_ARCH__)
  return __fadd_rn(__fmul_rn(x, a), b);
#else
  return kernels::plus(kernels::multiply(x, a), b);
#endif
}
RIDGEPOINT_BOTH inline double multiply_then_add(double x, double a, double b) {
#if defined(__CUDA_ARCH__)
  return __dadd_rn(__dmul_rn(x, a), b);
#else
  return kernels::plus(kernels::multiply(x, a), b);
#endif
}
RIDGEPOINT_BOTH inline Wrapping multiply_then_add(Wrapping x, Wrapping a, Wrapping b) {
  return kernels::plus(kernels::multiply(x, a), b);
}

/// Four int8 in a register, which is a sum of their products, too: x + x a, one dp4a. Each op takes
/// what the one before left. The lower two bytes keep changing, the upper two soon stand still:
/// less than the factors of a product change.
struct Int8Quad {
  std::uint32_t value;

  RIDGEPOINT_BOTH friend Int8Quad multiply_add(Int8Quad x, Int8Quad a, Int8Quad) {
#if defined(__CUDA_ARCH__)
    const auto factors = static_cast<std::int32_t>(x.value);
    return {
        static_cast<std::uint32_t>(__dp4a(factors, static_cast<std::int32_t>(a.value), factors))};
#else
    const auto factor = [](Int8Quad quad, int e) {
      return static_cast<std::int8_t>(quad.value >> (8 * e));
    };
    std::uint32_t sum = x.value;
    for (int e = 0; e < 4; ++e) sum += static_cast<std::uint32_t>(factor(x, e) * factor(a, e));
    return {sum};
#endif
  }
};

/// A product and a sum, each rounded: two instructions.
struct MulAdd {
  static constexpr Op op = Op::mul_add;
  template <class X>
  RIDGEPOINT_BOTH static X apply(X x, X a, X b) {
    return multiply_then_add(x, a, b);
  }
};

}  // namespace kernels::cuda
