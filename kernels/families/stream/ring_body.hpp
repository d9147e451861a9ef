// What one thread does of a launch that passes over a working set again and again, in a cache or in
// shared memory: plain C++, so that tests run it on the host.
#pragma once

#include <cstdint>

#include "kernels/families/stream/stream_body.hpp"

namespace kernels::cuda {

/// Where part `part` of `parts` begins, in vectors of 16 bytes; behind the last part the tensor
/// begins again. Parts are whole cache lines and differ by one line at most.
RIDGEPOINT_BOTH inline std::uint64_t part_begin(std::uint64_t vectors, std::uint64_t part,
                                                std::uint64_t parts) {
  constexpr std::uint64_t line = 128 / sizeof(Vector);
  const std::uint64_t lines = (vectors + line - 1) / line;
  const std::uint64_t within = part % parts * lines / parts * line;
  return part / parts * vectors + (within < vectors ? within : vectors);
}

/// A block's way: `accesses` of its threads one after the other, round and round `count` vectors.
/// Each block has a part of its own, or, rotated, begins there and goes on through all of the
/// tensor; either way all blocks together touch every vector `repeat` times.
struct Ring {
  std::uint64_t base, accesses;
  std::uint32_t count, start;  ///< vectors; offsets of 32 bits cost a third of the instructions

  RIDGEPOINT_BOTH Ring(const RingArguments& args, Place place, std::uint64_t blocks) {
    const std::uint64_t vectors = args.stream.elements / (sizeof(Vector) / sizeof(float));
    const std::uint64_t own = part_begin(vectors, place.block, blocks);
    const std::uint64_t parts = args.rotated ? args.repeat : 1;
    const std::uint64_t reach = part_begin(vectors, place.block + parts, blocks) - own;
    base = args.rotated ? 0 : own;
    count = static_cast<std::uint32_t>(args.rotated ? vectors : reach);
    start = static_cast<std::uint32_t>(own - base);
    accesses = args.rotated ? reach : reach * args.repeat;
  }
};

/// The items of a thread along its block's way, `in_flight` under way at a time, without a
/// predicate and without anything to do between one pass and the next. `args` points at the ring's
/// vector 0.
template <Op op, int in_flight, bool past_l1>
RIDGEPOINT_BOTH std::uint32_t ring_items(const StreamArguments& args, const Ring& ring,
                                         Place place) {
  if (ring.count == 0) return 0;
  const std::uint32_t step = place.threads % ring.count;
  std::uint32_t next = (ring.start + place.thread) % ring.count;
  const auto take = [&] {
    const std::uint32_t here = next;
    next += step;
    const std::uint32_t wrapped = next - ring.count;  // below zero larger than any
    next = wrapped < next ? wrapped : next;
    return here;
  };
  const auto always = [](int) { return true; };
  const std::uint64_t trip = static_cast<std::uint64_t>(in_flight) * place.threads;
  std::uint32_t sum = 0;
#pragma unroll 1
  for (auto left = static_cast<std::uint32_t>(ring.accesses / trip); left != 0; --left) {
    std::uint32_t at[in_flight];
#pragma unroll
    for (int i = 0; i < in_flight; ++i) at[i] = take();
    Items<op, in_flight, sizeof(Vector), past_l1> items;
    sum += items.run(
        args, [&](int i) { return at[i]; }, always);
  }
#pragma unroll 1
  for (std::uint64_t i = place.thread; i < ring.accesses % trip; i += place.threads) {
    const std::uint32_t at = take();
    Items<op, 1, sizeof(Vector), past_l1> item;
    sum += item.run(
        args, [&](int) { return at; }, always);
  }
  return sum;
}

/// The compiler must not take what a pass reads or writes for known in the next one.
RIDGEPOINT_BOTH inline void forget_memory() { asm volatile("" ::: "memory"); }

/// The words behind the last vector, in every pass, by thread 0 of block 0.
template <Op op>
RIDGEPOINT_BOTH std::uint32_t ring_tail(const RingArguments& args, Place place) {
  constexpr std::uint64_t words = sizeof(Vector) / sizeof(float);
  const std::uint64_t first = args.stream.elements / words * words;
  if (place.block != 0 || place.thread != 0 || first == args.stream.elements) return 0;
  std::uint32_t sum = 0;
#pragma unroll 1
  for (std::uint32_t pass = 0; pass < args.repeat; ++pass) {
#pragma unroll 1
    for (std::uint64_t i = first; i < args.stream.elements; ++i) {
      sum += stream_word<op>(args.stream, i);
    }
    forget_memory();
  }
  return sum;
}

/// Hides how a pointer into global memory came about: the compiler would add the base again for
/// every access, in three more instructions.
template <class T>
RIDGEPOINT_BOTH inline T* opaque(T* pointer) {
#if defined(__CUDA_ARCH__)
  asm volatile("" : "+l"(pointer));
  __builtin_assume(__isGlobal(pointer));
#endif
  return pointer;
}

template <Op op, int in_flight, bool past_l1>
RIDGEPOINT_BOTH std::uint32_t ring_thread(const RingArguments& args, Place place,
                                          std::uint64_t blocks) {
  const Ring ring(args, place, blocks);
  StreamArguments stream = args.stream;
  if constexpr (op != Op::write) stream.a = opaque(stream.a + ring.base);
  if constexpr (op == Op::triad) stream.b = opaque(stream.b + ring.base);
  if constexpr (!only_reads(op)) stream.out = opaque(stream.out + ring.base);
  return ring_items<op, in_flight, past_l1>(stream, ring, place) + ring_tail<op>(args, place);
}

/// Brings the block's part into shared memory.
RIDGEPOINT_BOTH inline void shared_stage(const RingArguments& args, const Ring& ring,
                                         Vector* shared, Place place) {
  for (std::uint32_t i = place.thread; i < ring.count; i += place.threads) {
    shared[i] = args.stream.a[ring.base + i];
  }
}

/// The sum of the words that a thread reads in all passes; neighbours read vectors side by side, so
/// that banks do not conflict.
template <int in_flight>
RIDGEPOINT_BOTH std::uint32_t shared_read(const RingArguments& args, const Ring& ring,
                                          const Vector* shared, Place place) {
  StreamArguments stream = args.stream;
  stream.a = shared;
  return ring_items<Op::shared, in_flight, false>(stream, ring, place) +
         ring_tail<Op::read>(args, place);
}

/// Which kernels there are; shapes.cpp offers them. Calls visit<op, in_flight, past_l1>(). Reads of
/// the L2 load past the L1: a block would find its part there.
template <class Visit>
void visit_rings(Visit visit) {
  visit.template operator()<Op::read, 4, false>();
  visit.template operator()<Op::read, 8, false>();
  visit.template operator()<Op::l2, 4, true>();
  visit.template operator()<Op::l2, 8, true>();
  visit.template operator()<Op::write, 4, false>();
  visit.template operator()<Op::copy, 4, false>();
  visit.template operator()<Op::triad, 4, false>();
}

}  // namespace kernels::cuda
