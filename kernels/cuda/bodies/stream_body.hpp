// What one thread of a bandwidth launch does. Plain C++, so that tests run it on the host.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/cuda/bodies/walk.hpp"
#include "kernels/arithmetic.hpp"

namespace kernels::cuda {

/// The compiler must not take what a pass reads or writes for known in the next one.
RIDGEPOINT_BOTH inline void forget_memory() { asm volatile("" ::: "memory"); }

/// What one access moves.
template <int width>
struct alignas(width) Item {
  std::uint32_t word[width / 4];
};

#if defined(__CUDACC__)
/// 32 bytes that move at once: nvcc has a name for such a type from 12.9 on only (longlong4_32a).
struct alignas(32) Wide {
  long long x, y, z, w;
};
#endif

template <int width, StreamHint hint>
RIDGEPOINT_BOTH inline Item<width> load_item(const void* tensor, std::uint64_t i) {
#if defined(__CUDA_ARCH__)
  if constexpr (width == 32) {
    const auto wide = static_cast<const Wide*>(tensor)[i];
    Item<width> item;
    std::memcpy(&item, &wide, sizeof(item));
    return item;
  } else if constexpr (hint == StreamHint::streaming) {
    const uint4 words = __ldcs(static_cast<const uint4*>(tensor) + i);
    return {{words.x, words.y, words.z, words.w}};
  } else if constexpr (hint == StreamHint::past_l1) {
    const uint4 words = __ldcg(static_cast<const uint4*>(tensor) + i);
    return {{words.x, words.y, words.z, words.w}};
  }
#endif
  return static_cast<const Item<width>*>(tensor)[i];
}

template <int width, StreamHint hint>
RIDGEPOINT_BOTH inline void store_item(void* tensor, std::uint64_t i, const Item<width>& item) {
#if defined(__CUDA_ARCH__)
  if constexpr (width == 32) {
    Wide wide;
    std::memcpy(&wide, &item, sizeof(wide));
    static_cast<Wide*>(tensor)[i] = wide;
    return;
  } else if constexpr (hint == StreamHint::streaming) {
    __stcs(static_cast<uint4*>(tensor) + i,
           make_uint4(item.word[0], item.word[1], item.word[2], item.word[3]));
    return;
  }
#endif
  static_cast<Item<width>*>(tensor)[i] = item;
}

/// The items of a thread in a chunk: `in_flight` accesses, all under way before the first is used.
/// Those at `end` and behind it do not happen.
template <int in_flight, int width, StreamHint hint>
struct Chunk {
  Item<width> item[in_flight];

  RIDGEPOINT_BOTH static std::uint64_t index(std::uint64_t first, Place place, int i) {
    return first + static_cast<std::uint64_t>(i) * place.threads + place.thread;
  }

  RIDGEPOINT_BOTH void load(const void* from, std::uint64_t first, std::uint64_t end, Place place) {
    if (first + static_cast<std::uint64_t>(in_flight) * place.threads <= end) {
#pragma unroll
      for (int i = 0; i < in_flight; ++i) {
        item[i] = load_item<width, hint>(from, index(first, place, i));
      }
      return;
    }
#pragma unroll
    for (int i = 0; i < in_flight; ++i) {
      item[i] = {};
      const std::uint64_t at = index(first, place, i);
      if (at < end) item[i] = load_item<width, hint>(from, at);
    }
  }

  RIDGEPOINT_BOTH void store(void* to, std::uint64_t first, std::uint64_t end, Place place) const {
#pragma unroll
    for (int i = 0; i < in_flight; ++i) {
      const std::uint64_t at = index(first, place, i);
      if (at < end) store_item<width, hint>(to, at, item[i]);
    }
  }
};

/// x + scalar y, of the bits of fp32.
RIDGEPOINT_BOTH inline std::uint32_t add_scaled(std::uint32_t x, std::uint32_t y, float scalar) {
  float sum = 0;
  float term = 0;
  std::memcpy(&sum, &x, sizeof(sum));
  std::memcpy(&term, &y, sizeof(term));
  sum = multiply_add(term, scalar, sum);
  std::memcpy(&x, &sum, sizeof(x));
  return x;
}

/// Ops that read alone, and sum what they read.
RIDGEPOINT_BOTH constexpr bool only_reads(Op op) { return op == Op::read || op == Op::l2; }

/// What a thread does to a chunk; a read returns the sum of its words, modulo 2^32.
template <Op op, int in_flight, int width, StreamHint hint>
RIDGEPOINT_BOTH std::uint32_t stream_chunk(const StreamArguments& args, std::uint64_t first,
                                           std::uint64_t end, Place place) {
  Chunk<in_flight, width, hint> data;
  Chunk<in_flight, width, hint> other;
  if constexpr (op != Op::write) data.load(args.a, first, end, place);
  if constexpr (op == Op::triad) other.load(args.b, first, end, place);
  std::uint32_t sum = 0;
#pragma unroll
  for (int i = 0; i < in_flight; ++i) {
#pragma unroll
    for (int w = 0; w < width / 4; ++w) {
      std::uint32_t& word = data.item[i].word[w];
      if constexpr (only_reads(op)) sum += word;
      if constexpr (op == Op::write) word = args.pattern;
      if constexpr (op == Op::triad) word = add_scaled(word, other.item[i].word[w], args.scalar);
    }
  }
  if constexpr (!only_reads(op)) data.store(args.out, first, end, place);
  return sum;
}

/// The same for the words behind the last item.
template <Op op>
RIDGEPOINT_BOTH std::uint32_t stream_word(const StreamArguments& args, std::uint64_t i) {
  const auto* const a = reinterpret_cast<const std::uint32_t*>(args.a);
  const auto* const b = reinterpret_cast<const std::uint32_t*>(args.b);
  auto* const out = reinterpret_cast<std::uint32_t*>(args.out);
  if constexpr (only_reads(op)) return a[i];
  if constexpr (op == Op::write) out[i] = args.pattern;
  if constexpr (op == Op::copy) out[i] = a[i];
  if constexpr (op == Op::triad) out[i] = add_scaled(a[i], b[i], args.scalar);
  return 0;
}

template <Op op, int in_flight, int width, StreamHint hint>
RIDGEPOINT_BOTH std::uint32_t stream_thread(const StreamArguments& args, Place place,
                                            std::uint64_t blocks) {
  const std::uint64_t chunk = static_cast<std::uint64_t>(in_flight) * place.threads;
  const Walk walk(args.elements, width, chunk, args.contiguous, place, blocks);
  std::uint32_t sum = 0;
#pragma unroll 1
  for (std::uint32_t pass = 0; pass < args.repeat; ++pass) {
#pragma unroll 1
    for (std::uint64_t first = walk.begin; first < walk.end; first += walk.step) {
      sum += stream_chunk<op, in_flight, width, hint>(args, first, walk.end, place);
    }
#pragma unroll 1
    for (std::uint64_t i = walk.tail_begin; i < walk.tail_end; ++i) sum += stream_word<op>(args, i);
    forget_memory();
  }
  return sum;
}

/// Which kernels there are; shapes.cpp offers them. Calls visit<op, in_flight, width, hint>().
/// Reads of the L2 load past the L1: a block reads the same part in every pass, and would find it
/// in the L1 of its multiprocessor.
template <bool wide, class Visit>
void visit_streams(Visit visit) {
  const auto ops = [&]<int in_flight, int width, StreamHint hint>() {
    visit.template operator()<Op::read, in_flight, width, hint>();
    visit.template operator()<Op::write, in_flight, width, hint>();
    visit.template operator()<Op::copy, in_flight, width, hint>();
    visit.template operator()<Op::triad, in_flight, width, hint>();
  };
  const auto depths = [&]<int width, StreamHint hint>() {
    ops.template operator()<4, width, hint>();
    ops.template operator()<8, width, hint>();
    ops.template operator()<2, width, hint>();
    ops.template operator()<1, width, hint>();
  };
  depths.template operator()<16, StreamHint::none>();
  depths.template operator()<16, StreamHint::streaming>();
  if constexpr (wide) depths.template operator()<32, StreamHint::none>();
  visit.template operator()<Op::l2, 8, 16, StreamHint::past_l1>();
  visit.template operator()<Op::l2, 4, 16, StreamHint::past_l1>();
  visit.template operator()<Op::l2, 2, 16, StreamHint::past_l1>();
}

}  // namespace kernels::cuda
