// Tile and peak kernels on AMX. Compiled with -mamx-tile -mamx-bf16 -mamx-int8 -mavx512f; called
// only after amx_usable().
#include <immintrin.h>

#include "kernels/cpu/simd/amx_loop.hpp"

namespace kernels::cpu {
namespace {

/// The processor's tile unit. The intrinsics of g++ 12 take tile numbers as text, not as template
/// arguments, hence assembly; it is volatile, so that no multiplication is merged, moved or
/// dropped.
struct AmxUnit {
  static void configure(const AmxConfig& config) { __asm__ volatile("ldtilecfg %0" ::"m"(config)); }
  static void release() { __asm__ volatile("tilerelease"); }
  template <int tile>
  static void zero() {
    __asm__ volatile("tilezero %%tmm%c0" ::"n"(tile));
  }
  template <int tile>
  static void load(const void* from, std::size_t stride) {
    __asm__ volatile("tileloadd (%1,%2,1), %%tmm%c0" ::"n"(tile), "r"(from), "r"(stride)
                     : "memory");
  }
  template <int tile>
  static void store(void* to, std::size_t stride) {
    __asm__ volatile("tilestored %%tmm%c0, (%1,%2,1)" ::"n"(tile), "r"(to), "r"(stride) : "memory");
  }
  template <int sum, int a, int b>
  static void multiply_bf16() {
    __asm__ volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"n"(sum), "n"(a), "n"(b));
  }
  template <int sum, int a, int b>
  static void multiply_int8() {
    __asm__ volatile("tdpbssd %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"n"(sum), "n"(a), "n"(b));
  }
  static void stream(char* to, const char* from, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes; at += 64) {
      _mm512_stream_si512(reinterpret_cast<__m512i*>(to + at), _mm512_load_si512(from + at));
    }
  }
  static void fence() { _mm_sfence(); }
};

template <class Number>
consteval Row matrix_peak_row(Dtype dtype, Dtype arithmetic) {
  return {.family = Family::peak,
          .op = Op::fma,
          .dtype = dtype,
          .units = Units::matrix,
          .arithmetic = arithmetic,
          .peak = amx_peak_function<AmxUnit, Number>()};
}

template <class Number>
consteval Row matrix_tile_row(Dtype dtype, Dtype arithmetic) {
  return {.family = Family::tile,
          .op = Op::mma,
          .dtype = dtype,
          .units = Units::matrix,
          .arithmetic = arithmetic,
          .tile = amx_slice<AmxUnit, Number>};
}

constexpr Row rows[] = {
    matrix_peak_row<AmxBf16>(Dtype::bf16, Dtype::fp32),
    matrix_peak_row<AmxInt8>(Dtype::int8, Dtype::int32),
    matrix_tile_row<AmxBf16>(Dtype::bf16, Dtype::fp32),
    matrix_tile_row<AmxInt8>(Dtype::int8, Dtype::int32),
};

}  // namespace

constinit const Isa isa_amx = {"AMX", rows, sizeof rows / sizeof rows[0]};

}  // namespace kernels::cpu
