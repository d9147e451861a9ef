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

/// A product and a sum, each rounded: two instructions.
struct MulAdd {
  static constexpr Op op = Op::mul_add;
  template <class X>
  RIDGEPOINT_BOTH static X apply(X x, X a, X b) {
    return multiply_then_add(x, a, b);
  }
};

}  // namespace kernels::cuda
