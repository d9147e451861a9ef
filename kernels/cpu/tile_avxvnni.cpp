// Tile and peak kernels with dot products of four int8 (AVX-VNNI). Compiled with those flags; see
// peak_loop.hpp for the rules.
#include <immintrin.h>

#include "kernels/cpu/tile_rows.hpp"

namespace kernels::cpu {
namespace {

/// Multiplies unsigned by signed bytes: bytes of A are 128 larger than they are (QuadStorage).
struct Int8Dots {
  using Element = std::int32_t;
  using Operand = std::uint8_t;
  using Vector = __m256i;
  static constexpr int registers = 16;
  static constexpr Summing summing = Summing::dots;
  static constexpr int lanes = 8, group = 4, accumulators = 12, block_rows = 6;
  static constexpr bool fma_is_apart = false, biased = true;
  /// All bytes of every lane: the low byte of the value.
  static Vector set(std::int32_t value) {
    return _mm256_set1_epi8(static_cast<char>(static_cast<unsigned char>(value)));
  }
  static Vector zero() { return _mm256_setzero_si256(); }
  static Vector load(const void* from) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(from));
  }
  static Vector load_result(const void* from) { return load(from); }
  static Vector broadcast(const std::uint8_t* quad) {
    std::int32_t all;
    __builtin_memcpy(&all, quad, sizeof all);
    return _mm256_set1_epi32(all);
  }
  static void store(void* to, Vector x) { _mm256_storeu_si256(static_cast<__m256i*>(to), x); }
  static void stream(void* to, Vector x) { _mm256_stream_si256(static_cast<__m256i*>(to), x); }
  static Vector add(Vector x, Vector b) { return _mm256_add_epi32(x, b); }
  static Vector times(Vector x, std::uint64_t factor) {
    return _mm256_mullo_epi32(x, _mm256_set1_epi32(static_cast<std::int32_t>(factor)));
  }
  static Vector fma(Vector x, Vector a, Vector b) {
    accumulate(x, a, b);
    return x;
  }
  static void accumulate(Vector& sum, Vector a, Vector b) {
    __asm__ volatile("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sum) : "x"(a), "x"(b));
  }
  static void opaque(Vector& x) { __asm__ volatile("" : "+x"(x)); }
  static void fence() { _mm_sfence(); }
};

constexpr Row rows[] = {
    peak_row<Int8Dots, Op::fma>(Dtype::int8, Dtype::int32),
    tile_row<Int8Dots, QuadStorage>(Dtype::int8, Dtype::int32),
};

}  // namespace

Isa tile_avxvnni() { return isa_of("AVX-VNNI", rows); }

}  // namespace kernels::cpu
