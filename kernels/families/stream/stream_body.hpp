// What one thread of a bandwidth launch does. Plain C++, so that tests run it on the host.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/arithmetic.hpp"
#include "kernels/cuda/bodies/arguments.hpp"

namespace kernels::cuda {

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

/// past_l1: by way of the L2 alone.
template <int width, bool past_l1>
RIDGEPOINT_BOTH inline Item<width> load_item(const void* tensor, std::uint64_t i) {
#if defined(__CUDA_ARCH__)
  if constexpr (width == 32) {
    const auto wide = static_cast<const Wide*>(tensor)[i];
    Item<width> item;
    std::memcpy(&item, &wide, sizeof(item));
    return item;
  } else if constexpr (past_l1) {
    const uint4 words = __ldcg(static_cast<const uint4*>(tensor) + i);
    return {{words.x, words.y, words.z, words.w}};
  }
#endif
  return static_cast<const Item<width>*>(tensor)[i];
}

template <int width>
RIDGEPOINT_BOTH inline void store_item(void* tensor, std::uint64_t i, const Item<width>& item) {
#if defined(__CUDA_ARCH__)
  if constexpr (width == 32) {
    Wide wide;
    std::memcpy(&wide, &item, sizeof(wide));
    static_cast<Wide*>(tensor)[i] = wide;
    return;
  }
#endif
  static_cast<Item<width>*>(tensor)[i] = item;
}

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

/// Some items of a thread: all accesses are under way before the first is used.
template <Op op, int count, int width, bool past_l1 = false>
struct Items {
  Item<width> item[count];

  /// Of the tensor a, and for triad of b; `at` gives the place of each. Where `predicate` says no,
  /// nothing happens.
  template <class At, class Predicate>
  RIDGEPOINT_BOTH void load(const StreamArguments& args, At at, Predicate predicate) {
    Item<width> other[count] = {};
#pragma unroll
    for (int i = 0; i < count; ++i) {
      item[i] = {};
      if constexpr (op != Op::write) {
        if (predicate(i)) item[i] = load_item<width, past_l1>(args.a, at(i));
      }
      if constexpr (op == Op::triad) {
        if (predicate(i)) other[i] = load_item<width, past_l1>(args.b, at(i));
      }
    }
#pragma unroll
    for (int i = 0; i < count; ++i) {
#pragma unroll
      for (int w = 0; w < width / 4; ++w) {
        std::uint32_t& word = item[i].word[w];
        if constexpr (op == Op::write) word = args.pattern;
        if constexpr (op == Op::triad) word = add_scaled(word, other[i].word[w], args.scalar);
      }
    }
  }

  template <class At, class Predicate>
  RIDGEPOINT_BOTH void store(const StreamArguments& args, At at, Predicate predicate) const {
#pragma unroll
    for (int i = 0; i < count; ++i) {
      if (predicate(i)) store_item<width>(args.out, at(i), item[i]);
    }
  }

  /// Of all words, modulo 2^32.
  RIDGEPOINT_BOTH std::uint32_t sum() const {
    std::uint32_t sum = 0;
#pragma unroll
    for (int i = 0; i < count; ++i) {
#pragma unroll
      for (int w = 0; w < width / 4; ++w) sum += item[i].word[w];
    }
    return sum;
  }

  /// All that the op does at these places; a read returns the sum of its words.
  template <class At, class Predicate>
  RIDGEPOINT_BOTH std::uint32_t run(const StreamArguments& args, At at, Predicate predicate) {
    load(args, at, predicate);
    if constexpr (only_reads(op)) return sum();
    store(args, at, predicate);
    return 0;
  }
};

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

/// One chunk for each block: `in_flight` items of a thread, a block's threads side by side. The
/// words behind the last item are those of thread 0 of block 0.
template <Op op, int in_flight, int width>
RIDGEPOINT_BOTH std::uint32_t stream_thread(const StreamArguments& args, Place place) {
  constexpr std::uint64_t item_words = width / sizeof(float);
  const std::uint64_t end = args.elements / item_words;
  const std::uint64_t chunk = static_cast<std::uint64_t>(in_flight) * place.threads;
  const std::uint64_t first = place.block * chunk + place.thread;
  const auto at = [&](int i) { return first + static_cast<std::uint64_t>(i) * place.threads; };
  Items<op, in_flight, width> items;
  std::uint32_t sum = 0;
  if ((place.block + 1) * chunk <= end) {
    sum = items.run(args, at, [](int) { return true; });
  } else {
    sum = items.run(args, at, [&](int i) { return at(i) < end; });
  }
  if (place.block == 0 && place.thread == 0) {
#pragma unroll 1
    for (std::uint64_t i = end * item_words; i < args.elements; ++i)
      sum += stream_word<op>(args, i);
  }
  return sum;
}

/// Which kernels of one pass there are; shapes.cpp offers them. Calls visit<op, in_flight,
/// width>().
template <bool wide, class Visit>
void visit_streams(Visit visit) {
  const auto widths = [&]<Op op, int in_flight>() {
    visit.template operator()<op, in_flight, 16>();
    if constexpr (wide) visit.template operator()<op, in_flight, 32>();
  };
  const auto depths = [&]<Op op>() {
    widths.template operator()<op, 1>();
    widths.template operator()<op, 2>();
    widths.template operator()<op, 4>();
  };
  widths.template operator()<Op::read, 8>();
  widths.template operator()<Op::read, 4>();
  depths.template operator()<Op::write>();
  depths.template operator()<Op::copy>();
  depths.template operator()<Op::triad>();
}

}  // namespace kernels::cuda
