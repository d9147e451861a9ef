// The loops behind every `stream` row: they measure memory, at the widest accesses of an
// instruction set. Same rules as chain_loop.hpp.
#pragma once

#include "kernels/cpu/chain_loop.hpp"

namespace kernels::cpu {
namespace {

/// Registers per trip: enough loads in flight to fill the line buffers of a core.
inline constexpr int stream_vectors = 8;

/// Whole trips over `slice.bytes`; the elements that remain (fp32) go one by one. `trip(first
/// element)`.
template <class Simd, class Trip, class One>
[[gnu::always_inline]] inline void stream_loop(const StreamSlice& slice, Trip trip, One one) {
  constexpr std::uint64_t step = static_cast<std::uint64_t>(stream_vectors * Simd::lanes);
  const std::uint64_t elements = slice.bytes / sizeof(float);
  std::uint64_t at = 0;
  for (; at + step <= elements; at += step) trip(at);
  for (; at < elements; ++at) one(at);
}

template <class Simd>
[[gnu::always_inline]] inline void put(float* to, typename Simd::Vector x, bool streaming) {
  if (streaming) {
    Simd::stream(to, x);
  } else {
    Simd::store(to, x);
  }
}

/// The xor of all words, so that none can be left unread.
template <class Simd>
double stream_read(const StreamSlice& slice) {
  const auto* a = static_cast<const float*>(slice.a);
  typename Simd::Bits sum[stream_vectors] = {};
  std::uint32_t rest = 0;
  stream_loop<Simd>(
      slice,
      [&](std::uint64_t at) __attribute__((always_inline)) {
        if (slice.streaming) prefetch_ahead_of(a + at, sizeof sum);
#pragma GCC unroll 8
        for (int i = 0; i < stream_vectors; ++i) {
          sum[i] = Simd::combine(sum[i], Simd::load_bits(a + at + i * Simd::lanes));
        }
      },
      [&](std::uint64_t at) __attribute__((always_inline)) {
        std::uint32_t word;
        __builtin_memcpy(&word, a + at, sizeof word);
        rest ^= word;
      });
  std::uint32_t words[stream_vectors * Simd::lanes];
  __builtin_memcpy(words, sum, sizeof words);
  for (const std::uint32_t word : words) rest ^= word;
  return static_cast<double>(rest);
}

template <class Simd>
double stream_write(const StreamSlice& slice) {
  auto* out = static_cast<float*>(slice.out);
  const auto value = static_cast<float>(slice.scalar);
  typename Simd::Vector x = Simd::set(value);
  const bool streaming = slice.streaming;
  stream_loop<Simd>(
      slice,
      [&](std::uint64_t at) __attribute__((always_inline)) {
#pragma GCC unroll 8
        for (int i = 0; i < stream_vectors; ++i)
          put<Simd>(out + at + i * Simd::lanes, x, streaming);
      },
      [&](std::uint64_t at) __attribute__((always_inline)) { out[at] = value; });
  if (streaming) Simd::fence();
  return slice.scalar;
}

template <class Simd>
double stream_copy(const StreamSlice& slice) {
  const auto* a = static_cast<const float*>(slice.a);
  auto* out = static_cast<float*>(slice.out);
  const bool streaming = slice.streaming;
  stream_loop<Simd>(
      slice,
      [&](std::uint64_t at) __attribute__((always_inline)) {
        typename Simd::Vector x[stream_vectors];
        if (streaming) prefetch_ahead_of(a + at, sizeof x);
#pragma GCC unroll 8
        for (int i = 0; i < stream_vectors; ++i) x[i] = Simd::load(a + at + i * Simd::lanes);
#pragma GCC unroll 8
        for (int i = 0; i < stream_vectors; ++i)
          put<Simd>(out + at + i * Simd::lanes, x[i], streaming);
      },
      [&](std::uint64_t at) __attribute__((always_inline)) { out[at] = a[at]; });
  if (streaming) Simd::fence();
  return 0;
}

template <class Simd>
double stream_triad(const StreamSlice& slice) {
  const auto* a = static_cast<const float*>(slice.a);
  const auto* b = static_cast<const float*>(slice.b);
  auto* out = static_cast<float*>(slice.out);
  const auto value = static_cast<float>(slice.scalar);
  const typename Simd::Vector scalar = Simd::set(value);
  const bool streaming = slice.streaming;
  stream_loop<Simd>(
      slice,
      [&](std::uint64_t at) __attribute__((always_inline)) {
        typename Simd::Vector x[stream_vectors];
        if (streaming) {
          prefetch_ahead_of(a + at, sizeof x);
          prefetch_ahead_of(b + at, sizeof x);
        }
#pragma GCC unroll 8
        for (int i = 0; i < stream_vectors; ++i) {
          const std::uint64_t place = at + static_cast<std::uint64_t>(i * Simd::lanes);
          x[i] = Simd::fma(Simd::load(b + place), scalar, Simd::load(a + place));
        }
#pragma GCC unroll 8
        for (int i = 0; i < stream_vectors; ++i)
          put<Simd>(out + at + i * Simd::lanes, x[i], streaming);
      },
      [&](std::uint64_t at)
          __attribute__((always_inline)) { out[at] = Simd::fma_one(b[at], value, a[at]); });
  if (streaming) Simd::fence();
  return 0;
}

consteval Row stream_row(Op op, StreamFunction function) {
  return {Family::stream, op,       Dtype::fp32,  Units::vector, Dtype::fp32,
          nullptr,        function, {nullptr, 0}, nullptr};
}

}  // namespace
}  // namespace kernels::cpu
