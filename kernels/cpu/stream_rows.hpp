// The table of stream kernels of one instruction set: which shapes of each op are built. Same rules
// as chain_loop.hpp.
#pragma once

#include "kernels/cpu/stream_loop.hpp"

namespace kernels::cpu {
namespace {

template <class Simd, Op op, StreamShape shape>
consteval StreamVariant stream_variant() {
  StreamFunction run = nullptr;
  if constexpr (op == Op::read) run = stream_read<Simd, shape>;
  if constexpr (op == Op::write) run = stream_write<Simd, shape>;
  if constexpr (op == Op::copy) run = stream_copy<Simd, shape>;
  if constexpr (op == Op::triad) run = stream_triad<Simd, shape>;
  return {run, shape.registers, shape.pages, shape.non_temporal, shape.prefetch};
}

/// Registers per trip, and pages side by side.
struct StreamWalk {
  int registers;
  int pages;
};

/// Every walk with each kind of store and with and without prefetch, as far as the op has them.
template <class Simd, Op op, StreamWalk... walks>
struct StreamVariants {
  static constexpr StreamVariant list[] = {
      stream_variant<Simd, op, {walks.registers, walks.pages, true, true}>()...,
      stream_variant<Simd, op, {walks.registers, walks.pages, true, false}>()...,
      stream_variant<Simd, op, {walks.registers, walks.pages, false, true}>()...,
      stream_variant<Simd, op, {walks.registers, walks.pages, false, false}>()...};
};
template <class Simd, StreamWalk... walks>
struct StreamVariants<Simd, Op::read, walks...> {
  static constexpr StreamVariant list[] = {
      stream_variant<Simd, Op::read, {walks.registers, walks.pages, false, true}>()...,
      stream_variant<Simd, Op::read, {walks.registers, walks.pages, false, false}>()...};
};
template <class Simd, StreamWalk... walks>
struct StreamVariants<Simd, Op::write, walks...> {
  static constexpr StreamVariant list[] = {
      stream_variant<Simd, Op::write, {walks.registers, walks.pages, true, false}>()...,
      stream_variant<Simd, Op::write, {walks.registers, walks.pages, false, false}>()...};
};

template <std::size_t count>
consteval Row stream_row(Op op, const StreamVariant (&variants)[count]) {
  return {.family = Family::stream,
          .op = op,
          .dtype = Dtype::fp32,
          .units = Units::vector,
          .arithmetic = Dtype::fp32,
          .streams = {variants, count}};
}

/// The wider the registers and the more of them there are, the more shapes are worth trying.
template <class Simd, Op op>
consteval Row stream_row() {
  if constexpr (Simd::lanes >= 16) {
    using Table = StreamVariants<Simd, op, StreamWalk{8, 1}, StreamWalk{4, 1}, StreamWalk{16, 1},
                                 StreamWalk{8, 2}, StreamWalk{8, 4}, StreamWalk{16, 4}>;
    return stream_row(op, Table::list);
  } else if constexpr (Simd::lanes == 8) {
    using Table = StreamVariants<Simd, op, StreamWalk{8, 1}, StreamWalk{4, 1}, StreamWalk{8, 4}>;
    return stream_row(op, Table::list);
  } else {
    return stream_row(op, StreamVariants<Simd, op, StreamWalk{8, 1}>::list);
  }
}

}  // namespace
}  // namespace kernels::cpu
