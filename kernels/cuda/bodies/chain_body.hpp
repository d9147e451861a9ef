// What one thread of a chain launch does: load, `repeat` ops on every element in registers, store.
// Plain C++, so that tests run it on the host.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/cuda/trials/share.hpp"
#include "kernels/arithmetic.hpp"

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

/// Ops of one trip of the main loop. Loop control costs 4.5 % at 64 and 1.2 % at 256
/// (docs/measuring.md).
inline constexpr int ops_per_trip = 256;

template <class Lanes>
struct ChainShape {
  static constexpr int chains = vectors_per_thread * Lanes::chains;
  static constexpr int unroll = ops_per_trip / chains;
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

template <class Lanes, class Op>
RIDGEPOINT_BOTH inline void chain_thread(const ChainArguments& args, Place place) {
  using Chain = typename Lanes::Chain;
  using Shape = ChainShape<Lanes>;
  const Share<Lanes::element_bytes> share(args.elements, place);
  Vector data[vectors_per_thread];
  share.load(args.in, data);
  Chain x[Shape::chains];
#pragma unroll
  for (int v = 0; v < vectors_per_thread; ++v) Lanes::unpack(data[v], x + v * Lanes::chains);
  repeat_ops<Op, Shape::unroll>(x, operand<Chain>(args.a), operand<Chain>(args.b), args.repeat);
#pragma unroll
  for (int v = 0; v < vectors_per_thread; ++v) data[v] = Lanes::pack(x + v * Lanes::chains);
  share.store(args.out, data);
}

}  // namespace kernels::cuda
