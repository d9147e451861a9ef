// The loops behind every `chain` row. See op_loop.hpp for the rules and for the Simd policies. How
// chain_blocks() is written matters: unrolled by 4, in assembly, or with the prefetch after the ops
// it reached 25 % less bandwidth at 4 and 8 ops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/cpu/simd/op_loop.hpp"
#include "kernels/cpu/simd/rows.hpp"

namespace kernels::cpu {
namespace {

inline constexpr std::size_t cache_line = 64;

template <std::size_t bytes>
[[gnu::always_inline]] inline void prefetch_ahead_of(const void* first) {
  const char* ahead = static_cast<const char*>(first) + chain_prefetch_distance;
  // Unrolled, g++ 12 keeps an address of each line and spills registers of AVX2 for them.
#pragma GCC unroll 1
  for (std::size_t at = 0; at < bytes; at += cache_line) __builtin_prefetch(ahead + at);
}

/// What is left to do of a slice.
template <class Simd>
struct ChainRun {
  const typename Simd::Element* in;
  typename Simd::Element* out;
  std::uint64_t elements;
  std::uint64_t repeat;
};

/// Past the caches, where the working set is beyond them.
template <class Simd, bool streaming>
[[gnu::always_inline]] inline void put(typename Simd::Element* to, typename Simd::Vector x) {
  if constexpr (streaming) {
    Simd::stream(to, x);
  } else {
    Simd::store(to, x);
  }
}

/// Whole blocks of `count` registers: each is loaded, goes through all ops, and is stored.
template <class Simd, class Operation, int count, bool streaming>
[[gnu::noinline, gnu::noclone]] void chain_blocks(ChainRun<Simd>& slice,
                                                  typename Simd::Scalar a_value,
                                                  typename Simd::Scalar b_value) {
  constexpr std::size_t block = static_cast<std::size_t>(count * Simd::lanes);
  ChainRun<Simd> run = slice;
  typename Simd::Vector a = Simd::set(a_value), b = Simd::set(b_value);
  Simd::opaque(a);
  Simd::opaque(b);
  for (; run.elements >= block; run.elements -= block, run.in += block, run.out += block) {
    if constexpr (streaming) prefetch_ahead_of<block * sizeof(*run.in)>(run.in);
    typename Simd::Vector x[count];
#pragma GCC unroll 16
    for (int i = 0; i < count; ++i) x[i] = Simd::load(run.in + i * Simd::lanes);
    repeat_op<Simd, Operation>(x, a, b, run.repeat);
#pragma GCC unroll 16
    for (int i = 0; i < count; ++i) put<Simd, streaming>(run.out + i * Simd::lanes, x[i]);
  }
  slice = run;
}

template <class Simd>
inline constexpr bool has_masks = requires {
  Simd::first_lanes(0);
};

/// The last elements, less than a register, by way of a register on the stack. Where the
/// instruction set can leave out lanes, no more ops are executed than are claimed; elsewhere those
/// of one whole register.
template <class Simd, class Operation>
[[gnu::noinline, gnu::noclone]] void chain_part(const ChainRun<Simd>& run,
                                                typename Simd::Scalar a_value,
                                                typename Simd::Scalar b_value) {
  using Vector = typename Simd::Vector;
  alignas(cache_line) typename Simd::Element part[Simd::lanes] = {};
  for (std::uint64_t i = 0; i < run.elements; ++i) part[i] = run.in[i];
  Vector a = Simd::set(a_value), b = Simd::set(b_value);
  Simd::opaque(a);
  Simd::opaque(b);
  Vector x[1] = {Simd::load(part)};
  if constexpr (has_masks<Simd>) {
    const auto mask = Simd::first_lanes(static_cast<int>(run.elements));
    repeat_op<Simd, Operation>(x, a, b, run.repeat, [mask](Vector result, Vector before) {
      return Simd::select(mask, result, before);
    });
  } else {
    repeat_op<Simd, Operation>(x, a, b, run.repeat);
  }
  Simd::store(part, x[0]);
  for (std::uint64_t i = 0; i < run.elements; ++i) run.out[i] = part[i];
}

/// Blocks that fill every accumulator, then narrower ones, so that hardly more is executed than is
/// claimed.
template <class Simd, class Operation, bool streaming>
void chain_run(ChainRun<Simd> run, typename Simd::Scalar a, typename Simd::Scalar b) {
  chain_blocks<Simd, Operation, Simd::accumulators, streaming>(run, a, b);
  if (run.elements >= 4 * Simd::lanes) chain_blocks<Simd, Operation, 4, streaming>(run, a, b);
  if (run.elements >= Simd::lanes) chain_blocks<Simd, Operation, 1, streaming>(run, a, b);
  if (run.elements != 0) chain_part<Simd, Operation>(run, a, b);
  if constexpr (streaming) Simd::fence();
}

/// A ChainFunction.
template <class Simd, class Operation>
void chain_slice(const ChainSlice& slice) {
  using Element = typename Simd::Element;
  using Scalar = typename Simd::Scalar;
  // Operands of integers wrap.
  using Exact = std::conditional_t<std::is_integral_v<Scalar>, std::int64_t, double>;
  const auto a = static_cast<Scalar>(static_cast<Exact>(slice.a));
  const auto b = static_cast<Scalar>(static_cast<Exact>(slice.b));
  const ChainRun<Simd> run{static_cast<const Element*>(slice.in), static_cast<Element*>(slice.out),
                           slice.elements, slice.repeat};
  if (slice.streaming) {
    chain_run<Simd, Operation, true>(run, a, b);
  } else {
    chain_run<Simd, Operation, false>(run, a, b);
  }
}

/// `arithmetic`: the dtype to which every op rounds.
template <class Simd, class Operation>
consteval Row chain_row(Dtype dtype, Dtype arithmetic) {
  return {.family = Family::chain,
          .op = Operation::op,
          .dtype = dtype,
          .arithmetic = arithmetic,
          .chain = chain_slice<Simd, Operation>};
}

/// Every op of a chain.
template <class Simd>
consteval void add_chains(Rows& rows, Dtype dtype, Dtype arithmetic) {
  rows.add(chain_row<Simd, Mul>(dtype, arithmetic));
  rows.add(chain_row<Simd, Add>(dtype, arithmetic));
  rows.add(chain_row<Simd, Fma>(dtype, arithmetic));
}

template <class Registers>
consteval void add_chain(Rows& rows) {
  using Double = typename Registers::Fp64;
  using Single = typename Registers::Fp32;
  add_chains<Double>(rows, Dtype::fp64, Dtype::fp64);
  add_chains<Single>(rows, Dtype::fp32, Dtype::fp32);
  rows.add(chain_row<Double, Sqrt>(Dtype::fp64, Dtype::fp64));
  rows.add(chain_row<Single, Sqrt>(Dtype::fp32, Dtype::fp32));
  add_chains<typename Registers::Half>(rows, Dtype::fp16, Dtype::fp32);
  add_chains<typename Registers::Brain>(rows, Dtype::bf16, Dtype::fp32);
  add_chains<typename Registers::Int32>(rows, Dtype::int32, Dtype::int32);
}

}  // namespace
}  // namespace kernels::cpu
