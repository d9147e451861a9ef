// Tile and peak kernels with dot products of four int8 (AVX512-VNNI). Compiled with those flags.
#include "kernels/cpu/instruction_sets/avx512.hpp"
#include "kernels/families/matmul/matmul_loop.hpp"
#include "kernels/families/peak/peak_loop.hpp"
#include "kernels/families/tile/tile_loop.hpp"

namespace kernels::cpu {
namespace {

/// Multiplies unsigned by signed bytes: bytes of A are 128 larger than they are (QuadStorage).
struct Int8Dots : Int32 {
  using Operand = std::uint8_t;
  static constexpr Summing summing = Summing::dots;
  static constexpr int group = 4;
  static constexpr bool fma_is_apart = false, biased = true;
  static Vector set_group(std::int32_t quad) { return _mm512_set1_epi32(quad); }
  /// All bytes of every lane: the low byte of the value.
  static Vector set(std::int32_t value) {
    return _mm512_set1_epi8(static_cast<char>(static_cast<unsigned char>(value)));
  }
  static Vector fma(Vector x, Vector a, Vector b) {
    accumulate(x, a, b);
    return x;
  }
  static void accumulate(Vector& sum, Vector a, Vector b) {
    __asm__ volatile("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
  }
};

constexpr auto table = []() consteval {
  Rows list;
  list.add(peak_row<Int8Dots, Fma>(Dtype::int8, Dtype::int32));
  list.add(tile_row<Int8Dots, QuadStorage>(Dtype::int8, Dtype::int32));
  list.add(matmul_row<Int8Dots, GroupedFactors<std::uint8_t, std::uint8_t, 0x80>>(Dtype::int8,
                                                                                  Dtype::int32));
  return list;
}
();

}  // namespace

constinit const Isa isa_avx512vnni = isa_of("AVX512-VNNI", table);

}  // namespace kernels::cpu
