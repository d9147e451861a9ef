// The ops of chain and peak kernels on registers, and the loop that repeats one. Included by files
// that are compiled for one instruction set: internal linkage and no library code, so that what is
// emitted never reaches an older CPU.
#pragma once

#include <cstdint>

#include "kernels/cpu/simd/isa.hpp"

namespace kernels::cpu {
namespace {

// A Simd policy says how an instruction set loads, stores and computes one element type. All loops
// are written against these members:
// - Scalar: what a lane holds. Element: the same in memory (16-bit patterns for fp16 and bf16).
// - Vector, lanes, registers: register type, scalars in one, and how many of them there are.
// - accumulators: independent chains that hide the latency of an op without spilling.
// - set(Scalar); load and store, of any address; stream (past the caches, of whole aligned
//   registers), and fence(), which orders such stores.
// - mul(x, a), add(x, b), fma(x, a, b) = x a + b. fma_is_apart: fma is a mul and an add instead.
// - root(x) = sqrt |x|, of fp64 and fp32.
// - opaque(Vector&): makes a value unknown to the compiler, at the cost of no instruction.
// - first_lanes(count), select(mask, x, otherwise): only where ops can leave out lanes.
// - summing: what an element of a peak kernel is, see Summing.
// Tile kernels need more, see tile_loop.hpp.

/// Every lane takes part in an op.
template <class Simd>
struct AllLanes {
  [[gnu::always_inline]] typename Simd::Vector operator()(typename Simd::Vector result,
                                                          typename Simd::Vector) const {
    return result;
  }
};

/// One instruction on every register. Each result is opaque: integer ops would be folded, (x a) a =
/// x (a a), and those of different registers be put in another order.
template <class Simd, int count, class Lanes, class Step>
[[gnu::always_inline]] inline void on_each(typename Simd::Vector (&x)[count], Lanes lanes,
                                           Step step) {
#pragma GCC unroll 32
  for (int i = 0; i < count; ++i) {
    x[i] = lanes(step(x[i]), x[i]);
    Simd::opaque(x[i]);
  }
}

// An op is a struct: its name in tables, and what it does to registers.

struct Mul {
  static constexpr Op op = Op::mul;
  template <class Simd, int count, class Lanes>
  [[gnu::always_inline]] static void apply(typename Simd::Vector (&x)[count],
                                           typename Simd::Vector a, typename Simd::Vector,
                                           Lanes lanes) {
    on_each<Simd>(x, lanes, [a](typename Simd::Vector value) { return Simd::mul(value, a); });
  }
};

struct Add {
  static constexpr Op op = Op::add;
  template <class Simd, int count, class Lanes>
  [[gnu::always_inline]] static void apply(typename Simd::Vector (&x)[count], typename Simd::Vector,
                                           typename Simd::Vector b, Lanes lanes) {
    on_each<Simd>(x, lanes, [b](typename Simd::Vector value) { return Simd::add(value, b); });
  }
};

/// All multiplications go before all additions: in pairs they wait for each other in the
/// processor's queues (measured: 60 % of the peak that this order reaches).
struct MulAdd {
  static constexpr Op op = Op::mul_add;
  template <class Simd, int count, class Lanes>
  [[gnu::always_inline]] static void apply(typename Simd::Vector (&x)[count],
                                           typename Simd::Vector a, typename Simd::Vector b,
                                           Lanes lanes) {
    Mul::apply<Simd>(x, a, b, lanes);
    Add::apply<Simd>(x, a, b, lanes);
  }
};

struct Fma {
  static constexpr Op op = Op::fma;
  template <class Simd, int count, class Lanes>
  [[gnu::always_inline]] static void apply(typename Simd::Vector (&x)[count],
                                           typename Simd::Vector a, typename Simd::Vector b,
                                           Lanes lanes) {
    if constexpr (Simd::fma_is_apart) {
      MulAdd::apply<Simd>(x, a, b, lanes);
    } else {
      on_each<Simd>(x, lanes,
                    [a, b](typename Simd::Vector value) { return Simd::fma(value, a, b); });
    }
  }
};

struct Sqrt {
  static constexpr Op op = Op::sqrt;
  template <class Simd, int count, class Lanes>
  [[gnu::always_inline]] static void apply(typename Simd::Vector (&x)[count], typename Simd::Vector,
                                           typename Simd::Vector, Lanes lanes) {
    on_each<Simd>(x, lanes, [](typename Simd::Vector value) { return Simd::root(value); });
  }
};

/// `repeat` ops on each register.
template <class Simd, class Operation, int count, class Lanes = AllLanes<Simd>>
[[gnu::always_inline]] inline void repeat_op(typename Simd::Vector (&x)[count],
                                             typename Simd::Vector a, typename Simd::Vector b,
                                             std::uint64_t repeat, Lanes lanes = {}) {
#pragma GCC unroll 1
  for (std::uint64_t trip = repeat / ops_per_trip; trip != 0; --trip) {
#pragma GCC unroll 8
    for (int step = 0; step < ops_per_trip; ++step) {
      Operation::template apply<Simd>(x, a, b, lanes);
    }
  }
#pragma GCC unroll 1
  for (std::uint64_t rest = repeat % ops_per_trip; rest != 0; --rest) {
    Operation::template apply<Simd>(x, a, b, lanes);
  }
}

}  // namespace
}  // namespace kernels::cpu
