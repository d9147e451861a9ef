// Tile and peak kernels with dot products of bf16 pairs (AVX512_BF16). Compiled with those flags;
// see peak_loop.hpp for the rules. There is no chain: an instruction takes two products at once.
#include <immintrin.h>

#include "kernels/cpu/tile_rows.hpp"

namespace kernels::cpu {
namespace {

struct Bf16Dots {
  using Element = float;
  using Operand = std::uint16_t;
  using Vector = __m512;
  static constexpr int registers = 32;
  static constexpr Summing summing = Summing::dots;
  static constexpr int lanes = 16, group = 2, accumulators = 12, block_rows = 8;
  static constexpr bool fma_is_apart = false;
  /// Both halves of every lane: the value, which bf16 can represent.
  static Vector set(float value) {
    const std::uint32_t both = (__builtin_bit_cast(std::uint32_t, value) >> 16) * 0x10001;
    return _mm512_castsi512_ps(_mm512_set1_epi32(static_cast<std::int32_t>(both)));
  }
  static Vector zero() { return _mm512_setzero_ps(); }
  static Vector load(const float* from) { return _mm512_loadu_ps(from); }
  static Vector load(const std::uint16_t* from) {
    return _mm512_castsi512_ps(_mm512_loadu_si512(from));
  }
  static Vector load_result(const float* from) { return load(from); }
  static Vector broadcast(const std::uint16_t* pair) {
    std::int32_t both;
    __builtin_memcpy(&both, pair, sizeof both);
    return _mm512_castsi512_ps(_mm512_set1_epi32(both));
  }
  static void store(float* to, Vector x) { _mm512_storeu_ps(to, x); }
  static void stream(float* to, Vector x) { _mm512_stream_ps(to, x); }
  static Vector fma(Vector x, Vector a, Vector b) {
    accumulate(x, a, b);
    return x;
  }
  static void accumulate(Vector& sum, Vector a, Vector b) {
    __asm__ volatile("vdpbf16ps %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
  }
  static void opaque(Vector& x) { __asm__ volatile("" : "+v"(x)); }
  static void fence() { _mm_sfence(); }
};

constexpr Row rows[] = {
    dots_row<Bf16Dots>(Dtype::bf16, Dtype::fp32),
    tile_row<Bf16Dots, GroupedStorage<std::uint16_t, 2>>(Dtype::bf16, Dtype::fp32),
};

}  // namespace

Isa tile_avx512bf16() { return isa_of("AVX512-BF16", rows); }

}  // namespace kernels::cpu
