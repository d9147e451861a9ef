// The loops behind every `chain` row. Included by files that are compiled for one instruction set:
// internal linkage and no library code, so that what is emitted never reaches an older CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/cpu/isa.hpp"

namespace kernels::cpu {
namespace {

// A Simd policy names one register type, its arithmetic, and how elements lie in memory:
// - Element: type in memory (16-bit patterns for fp16 and bf16); Scalar: type of an operand.
// - Vector, lanes: register type, elements per register.
// - accumulators: independent chains that hide the latency of an op without spilling.
// - associative: whether the compiler may regroup the ops (integers).
// - fma_is_apart: whether fma is a multiply and an add.
// - set(Scalar), load, store, stream (past the caches), and fence(), which orders such stores.
// - mul(x, a), add(x, b), fma(x, a, b) = x a + b.
// - opaque(Vector&): makes a value unknown to the compiler, at the cost of no instruction.

/// Bytes from a load to the prefetch that serves a later one. Tried: 768 B is too near, 12 KB too
/// far.
inline constexpr std::size_t prefetch_distance = 3072;
inline constexpr std::size_t cache_line = 64;

[[gnu::always_inline]] inline void prefetch_ahead_of(const void* first, std::size_t bytes) {
  const char* ahead = static_cast<const char*>(first) + prefetch_distance;
  for (std::size_t at = 0; at < bytes; at += cache_line) __builtin_prefetch(ahead + at);
}

template <class Simd, class Step>
[[gnu::always_inline]] inline void on_each_register(typename Simd::Vector (&x)[Simd::accumulators],
                                                    bool keep_order, Step step) {
#pragma GCC unroll 16
  for (int i = 0; i < Simd::accumulators; ++i) {
    x[i] = step(x[i]);
    if (keep_order) Simd::opaque(x[i]);
  }
}

/// One op on every accumulator. Integer ops would be folded, (x a) a = x (a a), if the compiler saw
/// through them; floating-point ones may not be. Where fma is two instructions, all multiplications
/// go before all additions: in pairs they wait for each other (measured: 70 to 84 % of the peak).
template <class Simd, Op op>
[[gnu::always_inline]] inline void chain_step(typename Simd::Vector (&x)[Simd::accumulators],
                                              typename Simd::Vector a, typename Simd::Vector b) {
  using Vector = typename Simd::Vector;
  if constexpr (op == Op::fma && !Simd::fma_is_apart) {
    on_each_register<Simd>(x, Simd::associative, [a, b](Vector v) { return Simd::fma(v, a, b); });
    return;
  }
  const bool keep_order = Simd::associative || op == Op::fma;
  if constexpr (op != Op::add) {
    on_each_register<Simd>(x, keep_order, [a](Vector v) { return Simd::mul(v, a); });
  }
  if constexpr (op != Op::mul) {
    on_each_register<Simd>(x, keep_order, [b](Vector v) { return Simd::add(v, b); });
  }
}

/// Where a run of blocks lies, and what is done to each.
template <class Element>
struct ChainBlocks {
  const Element* in;
  Element* out;
  std::uint64_t blocks;
  std::uint64_t repeat;
  bool streaming;
};

/// Each block fills every accumulator, goes through all ops, and is stored.
template <class Simd, Op op>
[[gnu::noinline, gnu::noclone]] void chain_blocks(ChainBlocks<typename Simd::Element> run,
                                                  typename Simd::Scalar a_value,
                                                  typename Simd::Scalar b_value) {
  constexpr int count = Simd::accumulators;
  constexpr std::size_t block = static_cast<std::size_t>(count * Simd::lanes);
  typename Simd::Vector a = Simd::set(a_value), b = Simd::set(b_value);
  Simd::opaque(a);
  Simd::opaque(b);
  for (; run.blocks != 0; --run.blocks, run.in += block, run.out += block) {
    if (run.streaming) prefetch_ahead_of(run.in, block * sizeof(*run.in));
    typename Simd::Vector x[count];
#pragma GCC unroll 16
    for (int i = 0; i < count; ++i) x[i] = Simd::load(run.in + i * Simd::lanes);
#pragma GCC unroll 1
    for (std::uint64_t trip = run.repeat / chain_unroll; trip != 0; --trip) {
#pragma GCC unroll 8
      for (int step = 0; step < chain_unroll; ++step) chain_step<Simd, op>(x, a, b);
    }
#pragma GCC unroll 1
    for (std::uint64_t rest = run.repeat % chain_unroll; rest != 0; --rest) {
      chain_step<Simd, op>(x, a, b);
    }
#pragma GCC unroll 16
    for (int i = 0; i < count; ++i) {
      if (run.streaming) {
        Simd::stream(run.out + i * Simd::lanes, x[i]);
      } else {
        Simd::store(run.out + i * Simd::lanes, x[i]);
      }
    }
  }
}

/// A ChainFunction. The last elements, less than a block, go by way of a block on the stack.
template <class Simd, Op op>
void chain_slice(const ChainSlice& slice) {
  using Element = typename Simd::Element;
  constexpr std::uint64_t block = static_cast<std::uint64_t>(Simd::accumulators * Simd::lanes);
  using Scalar = typename Simd::Scalar;
  using Exact = std::conditional_t<Simd::associative, std::int64_t, double>;  // wraps if unsigned
  const auto a = static_cast<Scalar>(static_cast<Exact>(slice.a));
  const auto b = static_cast<Scalar>(static_cast<Exact>(slice.b));
  const auto* in = static_cast<const Element*>(slice.in);
  auto* out = static_cast<Element*>(slice.out);
  const std::uint64_t blocks = slice.elements / block;
  chain_blocks<Simd, op>({in, out, blocks, slice.repeat, slice.streaming}, a, b);
  if (slice.streaming) Simd::fence();
  alignas(cache_line) Element rest[block] = {};
  const std::uint64_t first = blocks * block;
  const std::uint64_t left = slice.elements - first;
  if (left == 0) return;
  for (std::uint64_t i = 0; i < left; ++i) rest[i] = in[first + i];
  chain_blocks<Simd, op>({rest, rest, 1, slice.repeat, false}, a, b);
  for (std::uint64_t i = 0; i < left; ++i) out[first + i] = rest[i];
}

/// The table entry of a chain kernel whose ops round to `arithmetic`.
template <class Simd, Op op>
consteval Row chain_row(Dtype dtype, Dtype arithmetic) {
  return {.family = Family::chain,
          .op = op,
          .dtype = dtype,
          .units = Units::vector,
          .arithmetic = arithmetic,
          .chain = chain_slice<Simd, op>};
}

}  // namespace
}  // namespace kernels::cpu
