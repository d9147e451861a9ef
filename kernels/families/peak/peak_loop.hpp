// The loop behind every vector `peak` row. See op_loop.hpp for the rules and for the Simd policies.
#pragma once

#include <cstdint>

#include "kernels/cpu/simd/op_loop.hpp"
#include "kernels/cpu/simd/rows.hpp"
#include "kernels/families/peak/peak_start.hpp"

namespace kernels::cpu {
namespace {

/// `repeat` ops on every lane of every accumulator; returns the sum of all of them.
template <class Simd, class Operation, int count>
[[gnu::noinline]] double peak_loop(std::uint64_t repeat, double a_value, double b_value,
                                   PeakStart start) {
  using Scalar = typename Simd::Scalar;
  alignas(64) Scalar memory[static_cast<std::size_t>(count * Simd::lanes)];
  for (int i = 0; i < count * Simd::lanes; ++i) {
    memory[i] = static_cast<Scalar>(peak_start<Scalar>(i, start));
  }
  typename Simd::Vector x[count];
  const typename Simd::Vector a = Simd::set(static_cast<Scalar>(a_value));
  const typename Simd::Vector b = Simd::set(static_cast<Scalar>(b_value));
#pragma GCC unroll 32
  for (int i = 0; i < count; ++i) x[i] = Simd::load(memory + i * Simd::lanes);
  repeat_op<Simd, Operation>(x, a, b, repeat);
#pragma GCC unroll 32
  for (int i = 0; i < count; ++i) Simd::store(memory + i * Simd::lanes, x[i]);
  double sum = 0;
  for (int i = 0; i < count * Simd::lanes; ++i) sum += static_cast<double>(memory[i]);
  return sum;
}

/// One shape of a peak kernel. A lane counts `Simd::group` elements.
template <class Simd, class Operation, int count = Simd::accumulators>
consteval PeakFunction peak_function() {
  return {peak_loop<Simd, Operation, count>,
          static_cast<std::uint64_t>(count * Simd::lanes) * Simd::group, count};
}

template <class Simd, class Operation, int... counts>
struct PeakVariants {
  static constexpr PeakFunction list[] = {peak_function<Simd, Operation, counts>()...};
};

/// The shapes of a peak kernel, Simd::accumulators first: fewer chains for short latencies, more
/// where a multiplication and an addition wait for each other.
template <class Simd, class Operation>
consteval Variants<PeakFunction> peak_variants() {
  constexpr int count = Simd::accumulators;
  if constexpr (Simd::registers >= 32) {
    using Table = PeakVariants<Simd, Operation, count, 8, 16, 24>;
    return {Table::list, sizeof Table::list / sizeof Table::list[0]};
  } else if constexpr (count > 8) {
    using Table = PeakVariants<Simd, Operation, count, 8, 10>;
    return {Table::list, sizeof Table::list / sizeof Table::list[0]};
  } else {
    return {PeakVariants<Simd, Operation, count>::list, 1};
  }
}

template <class Simd, class Operation>
consteval Row peak_row(Dtype dtype, Dtype arithmetic) {
  return {.family = Family::peak,
          .op = Operation::op,
          .dtype = dtype,
          .arithmetic = arithmetic,
          .peak = peak_function<Simd, Operation>(),
          .peaks = peak_variants<Simd, Operation>(),
          .summing = Simd::summing};
}

/// Peak kernel of products that are summed: no op of a chain, so it goes by the op of tiles.
template <class Simd>
consteval Row dots_row(Dtype dtype, Dtype arithmetic) {
  Row row = peak_row<Simd, Fma>(dtype, arithmetic);
  row.op = Op::mma;
  return row;
}

/// Every op of a peak.
template <class Simd>
consteval void add_peaks(Rows& rows, Dtype dtype, Dtype arithmetic) {
  rows.add(peak_row<Simd, Mul>(dtype, arithmetic));
  rows.add(peak_row<Simd, Add>(dtype, arithmetic));
  rows.add(peak_row<Simd, Fma>(dtype, arithmetic));
  rows.add(peak_row<Simd, MulAdd>(dtype, arithmetic));
}

template <class Registers>
consteval void add_peak(Rows& rows) {
  using Single = typename Registers::Fp32;
  add_peaks<typename Registers::Fp64>(rows, Dtype::fp64, Dtype::fp64);
  add_peaks<Single>(rows, Dtype::fp32, Dtype::fp32);
  add_peaks<Single>(rows, Dtype::fp16, Dtype::fp32);
  add_peaks<Single>(rows, Dtype::bf16, Dtype::fp32);
  add_peaks<typename Registers::Int32>(rows, Dtype::int32, Dtype::int32);
  rows.add(peak_row<typename Registers::Int16Pairs, Fma>(Dtype::int8, Dtype::int32));
}

}  // namespace
}  // namespace kernels::cpu
