// How NEON, which every 64-bit Arm processor has, loads, stores and computes each element type, see
// op_loop.hpp. Its FMLA overwrites the addend: x = x a + b takes a move and an FMLA, while tiles,
// which sum into a register, take an FMLA alone.
#pragma once

#include <arm_neon.h>

#include <cstdint>

#include "kernels/cpu/simd/isa.hpp"

namespace kernels::cpu {
namespace {

struct Neon {
  static constexpr int registers = 32, group = 1, accumulators = 16, block_rows = 6;
  static constexpr Summing summing = Summing::no;
  static constexpr bool fma_is_apart = false;
  static void fence() {}
  /// There is no such store of one register: its halves are a pair.
  static void stream_halves(void* to, uint64x2_t x) {
    __asm__ volatile("stnp %d1, %d2, [%0]"
                     :
                     : "r"(to), "w"(vget_low_u64(x)), "w"(vget_high_u64(x))
                     : "memory");
  }
};

struct Fp64 : Neon {
  using Scalar = double;
  using Element = double;
  using Operand = double;
  using Vector = float64x2_t;
  static constexpr int lanes = 2;
  static Vector set(double value) { return vdupq_n_f64(value); }
  static Vector load(const double* from) { return vld1q_f64(from); }
  static void store(double* to, Vector x) { vst1q_f64(to, x); }
  static void stream(double* to, Vector x) { stream_halves(to, vreinterpretq_u64_f64(x)); }
  static Vector mul(Vector x, Vector a) { return vmulq_f64(x, a); }
  static Vector add(Vector x, Vector b) { return vaddq_f64(x, b); }
  static Vector fma(Vector x, Vector a, Vector b) { return vfmaq_f64(b, x, a); }
  static Vector root(Vector x) { return vsqrtq_f64(vabsq_f64(x)); }
  static void accumulate(Vector& sum, Vector a, Vector b) {
    __asm__ volatile("fmla %0.2d, %1.2d, %2.2d" : "+w"(sum) : "w"(a), "w"(b));
  }
  static void opaque(Vector& x) { __asm__ volatile("" : "+w"(x)); }
};

struct Fp32 : Neon {
  using Scalar = float;
  using Element = float;
  using Operand = float;
  using Vector = float32x4_t;
  static constexpr int lanes = 4;
  static Vector set(float value) { return vdupq_n_f32(value); }
  static Vector load(const float* from) { return vld1q_f32(from); }
  static void store(float* to, Vector x) { vst1q_f32(to, x); }
  static void stream(float* to, Vector x) { stream_halves(to, vreinterpretq_u64_f32(x)); }
  static Vector mul(Vector x, Vector a) { return vmulq_f32(x, a); }
  static Vector add(Vector x, Vector b) { return vaddq_f32(x, b); }
  static Vector fma(Vector x, Vector a, Vector b) { return vfmaq_f32(b, x, a); }
  static Vector root(Vector x) { return vsqrtq_f32(vabsq_f32(x)); }
  static void accumulate(Vector& sum, Vector a, Vector b) {
    __asm__ volatile("fmla %0.4s, %1.4s, %2.4s" : "+w"(sum) : "w"(a), "w"(b));
  }
  static void opaque(Vector& x) { __asm__ volatile("" : "+w"(x)); }
};

/// fp16 in memory, fp32 in registers.
struct Half : Fp32 {
  using Element = std::uint16_t;
  static Vector load(const std::uint16_t* from) {
    return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(from)));
  }
  static uint16x4_t narrow(Vector x) { return vreinterpret_u16_f16(vcvt_f16_f32(x)); }
  static void store(std::uint16_t* to, Vector x) { vst1_u16(to, narrow(x)); }
  static void stream(std::uint16_t* to, Vector x) { store(to, x); }
};

/// bf16 in memory, fp32 in registers.
struct Brain : Fp32 {
  using Element = std::uint16_t;
  static Vector load(const std::uint16_t* from) {
    return vreinterpretq_f32_u32(vshll_n_u16(vld1_u16(from), 16));
  }
  // To the nearest, ties to even; chains have no NaN.
  static uint16x4_t narrow(Vector x) {
    const uint32x4_t bits = vreinterpretq_u32_f32(x);
    const uint32x4_t odd = vandq_u32(vshrq_n_u32(bits, 16), vdupq_n_u32(1));
    return vshrn_n_u32(vaddq_u32(bits, vaddq_u32(odd, vdupq_n_u32(0x7fff))), 16);
  }
  static void store(std::uint16_t* to, Vector x) { vst1_u16(to, narrow(x)); }
  static void stream(std::uint16_t* to, Vector x) { store(to, x); }
};

struct Int32 : Neon {
  using Scalar = std::int32_t;
  using Element = std::int32_t;
  using Operand = std::int32_t;
  using Vector = int32x4_t;
  static constexpr int lanes = 4, block_rows = 4;
  static constexpr bool fma_is_apart = true;
  static Vector set(std::int32_t value) { return vdupq_n_s32(value); }
  static Vector load(const void* from) { return vld1q_s32(static_cast<const std::int32_t*>(from)); }
  static void store(void* to, Vector x) { vst1q_s32(static_cast<std::int32_t*>(to), x); }
  static void stream(void* to, Vector x) { stream_halves(to, vreinterpretq_u64_s32(x)); }
  static Vector mul(Vector x, Vector a) { return vmulq_s32(x, a); }
  static Vector add(Vector x, Vector b) { return vaddq_s32(x, b); }
  static void opaque(Vector& x) { __asm__ volatile("" : "+w"(x)); }
};

/// Every lane is a pair: the products of both are summed.
struct Int16Pairs : Int32 {
  using Operand = std::int16_t;
  static constexpr Summing summing = Summing::pairs;
  static constexpr int group = 2;
  static Vector set_group(std::int32_t pair) { return set(pair); }
  static Vector mul(Vector x, Vector a) {
    const int16x8_t left = vreinterpretq_s16_s32(x), right = vreinterpretq_s16_s32(a);
    return vpaddq_s32(vmull_s16(vget_low_s16(left), vget_low_s16(right)),
                      vmull_high_s16(left, right));
  }
};

}  // namespace
}  // namespace kernels::cpu
