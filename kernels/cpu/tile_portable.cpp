// Tile and peak kernels for processors other than x86-64, in vectors of 16 bytes that the compiler
// maps to what there is. See peak_loop.hpp for the rules.
#include "kernels/cpu/tile_rows.hpp"

namespace kernels::cpu {
namespace {

// x * a + b is contracted where the compiler's target has FMA.
#ifdef __FP_FAST_FMAF
constexpr bool has_fma = true;
#else
constexpr bool has_fma = false;
#endif

/// `Vector` holds 16 bytes of `Number`. There is no portable constraint for "any vector register",
/// but g++ and clang neither reorder nor merge floating-point operations (no -ffast-math), and
/// `Int32` below needs no vector.
template <class Number>
struct Float {
  using Element = Number;
  using Operand = Number;
  using Vector [[gnu::vector_size(16)]] = Number;
  static constexpr int registers = 16;
  static constexpr Summing summing = Summing::no;
  static constexpr int lanes = 16 / sizeof(Number), group = 1, accumulators = 12, block_rows = 4;
  static constexpr bool fma_is_apart = !has_fma;
  static Vector set(Number value) {
    Vector x{};
    for (int i = 0; i < lanes; ++i) x[i] = value;
    return x;
  }
  static Vector zero() { return Vector{}; }
  static Vector load(const Number* from) {
    Vector x;
    __builtin_memcpy(&x, from, sizeof x);
    return x;
  }
  static Vector load_result(const Number* from) { return load(from); }
  static Vector broadcast(const Number* from) { return set(*from); }
  static void store(Number* to, Vector x) { __builtin_memcpy(to, &x, sizeof x); }
  static void stream(Number* to, Vector x) { store(to, x); }
  static Vector mul(Vector x, Vector a) { return x * a; }
  static Vector add(Vector x, Vector b) { return x + b; }
  static Vector fma(Vector x, Vector a, Vector b) { return x * a + b; }
  static void accumulate(Vector& sum, Vector a, Vector b) { sum = fma(a, b, sum); }
  static void opaque(Vector&) {}
  static void fence() {}  // stream() is an ordinary store
};
using Fp64 = Float<double>;
using Fp32 = Float<float>;

/// fp16 bits at their place in fp32 are 2^-112 of the value; only infinity and NaN need their
/// exponent set.
struct HalfToFp32 {
  static Fp32::Vector load(const std::uint16_t* from) {
    float values[Fp32::lanes];
    for (int i = 0; i < Fp32::lanes; ++i) {
      const std::uint32_t magnitude = (from[i] & 0x7fffU) << 13;
      const float scaled = __builtin_bit_cast(float, magnitude) * 0x1p112F;
      const std::uint32_t special = magnitude >= 0x0f800000U ? 0x7f800000U : 0U;
      values[i] = __builtin_bit_cast(
          float, __builtin_bit_cast(std::uint32_t, scaled) | special | ((from[i] & 0x8000U) << 16));
    }
    return Fp32::load(values);
  }
};

struct Bf16ToFp32 {
  static Fp32::Vector load(const std::uint16_t* from) {
    float values[Fp32::lanes];
    for (int i = 0; i < Fp32::lanes; ++i) {
      values[i] = __builtin_bit_cast(float, static_cast<std::uint32_t>(from[i]) << 16);
    }
    return Fp32::load(values);
  }
};

/// Scalar, because a general register is one that every processor has and that can be made opaque:
/// the compiler may and does merge integer multiplications. Unsigned, because int32 wraps around.
struct Int32 {
  using Element = std::int32_t;
  using Vector = std::uint32_t;
  static constexpr int registers = 16;
  static constexpr Summing summing = Summing::no;
  static constexpr int lanes = 1, group = 1, accumulators = 6, block_rows = 4;
  static constexpr bool fma_is_apart = false;
  static Vector set(std::int32_t value) { return static_cast<Vector>(value); }
  static Vector zero() { return 0; }
  static Vector load(const std::int32_t* from) { return set(*from); }
  static Vector load_result(const std::int32_t* from) { return set(*from); }
  static void store(std::int32_t* to, Vector x) { *to = static_cast<std::int32_t>(x); }
  static void stream(std::int32_t* to, Vector x) { store(to, x); }
  static Vector mul(Vector x, Vector a) { return x * a; }
  static Vector add(Vector x, Vector b) { return x + b; }
  static Vector fma(Vector x, Vector a, Vector b) { return x * a + b; }
  static void opaque(Vector& x) { __asm__ volatile("" : "+r"(x)); }
  static void fence() {}  // stream() is an ordinary store
};

/// A lane is a pair of int16 that are multiplied and summed, like pmaddwd of x86.
struct Int16Pairs : Int32 {
  using Operand = std::int16_t;
  static constexpr Summing summing = Summing::pairs;
  static constexpr int group = 2;
  static constexpr bool fma_is_apart = false;
  static Vector load(const std::int32_t* from) { return Int32::load(from); }
  static Vector load(const std::int16_t* pair) { return broadcast(pair); }
  static Vector broadcast(const std::int16_t* pair) {
    return static_cast<std::uint16_t>(pair[0]) |
           (Vector{static_cast<std::uint16_t>(pair[1])} << 16);
  }
  static std::int32_t half(Vector x, int shift) { return static_cast<std::int16_t>(x >> shift); }
  static Vector fma(Vector x, Vector a, Vector b) {
    return static_cast<Vector>(half(x, 0) * half(a, 0)) +
           static_cast<Vector>(half(x, 16) * half(a, 16)) + b;
  }
  static void accumulate(Vector& sum, Vector a, Vector b) {
    sum = fma(a, b, sum);
    opaque(sum);
  }
};

constexpr Row rows[] = {
    peak_row<Fp64, Op::fma>(Dtype::fp64, Dtype::fp64),
    peak_row<Fp64, Op::mul>(Dtype::fp64, Dtype::fp64),
    peak_row<Fp64, Op::add>(Dtype::fp64, Dtype::fp64),
    peak_row<Fp64, Op::mul_add>(Dtype::fp64, Dtype::fp64),
    peak_row<Fp32, Op::fma>(Dtype::fp32, Dtype::fp32),
    peak_row<Fp32, Op::mul>(Dtype::fp32, Dtype::fp32),
    peak_row<Fp32, Op::add>(Dtype::fp32, Dtype::fp32),
    peak_row<Fp32, Op::mul_add>(Dtype::fp32, Dtype::fp32),
    peak_row<Fp32, Op::fma>(Dtype::fp16, Dtype::fp32),
    peak_row<Fp32, Op::mul>(Dtype::fp16, Dtype::fp32),
    peak_row<Fp32, Op::add>(Dtype::fp16, Dtype::fp32),
    peak_row<Fp32, Op::mul_add>(Dtype::fp16, Dtype::fp32),
    peak_row<Fp32, Op::fma>(Dtype::bf16, Dtype::fp32),
    peak_row<Fp32, Op::mul>(Dtype::bf16, Dtype::fp32),
    peak_row<Fp32, Op::add>(Dtype::bf16, Dtype::fp32),
    peak_row<Fp32, Op::mul_add>(Dtype::bf16, Dtype::fp32),
    peak_row<Int32, Op::fma>(Dtype::int32, Dtype::int32),
    peak_row<Int32, Op::mul>(Dtype::int32, Dtype::int32),
    peak_row<Int32, Op::add>(Dtype::int32, Dtype::int32),
    peak_row<Int32, Op::mul_add>(Dtype::int32, Dtype::int32),
    peak_row<Int16Pairs, Op::fma>(Dtype::int8, Dtype::int32),
    tile_row<Fp64, DirectStorage<double>>(Dtype::fp64, Dtype::fp64),
    tile_row<Fp32, DirectStorage<float>>(Dtype::fp32, Dtype::fp32),
    tile_row<Fp32, WidenedStorage<Fp32, HalfToFp32>>(Dtype::fp16, Dtype::fp32),
    tile_row<Fp32, WidenedStorage<Fp32, Bf16ToFp32>>(Dtype::bf16, Dtype::fp32),
    tile_row<Int16Pairs, PairedStorage>(Dtype::int8, Dtype::int32),
};

}  // namespace

Isa tile_baseline() { return isa_of("baseline", rows, has_fma); }

}  // namespace kernels::cpu
