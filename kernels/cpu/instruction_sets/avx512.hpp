// How AVX-512 (F, BW, DQ, VL) loads, stores and computes each element type, see op_loop.hpp.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "kernels/cpu/simd/isa.hpp"

namespace kernels::cpu {
namespace {

struct Avx512 {
  static constexpr int registers = 32, group = 1, accumulators = 12, block_rows = 8;
  static constexpr Summing summing = Summing::no;
  static constexpr bool fma_is_apart = false;
  static void fence() { _mm_sfence(); }
  static __mmask32 first_lanes(int count) { return (__mmask32{1} << count) - 1; }
};

struct Fp64 : Avx512 {
  using Scalar = double;
  using Element = double;
  using Operand = double;
  using Vector = __m512d;
  static constexpr int lanes = 8;
  static Vector set(double value) { return _mm512_set1_pd(value); }
  static Vector load(const double* from) { return _mm512_loadu_pd(from); }
  static void store(double* to, Vector x) { _mm512_storeu_pd(to, x); }
  static void stream(double* to, Vector x) { _mm512_stream_pd(to, x); }
  static Vector mul(Vector x, Vector a) { return _mm512_mul_pd(x, a); }
  static Vector add(Vector x, Vector b) { return _mm512_add_pd(x, b); }
  static Vector fma(Vector x, Vector a, Vector b) { return _mm512_fmadd_pd(x, a, b); }
  static Vector root(Vector x) { return _mm512_sqrt_pd(_mm512_abs_pd(x)); }
  static Vector select(__mmask32 mask, Vector x, Vector otherwise) {
    return _mm512_mask_mov_pd(otherwise, static_cast<__mmask8>(mask), x);
  }
  static void accumulate(Vector& sum, Vector a, Vector b) {
    __asm__ volatile("vfmadd231pd %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
  }
  static void opaque(Vector& x) { __asm__ volatile("" : "+v"(x)); }
};

struct Fp32 : Avx512 {
  using Scalar = float;
  using Element = float;
  using Operand = float;
  using Vector = __m512;
  static constexpr int lanes = 16;
  static Vector set(float value) { return _mm512_set1_ps(value); }
  static Vector load(const float* from) { return _mm512_loadu_ps(from); }
  static void store(float* to, Vector x) { _mm512_storeu_ps(to, x); }
  static void stream(float* to, Vector x) { _mm512_stream_ps(to, x); }
  static Vector mul(Vector x, Vector a) { return _mm512_mul_ps(x, a); }
  static Vector add(Vector x, Vector b) { return _mm512_add_ps(x, b); }
  static Vector fma(Vector x, Vector a, Vector b) { return _mm512_fmadd_ps(x, a, b); }
  static Vector root(Vector x) { return _mm512_sqrt_ps(_mm512_abs_ps(x)); }
  static Vector select(__mmask32 mask, Vector x, Vector otherwise) {
    return _mm512_mask_mov_ps(otherwise, static_cast<__mmask16>(mask), x);
  }
  static void accumulate(Vector& sum, Vector a, Vector b) {
    __asm__ volatile("vfmadd231ps %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
  }
  static void opaque(Vector& x) { __asm__ volatile("" : "+v"(x)); }
};

/// fp16 in memory, fp32 in registers.
struct Half : Fp32 {
  using Element = std::uint16_t;
  static Vector load(const std::uint16_t* from) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
  }
  static __m256i narrow(Vector x) { return _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT); }
  static void store(std::uint16_t* to, Vector x) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), narrow(x));
  }
  static void stream(std::uint16_t* to, Vector x) {
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to), narrow(x));
  }
};

/// bf16 in memory, fp32 in registers.
struct Brain : Fp32 {
  using Element = std::uint16_t;
  static Vector load(const std::uint16_t* from) {
    const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16));
  }
  // To the nearest, ties to even; chains have no NaN.
  static __m256i narrow(Vector x) {
    const __m512i bits = _mm512_castps_si512(x);
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    const __m512i half = _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff));
    return _mm512_cvtepi32_epi16(_mm512_srli_epi32(_mm512_add_epi32(bits, half), 16));
  }
  static void store(std::uint16_t* to, Vector x) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), narrow(x));
  }
  static void stream(std::uint16_t* to, Vector x) {
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to), narrow(x));
  }
};

struct Int32 : Avx512 {
  using Scalar = std::int32_t;
  using Element = std::int32_t;
  using Vector = __m512i;
  static constexpr int lanes = 16;
  static constexpr bool fma_is_apart = true;
  static Vector set(std::int32_t value) { return _mm512_set1_epi32(value); }
  static Vector load(const void* from) { return _mm512_loadu_si512(from); }
  static void store(void* to, Vector x) { _mm512_storeu_si512(to, x); }
  static void stream(void* to, Vector x) { _mm512_stream_si512(static_cast<__m512i*>(to), x); }
  static Vector mul(Vector x, Vector a) { return _mm512_mullo_epi32(x, a); }
  static Vector add(Vector x, Vector b) { return _mm512_add_epi32(x, b); }
  static Vector select(__mmask32 mask, Vector x, Vector otherwise) {
    return _mm512_mask_mov_epi32(otherwise, static_cast<__mmask16>(mask), x);
  }
  static void opaque(Vector& x) { __asm__ volatile("" : "+v"(x)); }
};

/// Every lane is a pair: the products of both are summed.
struct Int16Pairs : Int32 {
  using Operand = std::int16_t;
  static constexpr Summing summing = Summing::pairs;
  static constexpr int group = 2;
  static Vector set_group(std::int32_t pair) { return set(pair); }
  static Vector mul(Vector x, Vector a) { return _mm512_madd_epi16(x, a); }
};

}  // namespace
}  // namespace kernels::cpu
