// The loops behind every `stream` row: they measure memory and caches, at the widest accesses of an
// instruction set. See op_loop.hpp for the rules and for the Simd policies.
#pragma once

#include "kernels/cpu/simd/rows.hpp"
#include "kernels/families/chain/chain_loop.hpp"

namespace kernels::cpu {
namespace {

inline constexpr int floats_per_page = 4096 / sizeof(float);

/// How a stream kernel is built, see StreamVariant.
struct StreamShape {
  int registers;
  int pages;
  bool non_temporal;
  bool prefetch;
};

/// Where register `i` of a trip lies, in elements from its begin: the pages get equal parts.
template <class Simd, StreamShape shape>
consteval int stream_place(int i) {
  constexpr int per_page = shape.registers / shape.pages;
  static_assert(per_page * shape.pages == shape.registers);
  static_assert(floats_per_page % (per_page * Simd::lanes) == 0);
  return i / per_page * floats_per_page + i % per_page * Simd::lanes;
}

/// body.template operator()<i>() for all registers of a trip.
template <int count, class Body, int i = 0>
[[gnu::always_inline]] inline void for_registers(Body body) {
  if constexpr (i < count) {
    body.template operator()<i>();
    for_registers<count, Body, i + 1>(body);
  }
}

/// `trip(first element)` for whole trips, then `single` for registers and `one` for elements.
template <class Simd, StreamShape shape, class Trip, class Single, class One>
[[gnu::always_inline]] inline void stream_walk(std::uint64_t elements, Trip trip, Single single,
                                               One one) {
  constexpr std::uint64_t step =
      static_cast<std::uint64_t>(shape.registers / shape.pages * Simd::lanes);
  std::uint64_t at = 0;
  if constexpr (shape.pages == 1) {
#pragma GCC unroll 1
    for (; at + step <= elements; at += step) trip(at);
  } else {
    constexpr std::uint64_t block = static_cast<std::uint64_t>(shape.pages * floats_per_page);
    for (; at + block <= elements; at += block) {
#pragma GCC unroll 1
      for (std::uint64_t in = 0; in < floats_per_page; in += step) trip(at + in);
    }
  }
  for (; at + Simd::lanes <= elements; at += Simd::lanes) single(at);
  for (; at < elements; ++at) one(at);
}

/// Asks for the line of register `i`, some way ahead.
template <class Simd, StreamShape shape, int i>
[[gnu::always_inline]] inline void stream_prefetch(const float* trip, std::uint64_t distance) {
  constexpr int place = stream_place<Simd, shape>(i);
  if constexpr (shape.prefetch && place * sizeof(float) % cache_line == 0) {
    __builtin_prefetch(reinterpret_cast<const char*>(trip + place) + distance);
  }
}

/// body(a, b, out) for every pass, opaque, so that each pass is done.
template <class Body>
[[gnu::always_inline]] inline void for_passes(const StreamSlice& slice, Body body) {
  const auto* a = static_cast<const float*>(slice.a);
  const auto* b = static_cast<const float*>(slice.b);
  auto* out = static_cast<float*>(slice.out);
  for (std::uint64_t pass = slice.passes; pass != 0; --pass) {
    __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(out) : : "memory");
    body(a, b, out);
  }
}

[[gnu::always_inline]] inline const std::int32_t* words_at(const float* from) {
  return reinterpret_cast<const std::int32_t*>(from);
}

/// The sum of all words, so that none can be left unread. `Simd` is that of int32.
template <class Simd, StreamShape shape>
[[gnu::noinline]] double stream_read(const StreamSlice& slice) {
  typename Simd::Vector sum[shape.registers] = {};
  std::uint32_t rest = 0;
  for_passes(
      slice, [&](const float* a, const float*, float*) __attribute__((always_inline)) {
        stream_walk<Simd, shape>(
            slice.bytes / sizeof(float),
            [&](std::uint64_t at) __attribute__((always_inline)) {
              for_registers<shape.registers>([&]<int i>() __attribute__((always_inline)) {
                stream_prefetch<Simd, shape, i>(a + at, slice.prefetch_distance);
                constexpr int place = stream_place<Simd, shape>(i);
                sum[i] = Simd::add(sum[i], Simd::load(words_at(a + at + place)));
              });
            },
            [&](std::uint64_t at) __attribute__((always_inline)) {
              sum[0] = Simd::add(sum[0], Simd::load(words_at(a + at)));
            },
            [&](std::uint64_t at) __attribute__((always_inline)) {
              std::uint32_t word;
              __builtin_memcpy(&word, a + at, sizeof word);
              rest += word;
            });
      });
  std::uint32_t words[shape.registers * Simd::lanes];
  __builtin_memcpy(words, sum, sizeof words);
  for (const std::uint32_t word : words) rest += word;
  return static_cast<double>(rest);
}

template <class Simd, StreamShape shape>
[[gnu::noinline]] double stream_write(const StreamSlice& slice) {
  const auto value = static_cast<float>(slice.scalar);
  const typename Simd::Vector x = Simd::set(value);
  for_passes(
      slice, [&](const float*, const float*, float* out) __attribute__((always_inline)) {
        stream_walk<Simd, shape>(
            slice.bytes / sizeof(float),
            [&](std::uint64_t at) __attribute__((always_inline)) {
              for_registers<shape.registers>([&]<int i>() __attribute__((always_inline)) {
                constexpr int place = stream_place<Simd, shape>(i);
                put<Simd, shape.non_temporal>(out + at + place, x);
              });
            },
            [&](std::uint64_t at)
                __attribute__((always_inline)) { put<Simd, shape.non_temporal>(out + at, x); },
            [&](std::uint64_t at) __attribute__((always_inline)) { out[at] = value; });
      });
  if (shape.non_temporal) Simd::fence();
  return slice.scalar;
}

template <class Simd, StreamShape shape>
[[gnu::noinline]] double stream_copy(const StreamSlice& slice) {
  for_passes(
      slice, [&](const float* a, const float*, float* out) __attribute__((always_inline)) {
        stream_walk<Simd, shape>(
            slice.bytes / sizeof(float),
            [&](std::uint64_t at) __attribute__((always_inline)) {
              typename Simd::Vector x[shape.registers];
              for_registers<shape.registers>([&]<int i>() __attribute__((always_inline)) {
                stream_prefetch<Simd, shape, i>(a + at, slice.prefetch_distance);
                constexpr int place = stream_place<Simd, shape>(i);
                x[i] = Simd::load(a + at + place);
              });
              for_registers<shape.registers>([&]<int i>() __attribute__((always_inline)) {
                constexpr int place = stream_place<Simd, shape>(i);
                put<Simd, shape.non_temporal>(out + at + place, x[i]);
              });
            },
            [&](std::uint64_t at) __attribute__((always_inline)) {
              put<Simd, shape.non_temporal>(out + at, Simd::load(a + at));
            },
            [&](std::uint64_t at) __attribute__((always_inline)) { out[at] = a[at]; });
      });
  if (shape.non_temporal) Simd::fence();
  return 0;
}

template <class Simd, StreamShape shape>
[[gnu::noinline]] double stream_triad(const StreamSlice& slice) {
  const auto value = static_cast<float>(slice.scalar);
  const typename Simd::Vector scalar = Simd::set(value);
  for_passes(
      slice, [&](const float* a, const float* b, float* out) __attribute__((always_inline)) {
        stream_walk<Simd, shape>(
            slice.bytes / sizeof(float),
            [&](std::uint64_t at) __attribute__((always_inline)) {
              typename Simd::Vector x[shape.registers];
              for_registers<shape.registers>([&]<int i>() __attribute__((always_inline)) {
                stream_prefetch<Simd, shape, i>(a + at, slice.prefetch_distance);
                stream_prefetch<Simd, shape, i>(b + at, slice.prefetch_distance);
                constexpr int place = stream_place<Simd, shape>(i);
                x[i] = Simd::fma(Simd::load(b + at + place), scalar, Simd::load(a + at + place));
              });
              for_registers<shape.registers>([&]<int i>() __attribute__((always_inline)) {
                constexpr int place = stream_place<Simd, shape>(i);
                put<Simd, shape.non_temporal>(out + at + place, x[i]);
              });
            },
            [&](std::uint64_t at) __attribute__((always_inline)) {
              put<Simd, shape.non_temporal>(
                  out + at, Simd::fma(Simd::load(b + at), scalar, Simd::load(a + at)));
            },
            [&](std::uint64_t at)
                __attribute__((always_inline)) { out[at] = b[at] * value + a[at]; });
      });
  if (shape.non_temporal) Simd::fence();
  return 0;
}

// A stream is a struct: its name in tables, what it does to memory, and its loop.

struct StreamRead {
  static constexpr Op op = Op::read;
  static constexpr bool loads = true, stores = false;
  template <class Simd, StreamShape shape>
  static constexpr StreamFunction run = stream_read<Simd, shape>;
};
struct StreamWrite {
  static constexpr Op op = Op::write;
  static constexpr bool loads = false, stores = true;
  template <class Simd, StreamShape shape>
  static constexpr StreamFunction run = stream_write<Simd, shape>;
};
struct StreamCopy {
  static constexpr Op op = Op::copy;
  static constexpr bool loads = true, stores = true;
  template <class Simd, StreamShape shape>
  static constexpr StreamFunction run = stream_copy<Simd, shape>;
};
struct StreamTriad {
  static constexpr Op op = Op::triad;
  static constexpr bool loads = true, stores = true;
  template <class Simd, StreamShape shape>
  static constexpr StreamFunction run = stream_triad<Simd, shape>;
};

/// Registers per trip, and pages side by side.
struct StreamWalk {
  int registers;
  int pages;
};

/// Every walk with each kind of store and with and without prefetch, as far as the stream has them.
template <class Stream, class Simd, StreamWalk... walks>
struct StreamVariants {
  StreamVariant list[4 * sizeof...(walks)] = {};
  std::size_t count = 0;

  consteval StreamVariants() {
    add<true, true>();
    add<true, false>();
    add<false, true>();
    add<false, false>();
  }

 private:
  template <StreamShape shape>
  static consteval StreamVariant variant() {
    return {Stream::template run<Simd, shape>, shape.registers, shape.pages, shape.non_temporal,
            shape.prefetch};
  }

  template <bool non_temporal, bool prefetch>
  consteval void add() {
    if constexpr ((Stream::stores || !non_temporal) && (Stream::loads || !prefetch)) {
      ((list[count++] =
            variant<StreamShape{walks.registers, walks.pages, non_temporal, prefetch}>()),
       ...);
    }
  }
};

template <class Stream, class Simd, StreamWalk... walks>
struct StreamTable {
  static constexpr StreamVariants<Stream, Simd, walks...> variants{};
  static consteval Variants<StreamVariant> all() { return {variants.list, variants.count}; }
};

/// The wider the registers and the more of them there are, the more shapes are worth trying.
template <class Stream, class Simd>
consteval Variants<StreamVariant> stream_variants() {
  if constexpr (Simd::lanes >= 16) {
    return StreamTable<Stream, Simd, StreamWalk{8, 1}, StreamWalk{4, 1}, StreamWalk{16, 1},
                       StreamWalk{8, 2}, StreamWalk{8, 4}, StreamWalk{16, 4}>::all();
  } else if constexpr (Simd::lanes == 8) {
    return StreamTable<Stream, Simd, StreamWalk{8, 1}, StreamWalk{4, 1}, StreamWalk{8, 4}>::all();
  } else {
    return StreamTable<Stream, Simd, StreamWalk{8, 1}>::all();
  }
}

template <class Kernel>
consteval Row stream_row(Variants<StreamVariant> shapes) {
  return {.family = Family::stream, .op = Kernel::op, .streams = shapes};
}

template <class Registers>
consteval void add_stream(Rows& rows) {
  using Single = typename Registers::Fp32;
  rows.add(stream_row<StreamRead>(stream_variants<StreamRead, typename Registers::Int32>()));
  rows.add(stream_row<StreamWrite>(stream_variants<StreamWrite, Single>()));
  rows.add(stream_row<StreamCopy>(stream_variants<StreamCopy, Single>()));
  rows.add(stream_row<StreamTriad>(stream_variants<StreamTriad, Single>()));
}

}  // namespace
}  // namespace kernels::cpu
