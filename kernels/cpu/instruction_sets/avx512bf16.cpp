// Tile and peak kernels with dot products of bf16 pairs (AVX512_BF16). Compiled with those flags.
// There is no chain: an instruction takes two products at once.
#include "kernels/cpu/instruction_sets/avx512.hpp"
#include "kernels/families/matmul/matmul_loop.hpp"
#include "kernels/families/peak/peak_loop.hpp"
#include "kernels/families/tile/tile_loop.hpp"

namespace kernels::cpu {
namespace {

struct Bf16Dots : Fp32 {
  using Operand = std::uint16_t;
  static constexpr Summing summing = Summing::dots;
  static constexpr int group = 2;
  static Vector set_group(std::int32_t pair) {
    return _mm512_castsi512_ps(_mm512_set1_epi32(pair));
  }
  /// Both halves of every lane: the value, which bf16 can represent.
  static Vector set(float value) {
    const std::uint32_t both = (__builtin_bit_cast(std::uint32_t, value) >> 16) * 0x10001;
    return set_group(static_cast<std::int32_t>(both));
  }
  static Vector load(const void* from) { return _mm512_loadu_ps(from); }
  static Vector fma(Vector x, Vector a, Vector b) {
    accumulate(x, a, b);
    return x;
  }
  static void accumulate(Vector& sum, Vector a, Vector b) {
    __asm__ volatile("vdpbf16ps %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
  }
};

constexpr auto table = []() consteval {
  Rows list;
  list.add(dots_row<Bf16Dots>(Dtype::bf16, Dtype::fp32));
  list.add(tile_row<Bf16Dots, GroupedStorage<std::uint16_t, 2>>(Dtype::bf16, Dtype::fp32));
  list.add(
      matmul_row<Bf16Dots, GroupedFactors<std::uint16_t, std::uint16_t>>(Dtype::bf16, Dtype::fp32));
  return list;
}
();

}  // namespace

constinit const Isa isa_avx512bf16 = isa_of("AVX512-BF16", table);

}  // namespace kernels::cpu
