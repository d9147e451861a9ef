// Kernels for every processor, in vectors of 16 bytes that the compiler maps to SSE2, NEON or
// whatever there is. See op_loop.hpp for the rules. Tests define RIDGEPOINT_PORTABLE to run on
// x86-64 what other processors run.
#include "kernels/family_loops.hpp"
#ifdef __x86_64__
#include <emmintrin.h>
#endif

namespace kernels::cpu {
namespace {

// x * a + b is contracted where the compiler's target has FMA.
#ifdef __FP_FAST_FMAF
constexpr bool has_fma = true;
#else
constexpr bool has_fma = false;
#endif

template <class Number>
using Register [[gnu::vector_size(16)]] = Number;
using Words = Register<std::uint32_t>;
using Floats = Register<float>;
using Doubles = Register<double>;
using Halves [[gnu::vector_size(8)]] = std::uint16_t;

template <class To, class From>
To bits_of(From from) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}

#if defined(__x86_64__) && !defined(RIDGEPOINT_PORTABLE)
template <class Vector>
[[gnu::always_inline]] inline void make_opaque(Vector& x) {
  __asm__ volatile("" : "+x"(x));
}
void stream_16(void* to, Words x) {
  _mm_stream_si128(static_cast<__m128i*>(to), bits_of<__m128i>(x));
}
void stream_8(void* to, Halves x) {
  _mm_stream_si64(static_cast<long long*>(to), bits_of<long long>(x));
}
void order_streams() { _mm_sfence(); }
Floats root_of(Floats x) {
  return _mm_sqrt_ps(_mm_and_ps(x, _mm_castsi128_ps(_mm_set1_epi32(0x7fffffff))));
}
Doubles root_of(Doubles x) {
  return _mm_sqrt_pd(_mm_and_pd(x, _mm_castsi128_pd(_mm_set1_epi64x(0x7fffffffffffffff))));
}
/// The sum of the products of both halves of every word.
Words multiply_pairs(Words x, Words a) {
  return bits_of<Words>(_mm_madd_epi16(bits_of<__m128i>(x), bits_of<__m128i>(a)));
}
/// What the processor's microcode makes of a copy; newer ones choose its stores and its prefetch.
double stream_string_copy(const StreamSlice& slice) {
  for (std::uint64_t pass = slice.passes; pass != 0; --pass) {
    const void* from = slice.a;
    void* to = slice.out;
    std::uint64_t count = slice.bytes;
    __asm__ volatile("rep movsb" : "+S"(from), "+D"(to), "+c"(count) : : "memory");
  }
  return 0;
}
#else
template <class Vector>
[[gnu::always_inline]] inline void make_opaque(Vector& x) {
#ifdef __aarch64__
  __asm__ volatile("" : "+w"(x));
#else
  __asm__ volatile("" : "+m"(x));
#endif
}
void stream_16(void* to, Words x) { __builtin_memcpy(to, &x, sizeof x); }
void stream_8(void* to, Halves x) { __builtin_memcpy(to, &x, sizeof x); }
void order_streams() {}
Words multiply_pairs(Words x, Words a) {
  using Signed = Register<std::int32_t>;
  const auto low = [](Words pair) { return bits_of<Words>(bits_of<Signed>(pair << 16) >> 16); };
  const auto high = [](Words pair) { return bits_of<Words>(bits_of<Signed>(pair) >> 16); };
  return low(x) * low(a) + high(x) * high(a);
}
Floats root_of(Floats x) {
  for (int i = 0; i < 4; ++i) x[i] = __builtin_sqrtf(__builtin_fabsf(x[i]));
  return x;
}
Doubles root_of(Doubles x) {
  for (int i = 0; i < 2; ++i) x[i] = __builtin_sqrt(__builtin_fabs(x[i]));
  return x;
}
constexpr StreamFunction stream_string_copy = nullptr;
#endif

template <class Number>
struct Lanes {
  using Scalar = Number;
  using Element = Number;
  using Operand = Number;
  using Vector = Register<Number>;
  static constexpr int lanes = 16 / sizeof(Number), registers = 16, group = 1;
  static constexpr int accumulators = 12, block_rows = 4;
  static constexpr Summing summing = Summing::no;
  static constexpr bool fma_is_apart = !has_fma;
  static Vector set(Number value) {
    if constexpr (lanes == 2) return Vector{value, value};
    if constexpr (lanes == 4) return Vector{value, value, value, value};
  }
  static Vector load(const Number* from) {
    Vector x;
    __builtin_memcpy(&x, from, sizeof x);
    return x;
  }
  static void store(Number* to, Vector x) { __builtin_memcpy(to, &x, sizeof x); }
  static void stream(Number* to, Vector x) { stream_16(to, bits_of<Words>(x)); }
  static Vector mul(Vector x, Vector a) { return x * a; }
  static Vector add(Vector x, Vector b) { return x + b; }
  static Vector fma(Vector x, Vector a, Vector b) { return x * a + b; }
  static Vector root(Vector x) { return root_of(x); }
  static void accumulate(Vector& sum, Vector a, Vector b) { sum = a * b + sum; }
  [[gnu::always_inline]] static void opaque(Vector& x) { make_opaque(x); }
  static void fence() { order_streams(); }
};
struct Fp64 : Lanes<double> {};
struct Fp32 : Lanes<float> {};

/// Unsigned in registers, because int32 wraps around.
struct Int32 : Lanes<std::uint32_t> {
  using Scalar = std::int32_t;
  using Element = std::int32_t;
  static constexpr int accumulators =
      8;  // without a 32-bit multiply (SSE2) it takes more registers
  static constexpr bool fma_is_apart = true;
  static Vector set(std::int32_t value) { return Lanes::set(static_cast<std::uint32_t>(value)); }
  static Vector load(const void* from) {
    Vector x;
    __builtin_memcpy(&x, from, sizeof x);
    return x;
  }
  static void store(void* to, Vector x) { __builtin_memcpy(to, &x, sizeof x); }
  static void stream(void* to, Vector x) { stream_16(to, x); }
};

/// Every lane is a pair: the products of both are summed.
struct Int16Pairs : Int32 {
  using Operand = std::int16_t;
  static constexpr Summing summing = Summing::pairs;
  static constexpr int group = 2, accumulators = 12;
  static Vector set_group(std::int32_t pair) { return set(pair); }
  static Vector mul(Vector x, Vector a) { return multiply_pairs(x, a); }
};

/// 16-bit floats in memory, fp32 in registers. `Convert` widens and narrows 4 of them.
template <class Convert>
struct Narrow : Fp32 {
  using Element = std::uint16_t;
  static Floats load(const std::uint16_t* from) {
    Halves halves;
    __builtin_memcpy(&halves, from, sizeof halves);
    return Convert::widen(__builtin_convertvector(halves, Words));
  }
  static Halves narrow(Floats x) { return __builtin_convertvector(Convert::narrow(x), Halves); }
  static void store(std::uint16_t* to, Floats x) {
    const Halves halves = narrow(x);
    __builtin_memcpy(to, &halves, sizeof halves);
  }
  static void stream(std::uint16_t* to, Floats x) { stream_8(to, narrow(x)); }
};

/// Adds what rounds to the nearest, ties to even, when the low `dropped` bits are cut off.
Words round_bits(Words bits, int dropped) {
  return bits + ((1U << (dropped - 1)) - 1) + ((bits >> dropped) & 1);
}

struct ConvertHalf {
  static constexpr int shift = 13;              // fraction bits that fp32 has more
  static constexpr std::uint32_t rebias = 112;  // difference of the exponent biases

  // fp16 bits at their place in fp32 are 2^-112 of the value; only infinity and NaN need their
  // exponent set.
  static Floats widen(Words bits) {
    const Words magnitude = (bits & 0x7fff) << shift;
    const Words special = bits_of<Words>(magnitude >= 0x0f800000) & 0x7f800000;
    const Words value = bits_of<Words>(bits_of<Floats>(magnitude) * 0x1p112F);
    return bits_of<Floats>(value | special | ((bits & 0x8000) << 16));
  }
  // Finite values; a chain has no others.
  static Words narrow(Floats x) {
    const Words bits = bits_of<Words>(x);
    const Words magnitude = bits & 0x7fffffff;
    const Words normal = (round_bits(magnitude, shift) - (rebias << 23)) >> shift;
    // The last place of 0.5 in fp32 is that of an fp16 subnormal, so adding 0.5 rounds to it.
    const Words subnormal =
        bits_of<Words>(bits_of<Floats>(magnitude) + 0.5F) - __builtin_bit_cast(std::uint32_t, 0.5F);
    const auto small = magnitude < ((rebias + 1) << 23);
    return (small ? subnormal : normal) | ((bits >> 16) & 0x8000);
  }
};

struct ConvertBrain {
  static Floats widen(Words bits) { return bits_of<Floats>(bits << 16); }
  static Words narrow(Floats x) { return round_bits(bits_of<Words>(x), 16) >> 16; }
};

using Half = Narrow<ConvertHalf>;
using Brain = Narrow<ConvertBrain>;
constexpr auto table = full_table<RegistersOf<Fp64, Fp32, Half, Brain, Int32, Int16Pairs>>();

}  // namespace

StreamFunction string_copy() { return stream_string_copy; }

constinit const Isa isa_baseline = isa_of("baseline", table, has_fma);

}  // namespace kernels::cpu
