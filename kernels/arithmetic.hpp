// The arithmetic of chain and peak kernels, once for host and device: an op is one struct here and
// one entry in ChainOps. Element types bring `multiply`, `plus` and `multiply_add`; those of the
// C++ language are here, those of CUDA beside their kernels.
#pragma once

#include <cmath>
#include <cstdint>
#include <tuple>

#include "kernels/case.hpp"
#include "kernels/host_device.hpp"

namespace kernels {

/// An int32 that wraps around.
struct Wrapping {
  std::uint32_t value;
};

RIDGEPOINT_BOTH inline float multiply(float x, float a) { return x * a; }
RIDGEPOINT_BOTH inline float plus(float x, float b) { return x + b; }
RIDGEPOINT_BOTH inline float multiply_add(float x, float a, float b) { return fmaf(x, a, b); }

RIDGEPOINT_BOTH inline float root(float x) { return sqrtf(fabsf(x)); }

RIDGEPOINT_BOTH inline double multiply(double x, double a) { return x * a; }
RIDGEPOINT_BOTH inline double plus(double x, double b) { return x + b; }
RIDGEPOINT_BOTH inline double multiply_add(double x, double a, double b) { return fma(x, a, b); }
RIDGEPOINT_BOTH inline double root(double x) { return sqrt(fabs(x)); }

#if defined(__CUDA_ARCH__)
// Integer arithmetic is associative, and ptxas uses that: n multiplications by a become one by a^n,
// also across `asm volatile`. It leaves predicated instructions alone, and those cost nothing. The
// predicate is always true: the operands of an integer chain are odd.
__device__ inline Wrapping multiply(Wrapping x, Wrapping a) {
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; @p mul.lo.u32 %0, %0, %1; }"
               : "+r"(x.value)
               : "r"(a.value));
  return x;
}
__device__ inline Wrapping plus(Wrapping x, Wrapping b) {
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; @p add.u32 %0, %0, %1; }"
               : "+r"(x.value)
               : "r"(b.value));
  return x;
}
__device__ inline Wrapping multiply_add(Wrapping x, Wrapping a, Wrapping b) {
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; @p mad.lo.u32 %0, %0, %1, %2; }"
               : "+r"(x.value)
               : "r"(a.value), "r"(b.value));
  return x;
}
#else
inline Wrapping multiply(Wrapping x, Wrapping a) { return {x.value * a.value}; }
inline Wrapping plus(Wrapping x, Wrapping b) { return {x.value + b.value}; }
inline Wrapping multiply_add(Wrapping x, Wrapping a, Wrapping b) {
  return {x.value * a.value + b.value};
}
#endif

struct Mul {
  static constexpr Op op = Op::mul;
  template <class X>
  RIDGEPOINT_BOTH static X apply(X x, X a, X) {
    return multiply(x, a);
  }
};
struct Add {
  static constexpr Op op = Op::add;
  template <class X>
  RIDGEPOINT_BOTH static X apply(X x, X, X b) {
    return plus(x, b);
  }
};
struct Fma {
  static constexpr Op op = Op::fma;
  template <class X>
  RIDGEPOINT_BOTH static X apply(X x, X a, X b) {
    return multiply_add(x, a, b);
  }
};

struct Sqrt {
  static constexpr Op op = Op::sqrt;
  template <class X>
  RIDGEPOINT_BOTH static X apply(X x, X, X) {
    return root(x);
  }
};

/// What layernorm adds to the variance and rmsnorm to the mean square, as torch.nn.LayerNorm does.
inline constexpr double norm_epsilon = 1e-5;

using ChainOps = std::tuple<Mul, Add, Fma>;
using WideChainOps = std::tuple<Mul, Add, Fma, Sqrt>;  ///< of fp64 and fp32

}  // namespace kernels
