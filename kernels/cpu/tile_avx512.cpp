// Tile and peak kernels for AVX-512 (F, BW, DQ, VL). Compiled with those flags; see peak_loop.hpp
// for the rules.
#include <immintrin.h>

#include "kernels/cpu/tile_rows.hpp"

namespace kernels::cpu {
namespace {

struct Fp64 {
  using Element = double;
  using Operand = double;
  using Vector = __m512d;
  static constexpr int registers = 32;
  static constexpr Summing summing = Summing::no;
  static constexpr int lanes = 8, group = 1, accumulators = 12, block_rows = 8;
  static constexpr bool fma_is_apart = false;
  static Vector set(double value) { return _mm512_set1_pd(value); }
  static Vector zero() { return _mm512_setzero_pd(); }
  static Vector load(const double* from) { return _mm512_loadu_pd(from); }
  static Vector load_result(const double* from) { return load(from); }
  static Vector broadcast(const double* from) { return _mm512_set1_pd(*from); }
  static void store(double* to, Vector x) { _mm512_storeu_pd(to, x); }
  static void stream(double* to, Vector x) { _mm512_stream_pd(to, x); }
  static Vector fma(Vector x, Vector a, Vector b) { return _mm512_fmadd_pd(x, a, b); }
  static Vector mul(Vector x, Vector a) { return _mm512_mul_pd(x, a); }
  static Vector add(Vector x, Vector b) { return _mm512_add_pd(x, b); }
  static void accumulate(Vector& sum, Vector a, Vector b) {
    __asm__ volatile("vfmadd231pd %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
  }
  static void opaque(Vector& x) { __asm__ volatile("" : "+v"(x)); }
  static void fence() { _mm_sfence(); }
};

struct Fp32 {
  using Element = float;
  using Operand = float;
  using Vector = __m512;
  static constexpr int registers = 32;
  static constexpr Summing summing = Summing::no;
  static constexpr int lanes = 16, group = 1, accumulators = 12, block_rows = 8;
  static constexpr bool fma_is_apart = false;
  static Vector set(float value) { return _mm512_set1_ps(value); }
  static Vector zero() { return _mm512_setzero_ps(); }
  static Vector load(const float* from) { return _mm512_loadu_ps(from); }
  static Vector load_result(const float* from) { return load(from); }
  static Vector broadcast(const float* from) { return _mm512_set1_ps(*from); }
  static void store(float* to, Vector x) { _mm512_storeu_ps(to, x); }
  static void stream(float* to, Vector x) { _mm512_stream_ps(to, x); }
  static Vector fma(Vector x, Vector a, Vector b) { return _mm512_fmadd_ps(x, a, b); }
  static Vector mul(Vector x, Vector a) { return _mm512_mul_ps(x, a); }
  static Vector add(Vector x, Vector b) { return _mm512_add_ps(x, b); }
  static void accumulate(Vector& sum, Vector a, Vector b) {
    __asm__ volatile("vfmadd231ps %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
  }
  static void opaque(Vector& x) { __asm__ volatile("" : "+v"(x)); }
  static void fence() { _mm_sfence(); }
};

struct HalfToFp32 {
  static __m512 load(const std::uint16_t* from) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
  }
};

struct Bf16ToFp32 {
  static __m512 load(const std::uint16_t* from) {
    const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16));
  }
};

/// What int32 and pairs of int16 share.
struct Int32Lanes {
  using Element = std::int32_t;
  using Vector = __m512i;
  static constexpr int registers = 32;
  static constexpr Summing summing = Summing::no;
  static constexpr int lanes = 16, accumulators = 12, block_rows = 8;
  static Vector set(std::int32_t value) { return _mm512_set1_epi32(value); }
  static Vector zero() { return _mm512_setzero_si512(); }
  static Vector load(const void* from) { return _mm512_loadu_si512(from); }
  static Vector load_result(const void* from) { return load(from); }
  static void store(void* to, Vector x) { _mm512_storeu_si512(to, x); }
  static void stream(void* to, Vector x) { _mm512_stream_si512(static_cast<__m512i*>(to), x); }
  static Vector add(Vector x, Vector b) { return _mm512_add_epi32(x, b); }
  static void opaque(Vector& x) { __asm__ volatile("" : "+v"(x)); }
  static void fence() { _mm_sfence(); }
};

struct Int32 : Int32Lanes {
  static constexpr int group = 1;
  static constexpr bool fma_is_apart = true;
  static Vector mul(Vector x, Vector a) { return _mm512_mullo_epi32(x, a); }
  static Vector fma(Vector x, Vector a, Vector b) { return add(mul(x, a), b); }
};

struct Int16Pairs : Int32Lanes {
  using Operand = std::int16_t;
  static constexpr Summing summing = Summing::pairs;
  static constexpr int group = 2;
  static constexpr bool fma_is_apart = true;
  static Vector broadcast(const std::int16_t* pair) {
    std::int32_t both;
    __builtin_memcpy(&both, pair, sizeof both);
    return set(both);
  }
  static Vector mul(Vector x, Vector a) { return _mm512_madd_epi16(x, a); }
  static Vector fma(Vector x, Vector a, Vector b) { return add(mul(x, a), b); }
};

constexpr Row rows[] = {
    peak_row<Fp64, Op::fma>(Dtype::fp64, Dtype::fp64),
    peak_row<Fp64, Op::mul>(Dtype::fp64, Dtype::fp64),
    peak_row<Fp64, Op::add>(Dtype::fp64, Dtype::fp64),
    peak_row<Fp64, Op::mul_add>(Dtype::fp64, Dtype::fp64),
    peak_row<Fp32, Op::fma>(Dtype::fp32, Dtype::fp32),
    peak_row<Fp32, Op::mul>(Dtype::fp32, Dtype::fp32),
    peak_row<Fp32, Op::add>(Dtype::fp32, Dtype::fp32),
    peak_row<Fp32, Op::mul_add>(Dtype::fp32, Dtype::fp32),
    peak_row<Fp32, Op::fma>(Dtype::fp16, Dtype::fp32),
    peak_row<Fp32, Op::mul>(Dtype::fp16, Dtype::fp32),
    peak_row<Fp32, Op::add>(Dtype::fp16, Dtype::fp32),
    peak_row<Fp32, Op::mul_add>(Dtype::fp16, Dtype::fp32),
    peak_row<Fp32, Op::fma>(Dtype::bf16, Dtype::fp32),
    peak_row<Fp32, Op::mul>(Dtype::bf16, Dtype::fp32),
    peak_row<Fp32, Op::add>(Dtype::bf16, Dtype::fp32),
    peak_row<Fp32, Op::mul_add>(Dtype::bf16, Dtype::fp32),
    peak_row<Int32, Op::fma>(Dtype::int32, Dtype::int32),
    peak_row<Int32, Op::mul>(Dtype::int32, Dtype::int32),
    peak_row<Int32, Op::add>(Dtype::int32, Dtype::int32),
    peak_row<Int32, Op::mul_add>(Dtype::int32, Dtype::int32),
    peak_row<Int16Pairs, Op::fma>(Dtype::int8, Dtype::int32),
    tile_row<Fp64, DirectStorage<double>>(Dtype::fp64, Dtype::fp64),
    tile_row<Fp32, DirectStorage<float>>(Dtype::fp32, Dtype::fp32),
    tile_row<Fp32, WidenedStorage<Fp32, HalfToFp32>>(Dtype::fp16, Dtype::fp32),
    tile_row<Fp32, WidenedStorage<Fp32, Bf16ToFp32>>(Dtype::bf16, Dtype::fp32),
    tile_row<Int16Pairs, PairedStorage>(Dtype::int8, Dtype::int32),
};

}  // namespace

Isa tile_avx512() { return isa_of("AVX-512", rows); }

}  // namespace kernels::cpu
