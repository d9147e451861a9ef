// Chain and peak kernels with native fp16 arithmetic (AVX512-FP16). Compiled with that flag. There
// is no tile row: D is summed in fp32, which fp16 fmas can't do, so that fp16 tiles use the fp32
// fmas of AVX-512.
#include "kernels/cpu/instruction_sets/avx512.hpp"
#include "kernels/families/chain/chain_loop.hpp"
#include "kernels/families/peak/peak_loop.hpp"

namespace kernels::cpu {
namespace {

struct Fp16 : Avx512 {
  using Scalar = _Float16;
  using Element = _Float16;
  using Vector = __m512h;
  static constexpr int lanes = 32;
  static Vector set(_Float16 value) { return _mm512_set1_ph(value); }
  static Vector load(const _Float16* from) { return _mm512_loadu_ph(from); }
  static void store(_Float16* to, Vector x) { _mm512_storeu_ph(to, x); }
  static void stream(_Float16* to, Vector x) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to), _mm512_castph_si512(x));
  }
  static Vector mul(Vector x, Vector a) { return _mm512_mul_ph(x, a); }
  static Vector add(Vector x, Vector b) { return _mm512_add_ph(x, b); }
  static Vector fma(Vector x, Vector a, Vector b) { return _mm512_fmadd_ph(x, a, b); }
  // As a comparison: g++ 12 makes masked arithmetic of it, but not of _mm512_mask_blend_ph.
  static Vector select(__mmask32 mask, Vector x, Vector otherwise) {
    using Words [[gnu::vector_size(64)]] = std::int16_t;
    using Halves [[gnu::vector_size(64)]] = _Float16;
    const auto lanes_in = reinterpret_cast<Words>(_mm512_movm_epi16(mask)) < 0;
    return reinterpret_cast<Vector>(lanes_in ? reinterpret_cast<Halves>(x)
                                             : reinterpret_cast<Halves>(otherwise));
  }
  static void opaque(Vector& x) { __asm__ volatile("" : "+v"(x)); }
};

constexpr auto table = []() consteval {
  Rows list;
  add_chains<Fp16>(list, Dtype::fp16, Dtype::fp16);
  add_peaks<Fp16>(list, Dtype::fp16, Dtype::fp16);
  return list;
}
();

}  // namespace

constinit const Isa isa_avx512fp16 = isa_of("AVX512-FP16", table);

}  // namespace kernels::cpu
