// How AVX2 with FMA and F16C loads, stores and computes each element type, see op_loop.hpp.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "kernels/cpu/simd/isa.hpp"

namespace kernels::cpu {
namespace {

struct Avx2 {
  static constexpr int registers = 16, group = 1, accumulators = 12, block_rows = 6;
  static constexpr Summing summing = Summing::no;
  static constexpr bool fma_is_apart = false;
  static void fence() { _mm_sfence(); }
};

struct Fp64 : Avx2 {
  using Scalar = double;
  using Element = double;
  using Operand = double;
  using Vector = __m256d;
  static constexpr int lanes = 4;
  static Vector set(double value) { return _mm256_set1_pd(value); }
  static Vector load(const double* from) { return _mm256_loadu_pd(from); }
  static void store(double* to, Vector x) { _mm256_storeu_pd(to, x); }
  static void stream(double* to, Vector x) { _mm256_stream_pd(to, x); }
  static Vector mul(Vector x, Vector a) { return _mm256_mul_pd(x, a); }
  static Vector add(Vector x, Vector b) { return _mm256_add_pd(x, b); }
  static Vector fma(Vector x, Vector a, Vector b) { return _mm256_fmadd_pd(x, a, b); }
  static Vector root(Vector x) { return _mm256_sqrt_pd(_mm256_andnot_pd(_mm256_set1_pd(-0.0), x)); }
  static void accumulate(Vector& sum, Vector a, Vector b) {
    __asm__ volatile("vfmadd231pd %2, %1, %0" : "+x"(sum) : "x"(a), "x"(b));
  }
  static void opaque(Vector& x) { __asm__ volatile("" : "+x"(x)); }
};

struct Fp32 : Avx2 {
  using Scalar = float;
  using Element = float;
  using Operand = float;
  using Vector = __m256;
  static constexpr int lanes = 8;
  static Vector set(float value) { return _mm256_set1_ps(value); }
  static Vector load(const float* from) { return _mm256_loadu_ps(from); }
  static void store(float* to, Vector x) { _mm256_storeu_ps(to, x); }
  static void stream(float* to, Vector x) { _mm256_stream_ps(to, x); }
  static Vector mul(Vector x, Vector a) { return _mm256_mul_ps(x, a); }
  static Vector add(Vector x, Vector b) { return _mm256_add_ps(x, b); }
  static Vector fma(Vector x, Vector a, Vector b) { return _mm256_fmadd_ps(x, a, b); }
  static Vector root(Vector x) {
    return _mm256_sqrt_ps(_mm256_andnot_ps(_mm256_set1_ps(-0.0F), x));
  }
  static void accumulate(Vector& sum, Vector a, Vector b) {
    __asm__ volatile("vfmadd231ps %2, %1, %0" : "+x"(sum) : "x"(a), "x"(b));
  }
  static void opaque(Vector& x) { __asm__ volatile("" : "+x"(x)); }
};

/// fp16 in memory, fp32 in registers.
struct Half : Fp32 {
  using Element = std::uint16_t;
  static Vector load(const std::uint16_t* from) {
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  }
  static __m128i narrow(Vector x) { return _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT); }
  static void store(std::uint16_t* to, Vector x) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), narrow(x));
  }
  static void stream(std::uint16_t* to, Vector x) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to), narrow(x));
  }
};

/// bf16 in memory, fp32 in registers.
struct Brain : Fp32 {
  using Element = std::uint16_t;
  static Vector load(const std::uint16_t* from) {
    const __m128i bits = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16));
  }
  // To the nearest, ties to even; chains have no NaN.
  static __m128i narrow(Vector x) {
    const __m256i bits = _mm256_castps_si256(x);
    // Bit 16, without a constant that would need a register.
    const __m256i odd = _mm256_srli_epi32(_mm256_slli_epi32(bits, 15), 31);
    const __m256i half = _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff));
    const __m256i rounded = _mm256_srli_epi32(_mm256_add_epi32(bits, half), 16);
    return _mm_packus_epi32(_mm256_castsi256_si128(rounded), _mm256_extracti128_si256(rounded, 1));
  }
  static void store(std::uint16_t* to, Vector x) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), narrow(x));
  }
  static void stream(std::uint16_t* to, Vector x) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to), narrow(x));
  }
};

struct Int32 : Avx2 {
  using Scalar = std::int32_t;
  using Element = std::int32_t;
  using Vector = __m256i;
  static constexpr int lanes = 8, block_rows = 4;
  static constexpr bool fma_is_apart = true;
  static Vector set(std::int32_t value) { return _mm256_set1_epi32(value); }
  static Vector load(const void* from) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(from));
  }
  static void store(void* to, Vector x) { _mm256_storeu_si256(static_cast<__m256i*>(to), x); }
  static void stream(void* to, Vector x) { _mm256_stream_si256(static_cast<__m256i*>(to), x); }
  static Vector mul(Vector x, Vector a) { return _mm256_mullo_epi32(x, a); }
  static Vector add(Vector x, Vector b) { return _mm256_add_epi32(x, b); }
  static void opaque(Vector& x) { __asm__ volatile("" : "+x"(x)); }
};

/// Every lane is a pair: the products of both are summed.
struct Int16Pairs : Int32 {
  using Operand = std::int16_t;
  static constexpr Summing summing = Summing::pairs;
  static constexpr int group = 2;
  static Vector set_group(std::int32_t pair) { return set(pair); }
  static Vector mul(Vector x, Vector a) { return _mm256_madd_epi16(x, a); }
};

}  // namespace
}  // namespace kernels::cpu
