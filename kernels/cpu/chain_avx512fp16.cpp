// Chain kernels with native fp16 arithmetic (AVX512-FP16). Compiled with that flag; see
// chain_loop.hpp for the rules.
#include <immintrin.h>

#include "kernels/cpu/chain_loop.hpp"

namespace kernels::cpu {
namespace {

struct Fp16 {
  using Element = _Float16;
  using Scalar = _Float16;
  using Vector = __m512h;
  static constexpr int lanes = 32, accumulators = 12;
  static constexpr bool associative = false, fma_is_apart = false;
  static Vector set(_Float16 value) { return _mm512_set1_ph(value); }
  static Vector load(const _Float16* from) { return _mm512_loadu_ph(from); }
  static void store(_Float16* to, Vector x) { _mm512_storeu_ph(to, x); }
  static void stream(_Float16* to, Vector x) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to), _mm512_castph_si512(x));
  }
  static Vector mul(Vector x, Vector a) { return _mm512_mul_ph(x, a); }
  static Vector add(Vector x, Vector b) { return _mm512_add_ph(x, b); }
  static Vector fma(Vector x, Vector a, Vector b) { return _mm512_fmadd_ph(x, a, b); }
  static void opaque(Vector& x) { __asm__ volatile("" : "+v"(x)); }
  static void fence() { _mm_sfence(); }
};

constexpr Row rows[] = {
    chain_row<Fp16, Op::mul>(Dtype::fp16, Dtype::fp16),
    chain_row<Fp16, Op::add>(Dtype::fp16, Dtype::fp16),
    chain_row<Fp16, Op::fma>(Dtype::fp16, Dtype::fp16),
};

}  // namespace

Isa chain_avx512fp16() { return {"AVX512-FP16", rows, sizeof rows / sizeof rows[0]}; }

}  // namespace kernels::cpu
