// Chain and stream kernels for every processor, in vectors of 16 bytes that the compiler maps to
// SSE2, NEON or whatever there is. See chain_loop.hpp for the rules.
#include "kernels/cpu/chain_rows.hpp"
#ifdef __SSE2__
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
using Halves [[gnu::vector_size(8)]] = std::uint16_t;

template <class To, class From>
To bits_of(From from) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}

#ifdef __x86_64__
void stream_16(void* to, Words x) {
  _mm_stream_si128(static_cast<__m128i*>(to), bits_of<__m128i>(x));
}
void stream_8(void* to, Halves x) {
  _mm_stream_si64(static_cast<long long*>(to), bits_of<long long>(x));
}
void order_streams() { _mm_sfence(); }
#else
void stream_16(void* to, Words x) { __builtin_memcpy(to, &x, sizeof x); }
void stream_8(void* to, Halves x) { __builtin_memcpy(to, &x, sizeof x); }
void order_streams() {}
#endif

template <class Vector>
void make_opaque(Vector& x) {
#if defined(__SSE2__)
  __asm__ volatile("" : "+x"(x));
#elif defined(__aarch64__)
  __asm__ volatile("" : "+w"(x));
#else
  __asm__ volatile("" : "+m"(x));
#endif
}

template <class Number>
struct Lanes {
  using Scalar = Number;
  using Vector = Register<Number>;
  static constexpr int lanes = 16 / sizeof(Number), accumulators = 12;
  static constexpr bool associative = false, fma_is_apart = !has_fma;
  static Vector set(Number value) { return Vector{} + value; }
  static Vector mul(Vector x, Vector a) { return x * a; }
  static Vector add(Vector x, Vector b) { return x + b; }
  static Vector fma(Vector x, Vector a, Vector b) { return x * a + b; }
  static void opaque(Vector& x) { make_opaque(x); }
  static void fence() { order_streams(); }
};

/// The same type in memory and in registers.
template <class Number>
struct Direct : Lanes<Number> {
  using Element = Number;
  using Vector = typename Lanes<Number>::Vector;
  static Vector load(const Number* from) {
    Vector x;
    __builtin_memcpy(&x, from, sizeof x);
    return x;
  }
  static void store(Number* to, Vector x) { __builtin_memcpy(to, &x, sizeof x); }
  static void stream(Number* to, Vector x) { stream_16(to, bits_of<Words>(x)); }
};

using Fp64 = Direct<double>;

struct Fp32 : Direct<float> {
  using Bits = Words;
  static Bits load_bits(const float* from) { return bits_of<Words>(load(from)); }
  static Bits combine(Bits x, Bits y) { return x + y; }
  static float fma_one(float x, float a, float b) { return x * a + b; }
};

/// Unsigned, because int32 wraps around.
struct Int32 : Direct<std::uint32_t> {
  static constexpr bool associative = true, fma_is_apart = true;
  static constexpr int accumulators =
      8;  // without a 32-bit multiply (SSE2) it takes more registers
};

/// 16-bit floats in memory, fp32 in registers. `Convert` widens and narrows 4 of them.
template <class Convert>
struct Narrow : Lanes<float> {
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

/// Finite values; a chain has no others.
struct ConvertHalf {
  static constexpr int shift = 13;              // fraction bits that fp32 has more
  static constexpr std::uint32_t rebias = 112;  // difference of the exponent biases

  // fp16 bits at their place in fp32 are 2^-112 of the value.
  static Floats widen(Words bits) {
    const Floats magnitude = bits_of<Floats>((bits & 0x7fff) << shift) * 0x1p112F;
    return bits_of<Floats>(bits_of<Words>(magnitude) | ((bits & 0x8000) << 16));
  }
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

#ifdef __x86_64__
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
#endif

using Table = ChainTable<Fp64, Fp32, Narrow<ConvertHalf>, Narrow<ConvertBrain>, Int32>;

}  // namespace

#ifdef __x86_64__
StreamFunction string_copy() { return stream_string_copy; }
#else
StreamFunction string_copy() { return nullptr; }
#endif

Isa chain_baseline() { return {"baseline", Table::rows, Table::count, has_fma}; }

}  // namespace kernels::cpu
