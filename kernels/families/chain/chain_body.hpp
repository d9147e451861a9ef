// What one thread of a chain launch does: load, `repeat` ops on every element in registers, store.
// Plain C++, so that tests run it on the host.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/arithmetic.hpp"
#include "kernels/cuda/trials/share.hpp"

namespace kernels::cuda {

/// Elements whose arithmetic type has the bits that memory has: float, double, Wrapping, packed
/// pairs.
template <class Element, int bytes = sizeof(Element)>
struct Packed {
  using Chain = Element;
  static constexpr int element_bytes = bytes;
  static constexpr int chains = sizeof(Vector) / sizeof(Element);

  RIDGEPOINT_BOTH static void unpack(const Vector& vector, Chain* chain) {
    std::memcpy(chain, &vector, sizeof(Vector));
  }
  RIDGEPOINT_BOTH static Vector pack(const Chain* chain) {
    Vector vector;
    std::memcpy(&vector, chain, sizeof(Vector));
    return vector;
  }
};

/// bf16 in memory, fp32 in registers: for architectures whose arithmetic has no bf16, and for
/// operators of neural networks.
struct WidenedBf16 {
  using Chain = float;
  static constexpr int element_bytes = 2;
  static constexpr int chains = 8;

  RIDGEPOINT_BOTH static void unpack(const Vector& vector, Chain* chain) {
#pragma unroll
    for (int i = 0; i < chains; ++i) {
      const std::uint32_t word = vector.word[i / 2];
      const std::uint32_t bits = i % 2 == 0 ? word << 16 : word & 0xffff0000U;
      std::memcpy(&chain[i], &bits, sizeof(bits));
    }
  }
  RIDGEPOINT_BOTH static Vector pack(const Chain* chain) {
    Vector vector;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
      asm("cvt.rn.bf16x2.f32 %0, %1, %2;"
          : "=r"(vector.word[i])
          : "f"(chain[2 * i + 1]), "f"(chain[2 * i]));
#else
      vector.word[i] = rounded(chain[2 * i]) | (rounded(chain[2 * i + 1]) << 16);
#endif
    }
    return vector;
  }

  /// The bits of one element: nearest, ties to even, of a finite number.
  RIDGEPOINT_BOTH static std::uint32_t rounded(float value) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return (bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16;
  }
};

/// How elements of a type lie in memory, by the type or by what they are widened from.
template <class Memory>
struct StorageOf {
  using Lanes = Packed<Memory>;
};
template <>
struct StorageOf<WidenedBf16> {
  using Lanes = WidenedBf16;
};

/// Ops of one trip of the main loop. Loop control costs 6 % at 64, where memory is the limit
/// anyway, and 1 to 2 % at 256 (docs/lab-notes.md).
template <int vectors>
inline constexpr int ops_per_trip = vectors == few_vectors ? 64 : 256;

template <class Lanes, int vectors>
struct ChainShape {
  static constexpr int chains = vectors * Lanes::chains;
  static constexpr int unroll = ops_per_trip<vectors> / chains;
};

template <class Op, int count, class X>
RIDGEPOINT_BOTH inline void step(X (&x)[count], X a, X b) {
#pragma unroll
  for (int c = 0; c < count; ++c) x[c] = Op::apply(x[c], a, b);
}

/// `repeat` ops on each of `count` independent chains, `unroll` per trip of the main loop.
template <class Op, int unroll, int count, class X>
RIDGEPOINT_BOTH inline void repeat_ops(X (&x)[count], X a, X b, std::uint32_t repeat) {
#pragma unroll 1
  for (std::uint32_t trips = repeat / unroll; trips != 0; --trips) {
#pragma unroll
    for (int i = 0; i < unroll; ++i) step<Op>(x, a, b);
  }
#pragma unroll 1
  for (std::uint32_t rest = repeat % unroll; rest != 0; --rest) step<Op>(x, a, b);
}

template <class X>
RIDGEPOINT_BOTH inline X operand(std::uint64_t bits) {
  X x;
  std::memcpy(&x, &bits, sizeof(x));
  return x;
}

/// `repeat` ops on what a thread has loaded.
template <class Lanes, class Op, int vectors>
RIDGEPOINT_BOTH inline void chain_vectors(const ChainArguments& args, Vector (&data)[vectors]) {
  using Chain = typename Lanes::Chain;
  using Shape = ChainShape<Lanes, vectors>;
  Chain x[Shape::chains];
#pragma unroll
  for (int v = 0; v < vectors; ++v) Lanes::unpack(data[v], x + v * Lanes::chains);
  repeat_ops<Op, Shape::unroll>(x, operand<Chain>(args.a), operand<Chain>(args.b), args.repeat);
#pragma unroll
  for (int v = 0; v < vectors; ++v) data[v] = Lanes::pack(x + v * Lanes::chains);
}

/// A block for each part of the tensor.
template <class Lanes, class Op, int vectors>
RIDGEPOINT_BOTH inline void chain_thread(const ChainArguments& args, Place place) {
  const Share<Lanes::element_bytes, vectors> share(args.elements, place);
  Vector data[vectors];
  share.load(args.in, data);
  chain_vectors<Lanes, Op>(args, data);
  share.store(args.out, data);
}

/// A queue that holds nothing: a part is loaded when it is taken.
struct NoQueue {
  template <class Part>
  RIDGEPOINT_BOTH void start(int, const Part&, const Vector*) {}
  RIDGEPOINT_BOTH void close() {}
  RIDGEPOINT_BOTH void wait() {}
  template <class Part, int vectors>
  RIDGEPOINT_BOTH void take(int, const Part& part, const Vector* from, Vector (&data)[vectors]) {
    part.load(from, data);
  }
};

/// As many blocks as run at once, each from part to part: the next one is on its way while this one
/// is computed.
template <class Lanes, class Op, class Queue>
RIDGEPOINT_BOTH inline void chain_queue_thread(const ChainArguments& args, Place place,
                                               std::uint64_t blocks, Queue& queue) {
  constexpr std::uint64_t each = chain_elements(many_vectors, Lanes::element_bytes);
  const std::uint64_t parts = (args.elements + each - 1) / each;
  const auto part_of = [&](std::uint64_t part) {
    return Share<Lanes::element_bytes, many_vectors>(args.elements,
                                                     {part, place.thread, place.threads});
  };
  if (place.block < parts) queue.start(0, part_of(place.block), args.in);
  queue.close();
  int stage = 0;
#pragma unroll 1
  for (std::uint64_t part = place.block; part < parts; part += blocks) {
    if (part + blocks < parts) queue.start(1 - stage, part_of(part + blocks), args.in);
    queue.close();
    queue.wait();
    Vector data[many_vectors];
    queue.take(stage, part_of(part), args.in, data);
    chain_vectors<Lanes, Op>(args, data);
    part_of(part).store(args.out, data);
    stage = 1 - stage;
  }
}

}  // namespace kernels::cuda
