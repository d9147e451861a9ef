// Peak kernels with native fp16 arithmetic (AVX512-FP16). There is no tile row: D is summed in
// fp32, which fp16 fmas can't do, so that fp16 tiles use the fp32 fmas of AVX-512.
#include <immintrin.h>

#include "kernels/cpu/tile_rows.hpp"

namespace kernels::cpu {
namespace {

struct Fp16 {
  using Element = _Float16;
  using Vector = __m512h;
  static constexpr int registers = 32;
  static constexpr Summing summing = Summing::no;
  static constexpr int lanes = 32, group = 1, accumulators = 12;
  static constexpr bool fma_is_apart = false;
  static Vector set(Element value) { return _mm512_set1_ph(value); }
  static Vector load(const Element* from) { return _mm512_loadu_ph(from); }
  static void store(Element* to, Vector x) { _mm512_storeu_ph(to, x); }
  static Vector fma(Vector x, Vector a, Vector b) { return _mm512_fmadd_ph(x, a, b); }
  static Vector mul(Vector x, Vector a) { return _mm512_mul_ph(x, a); }
  static Vector add(Vector x, Vector b) { return _mm512_add_ph(x, b); }
  static void opaque(Vector& x) { __asm__ volatile("" : "+v"(x)); }
};

constexpr Row rows[] = {
    peak_row<Fp16, Op::fma>(Dtype::fp16, Dtype::fp16),
    peak_row<Fp16, Op::mul>(Dtype::fp16, Dtype::fp16),
    peak_row<Fp16, Op::add>(Dtype::fp16, Dtype::fp16),
    peak_row<Fp16, Op::mul_add>(Dtype::fp16, Dtype::fp16),
};

}  // namespace

Isa tile_avx512fp16() { return isa_of("AVX512-FP16", rows); }

}  // namespace kernels::cpu
