// The loop behind every vector `peak` row. Included by files that are compiled for one instruction
// set, so everything here has internal linkage and no library code: what is emitted never reaches
// an older CPU.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/isa.hpp"
#include "kernels/cpu/peak_start.hpp"

namespace kernels::cpu {
namespace {

// A Simd policy names one vector register type and the arithmetic on it:
// - Element, Vector, lanes: result type, register type, results per register.
// - Operand, group: type of a factor; factors per lane, 1, or 2 for pairs of int16.
// - accumulators: independent chains that hide the latency of fma without spilling; block_rows:
// rows of D that fit.
// - set(Element), load, store, stream (past the caches), and fence(), which orders such stores.
// - fma(x, a, b) = x a + b, mul(x, a), add(x, b).
// - registers: how many vector registers there are.
// - summing: what an element of a peak kernel is, see Summing.
// - fma_is_apart: fma is one mul instruction and one add instruction.
// - accumulate(sum, a, b): sum += a b, in this order and place; only where fma is not apart.
// - opaque(Vector&): makes a value unknown to the compiler, at the cost of no instruction.

template <class Simd, int count, class Step>
[[gnu::always_inline]] inline void for_each_chain(typename Simd::Vector (&x)[count], Step step) {
#pragma GCC unroll 32
  for (int i = 0; i < count; ++i) {
    x[i] = step(x[i]);
    Simd::opaque(x[i]);  // integer chains would be folded: (x a) a = x (a a)
  }
}

/// One op on every chain. Where fma is two instructions, all multiplications go before all
/// additions: in pairs they wait for each other in the processor's queues (measured: 60 % of the
/// peak that this order reaches).
template <class Simd, Op op, int count>
[[gnu::always_inline]] inline void peak_step(typename Simd::Vector (&x)[count],
                                             typename Simd::Vector a, typename Simd::Vector b) {
  using Vector = typename Simd::Vector;
  if constexpr (op == Op::fma && !Simd::fma_is_apart) {
    for_each_chain<Simd>(x, [a, b](Vector value) { return Simd::fma(value, a, b); });
  } else {
    if constexpr (op != Op::add) {
      for_each_chain<Simd>(x, [a](Vector value) { return Simd::mul(value, a); });
    }
    if constexpr (op != Op::mul) {
      for_each_chain<Simd>(x, [b](Vector value) { return Simd::add(value, b); });
    }
  }
}

/// `repeat` ops on every lane of every accumulator; returns the sum of all of them.
template <class Simd, Op op, int count>
[[gnu::noinline]] double peak_loop(std::uint64_t repeat, double a_value, double b_value,
                                   PeakStart start) {
  using Element = typename Simd::Element;
  alignas(64) Element memory[static_cast<std::size_t>(count * Simd::lanes)];
  for (int i = 0; i < count * Simd::lanes; ++i) {
    memory[i] = static_cast<Element>(peak_start<Element>(i, start));
  }
  typename Simd::Vector x[count];
  typename Simd::Vector a = Simd::set(static_cast<Element>(a_value));
  typename Simd::Vector b = Simd::set(static_cast<Element>(b_value));
#pragma GCC unroll 32
  for (int i = 0; i < count; ++i) x[i] = Simd::load(memory + i * Simd::lanes);
  for (std::uint64_t trip = repeat / peak_unroll; trip != 0; --trip) {
#pragma GCC unroll 8
    for (int step = 0; step < peak_unroll; ++step) peak_step<Simd, op>(x, a, b);
  }
  for (std::uint64_t rest = repeat % peak_unroll; rest != 0; --rest) peak_step<Simd, op>(x, a, b);
#pragma GCC unroll 32
  for (int i = 0; i < count; ++i) Simd::store(memory + i * Simd::lanes, x[i]);
  double sum = 0;
  for (int i = 0; i < count * Simd::lanes; ++i) sum += static_cast<double>(memory[i]);
  return sum;
}

/// One shape of a peak kernel. A lane counts `Simd::group` elements.
template <class Simd, Op op, int count = Simd::accumulators>
consteval PeakFunction peak_function() {
  return {peak_loop<Simd, op, count>, static_cast<std::uint64_t>(count * Simd::lanes) * Simd::group,
          count};
}

template <class Simd, Op op, int... counts>
struct PeakVariants {
  static constexpr PeakFunction list[] = {peak_function<Simd, op, counts>()...};
};

/// The shapes of a peak kernel, Simd::accumulators first: fewer chains for short latencies, more
/// where a multiplication and an addition wait for each other.
template <class Simd, Op op>
consteval Variants<PeakFunction> peak_variants() {
  constexpr int count = Simd::accumulators;
  if constexpr (Simd::registers >= 32) {
    using Table = PeakVariants<Simd, op, count, 8, 16, 24>;
    return {Table::list, sizeof Table::list / sizeof Table::list[0]};
  } else if constexpr (count > 8) {
    using Table = PeakVariants<Simd, op, count, 8, 10>;
    return {Table::list, sizeof Table::list / sizeof Table::list[0]};
  } else {
    return {PeakVariants<Simd, op, count>::list, 1};
  }
}

}  // namespace
}  // namespace kernels::cpu
