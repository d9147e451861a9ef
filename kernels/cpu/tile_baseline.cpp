// Tile and peak kernels for every x86-64 CPU (SSE2): 16 registers, multiply and add apart.
// See peak_loop.hpp for the rules.
#include <emmintrin.h>

#include "kernels/cpu/tile_rows.hpp"

namespace kernels::cpu {
namespace {

struct Fp64 {
  using Element = double;
  using Operand = double;
  using Vector = __m128d;
  static constexpr int registers = 16;
  static constexpr Summing summing = Summing::no;
  static constexpr int lanes = 2, group = 1, accumulators = 12, block_rows = 4;
  static constexpr bool fma_is_apart = true;
  static Vector set(double value) { return _mm_set1_pd(value); }
  static Vector zero() { return _mm_setzero_pd(); }
  static Vector load(const double* from) { return _mm_loadu_pd(from); }
  static Vector load_result(const double* from) { return load(from); }
  static Vector broadcast(const double* from) { return _mm_set1_pd(*from); }
  static void store(double* to, Vector x) { _mm_storeu_pd(to, x); }
  static void stream(double* to, Vector x) { _mm_stream_pd(to, x); }
  static Vector mul(Vector x, Vector a) { return _mm_mul_pd(x, a); }
  static Vector add(Vector x, Vector b) { return _mm_add_pd(x, b); }
  static Vector fma(Vector x, Vector a, Vector b) { return add(mul(x, a), b); }
  static void opaque(Vector& x) { __asm__ volatile("" : "+x"(x)); }
  static void fence() { _mm_sfence(); }
};

struct Fp32 {
  using Element = float;
  using Operand = float;
  using Vector = __m128;
  static constexpr int registers = 16;
  static constexpr Summing summing = Summing::no;
  static constexpr int lanes = 4, group = 1, accumulators = 12, block_rows = 4;
  static constexpr bool fma_is_apart = true;
  static Vector set(float value) { return _mm_set1_ps(value); }
  static Vector zero() { return _mm_setzero_ps(); }
  static Vector load(const float* from) { return _mm_loadu_ps(from); }
  static Vector load_result(const float* from) { return load(from); }
  static Vector broadcast(const float* from) { return _mm_set1_ps(*from); }
  static void store(float* to, Vector x) { _mm_storeu_ps(to, x); }
  static void stream(float* to, Vector x) { _mm_stream_ps(to, x); }
  static Vector mul(Vector x, Vector a) { return _mm_mul_ps(x, a); }
  static Vector add(Vector x, Vector b) { return _mm_add_ps(x, b); }
  static Vector fma(Vector x, Vector a, Vector b) { return add(mul(x, a), b); }
  static void opaque(Vector& x) { __asm__ volatile("" : "+x"(x)); }
  static void fence() { _mm_sfence(); }
};

/// fp16 bits at their place in fp32 are 2^-112 of the value; only infinity and NaN need their
/// exponent set.
struct HalfToFp32 {
  static __m128 load(const std::uint16_t* from) {
    const __m128i bits = _mm_unpacklo_epi16(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)),
                                            _mm_setzero_si128());
    const __m128i magnitude = _mm_slli_epi32(_mm_and_si128(bits, _mm_set1_epi32(0x7fff)), 13);
    const __m128i sign = _mm_slli_epi32(_mm_and_si128(bits, _mm_set1_epi32(0x8000)), 16);
    const __m128i special = _mm_and_si128(_mm_cmpgt_epi32(magnitude, _mm_set1_epi32(0x0f7fffff)),
                                          _mm_set1_epi32(0x7f800000));
    const __m128 value = _mm_mul_ps(_mm_castsi128_ps(magnitude), _mm_set1_ps(0x1p112F));
    return _mm_or_ps(value, _mm_castsi128_ps(_mm_or_si128(sign, special)));
  }
};

struct Bf16ToFp32 {
  static __m128 load(const std::uint16_t* from) {
    const __m128i bits = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
    return _mm_castsi128_ps(_mm_unpacklo_epi16(_mm_setzero_si128(), bits));
  }
};

/// What int32 and pairs of int16 share.
struct Int32Lanes {
  using Element = std::int32_t;
  using Vector = __m128i;
  static constexpr int registers = 16;
  static constexpr Summing summing = Summing::no;
  static constexpr int lanes = 4, block_rows = 4;
  static Vector set(std::int32_t value) { return _mm_set1_epi32(value); }
  static Vector zero() { return _mm_setzero_si128(); }
  static Vector load(const void* from) {
    return _mm_loadu_si128(static_cast<const __m128i*>(from));
  }
  static Vector load_result(const void* from) { return load(from); }
  static void store(void* to, Vector x) { _mm_storeu_si128(static_cast<__m128i*>(to), x); }
  static void stream(void* to, Vector x) { _mm_stream_si128(static_cast<__m128i*>(to), x); }
  static Vector add(Vector x, Vector b) { return _mm_add_epi32(x, b); }
  static void opaque(Vector& x) { __asm__ volatile("" : "+x"(x)); }
  static void fence() { _mm_sfence(); }
};

/// SSE2 has no 32-bit multiply: two 32 x 32 -> 64 bit products of the even and the odd lanes, their
/// low halves joined.
struct Int32 : Int32Lanes {
  static constexpr int group = 1, accumulators = 8;
  static constexpr bool fma_is_apart = false;
  static Vector mul(Vector x, Vector a) {
    const Vector even = _mm_mul_epu32(x, a);
    const Vector odd = _mm_mul_epu32(_mm_srli_epi64(x, 32), _mm_srli_epi64(a, 32));
    return _mm_unpacklo_epi32(_mm_shuffle_epi32(even, 0x08), _mm_shuffle_epi32(odd, 0x08));
  }
  static Vector fma(Vector x, Vector a, Vector b) { return add(mul(x, a), b); }
};

struct Int16Pairs : Int32Lanes {
  using Operand = std::int16_t;
  static constexpr Summing summing = Summing::pairs;
  static constexpr int group = 2, accumulators = 12;
  static constexpr bool fma_is_apart = true;
  static Vector broadcast(const std::int16_t* pair) {
    std::int32_t both;
    __builtin_memcpy(&both, pair, sizeof both);
    return set(both);
  }
  static Vector mul(Vector x, Vector a) { return _mm_madd_epi16(x, a); }
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

Isa tile_baseline() { return isa_of("baseline", rows, false); }

}  // namespace kernels::cpu
