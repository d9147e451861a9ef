// Chain and stream kernels for AVX-512 (F, BW, DQ, VL). Compiled with those flags; see
// chain_loop.hpp for the rules.
#include <immintrin.h>

#include "kernels/cpu/chain_rows.hpp"

namespace kernels::cpu {
namespace {

struct Fp64 {
  using Element = double;
  using Scalar = double;
  using Vector = __m512d;
  static constexpr int lanes = 8, accumulators = 12;
  static constexpr bool associative = false, fma_is_apart = false;
  static Vector set(double value) { return _mm512_set1_pd(value); }
  static Vector load(const double* from) { return _mm512_loadu_pd(from); }
  static void store(double* to, Vector x) { _mm512_storeu_pd(to, x); }
  static void stream(double* to, Vector x) { _mm512_stream_pd(to, x); }
  static Vector mul(Vector x, Vector a) { return _mm512_mul_pd(x, a); }
  static Vector add(Vector x, Vector b) { return _mm512_add_pd(x, b); }
  static Vector fma(Vector x, Vector a, Vector b) { return _mm512_fmadd_pd(x, a, b); }
  static void opaque(Vector& x) { __asm__ volatile("" : "+v"(x)); }
  static void fence() { _mm_sfence(); }
};

/// fp32 registers, whatever lies in memory.
struct Fp32Lanes {
  using Scalar = float;
  using Vector = __m512;
  static constexpr int lanes = 16, accumulators = 12;
  static constexpr bool associative = false, fma_is_apart = false;
  static Vector set(float value) { return _mm512_set1_ps(value); }
  static Vector mul(Vector x, Vector a) { return _mm512_mul_ps(x, a); }
  static Vector add(Vector x, Vector b) { return _mm512_add_ps(x, b); }
  static Vector fma(Vector x, Vector a, Vector b) { return _mm512_fmadd_ps(x, a, b); }
  static void opaque(Vector& x) { __asm__ volatile("" : "+v"(x)); }
  static void fence() { _mm_sfence(); }
};

struct Fp32 : Fp32Lanes {
  using Element = float;
  using Bits = __m512i;
  static Vector load(const float* from) { return _mm512_loadu_ps(from); }
  static void store(float* to, Vector x) { _mm512_storeu_ps(to, x); }
  static void stream(float* to, Vector x) { _mm512_stream_ps(to, x); }
  static Bits load_bits(const float* from) { return _mm512_loadu_si512(from); }
  static Bits combine(Bits x, Bits y) { return _mm512_add_epi32(x, y); }
  static float fma_one(float x, float a, float b) { return __builtin_fmaf(x, a, b); }
};

struct Half : Fp32Lanes {
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

struct Brain : Fp32Lanes {
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

struct Int32 {
  using Element = std::int32_t;
  using Scalar = std::int32_t;
  using Vector = __m512i;
  static constexpr int lanes = 16, accumulators = 12;
  static constexpr bool associative = true, fma_is_apart = true;
  static Vector set(std::int32_t value) { return _mm512_set1_epi32(value); }
  static Vector load(const std::int32_t* from) { return _mm512_loadu_si512(from); }
  static void store(std::int32_t* to, Vector x) { _mm512_storeu_si512(to, x); }
  static void stream(std::int32_t* to, Vector x) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to), x);
  }
  static Vector mul(Vector x, Vector a) { return _mm512_mullo_epi32(x, a); }
  static Vector add(Vector x, Vector b) { return _mm512_add_epi32(x, b); }
  static void opaque(Vector& x) { __asm__ volatile("" : "+v"(x)); }
  static void fence() { _mm_sfence(); }
};

using Table = ChainTable<Fp64, Fp32, Half, Brain, Int32>;

}  // namespace

Isa chain_avx512() { return {"AVX-512", Table::rows, Table::count}; }

}  // namespace kernels::cpu
