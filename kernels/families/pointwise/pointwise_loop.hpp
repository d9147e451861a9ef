// The loops behind every `pointwise` row. See op_loop.hpp for the rules and for the Simd policies.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/simd/rows.hpp"
#include "kernels/families/chain/chain_loop.hpp"
#include "kernels/pointwise_operators.hpp"

namespace kernels::cpu {
namespace {

/// What the expressions of pointwise_operators.hpp use beside x.
template <class Simd>
struct Kit {
  using V = typename Simd::Vector;
  V a, b;
  V (*exp)(V);
  V (*cos)(V);
  V (*tanh)(V);
  V (*erf)(V);
  [[gnu::always_inline]] static V root(V x) { return Simd::root(x); }
};

template <class Simd>
[[gnu::always_inline]] inline Kit<Simd> kit_of(const PointwiseSlice& slice) {
  using S = typename Simd::Scalar;
  using V = typename Simd::Vector;
  using Function = V (*)(V);
  const MathFunctions& from = slice.functions;
  return {Simd::set(static_cast<S>(slice.a)),    Simd::set(static_cast<S>(slice.b)),
          reinterpret_cast<Function>(from.exp),  reinterpret_cast<Function>(from.cos),
          reinterpret_cast<Function>(from.tanh), reinterpret_cast<Function>(from.erf)};
}

namespace pointwise {
#define RIDGEPOINT_STRUCT(name, expression)                                                       \
  struct name {                                                                                   \
    template <class Simd>                                                                         \
    [[gnu::always_inline]] static typename Simd::Vector of(typename Simd::Vector x,               \
                                                           [[maybe_unused]] const Kit<Simd>& k) { \
      using V [[maybe_unused]] = typename Simd::Vector;                                           \
      using S [[maybe_unused]] = typename Simd::Scalar;                                           \
      return expression;                                                                          \
    }                                                                                             \
  };
RIDGEPOINT_OPERATORS(RIDGEPOINT_STRUCT)
#undef RIDGEPOINT_STRUCT
}  // namespace pointwise

/// Whole blocks of `count` registers, as long as there are any. Returns the elements that are done.
template <class Simd, class Operator, int count, bool streaming>
[[gnu::noinline, gnu::noclone]] std::uint64_t pointwise_blocks(const PointwiseSlice& slice,
                                                               std::uint64_t done) {
  constexpr std::size_t block = static_cast<std::size_t>(count * Simd::lanes);
  const auto* in = static_cast<const typename Simd::Element*>(slice.in);
  auto* out = static_cast<typename Simd::Element*>(slice.out);
  const Kit<Simd> kit = kit_of<Simd>(slice);
  for (; done + block <= slice.elements; done += block) {
    if constexpr (streaming) prefetch_ahead_of<block * sizeof(*in)>(in + done);
    typename Simd::Vector x[count];
#pragma GCC unroll 16
    for (int i = 0; i < count; ++i) x[i] = Simd::load(in + done + i * Simd::lanes);
#pragma GCC unroll 16
    for (int i = 0; i < count; ++i) x[i] = Operator::template of<Simd>(x[i], kit);
#pragma GCC unroll 16
    for (int i = 0; i < count; ++i) put<Simd, streaming>(out + done + i * Simd::lanes, x[i]);
  }
  return done;
}

/// The last elements, less than a register, by way of a register on the stack.
template <class Simd, class Operator>
[[gnu::noinline, gnu::noclone]] void pointwise_part(const PointwiseSlice& slice,
                                                    std::uint64_t done) {
  alignas(cache_line) typename Simd::Element part[Simd::lanes] = {};
  const auto* in = static_cast<const typename Simd::Element*>(slice.in);
  auto* out = static_cast<typename Simd::Element*>(slice.out);
  for (std::uint64_t i = done; i < slice.elements; ++i) part[i - done] = in[i];
  Simd::store(part, Operator::template of<Simd>(Simd::load(part), kit_of<Simd>(slice)));
  for (std::uint64_t i = done; i < slice.elements; ++i) out[i] = part[i - done];
}

template <class Simd, class Operator, bool streaming>
void pointwise_run(const PointwiseSlice& slice) {
  std::uint64_t done = pointwise_blocks<Simd, Operator, 4, streaming>(slice, 0);
  done = pointwise_blocks<Simd, Operator, 1, streaming>(slice, done);
  if (done < slice.elements) pointwise_part<Simd, Operator>(slice, done);
  if constexpr (streaming) Simd::fence();
}

/// A PointwiseFunction.
template <class Simd, class Operator>
void pointwise_slice(const PointwiseSlice& slice) {
  if (slice.streaming) {
    pointwise_run<Simd, Operator, true>(slice);
  } else {
    pointwise_run<Simd, Operator, false>(slice);
  }
}

/// Every pointwise operator.
template <class Simd>
consteval void add_operators(Rows& rows, Dtype dtype) {
#define RIDGEPOINT_ROW(name, expression) \
  rows.add({.family = Family::pointwise, \
            .op = Op::name,              \
            .dtype = dtype,              \
            .arithmetic = dtype,         \
            .pointwise = pointwise_slice<Simd, pointwise::name>});
  RIDGEPOINT_OPERATORS(RIDGEPOINT_ROW)
#undef RIDGEPOINT_ROW
}

template <class Registers>
consteval void add_pointwise(Rows& rows) {
  add_operators<typename Registers::Fp64>(rows, Dtype::fp64);
  add_operators<typename Registers::Fp32>(rows, Dtype::fp32);
}

}  // namespace
}  // namespace kernels::cpu
