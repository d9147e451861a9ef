// How threads of a launch share a tensor: 16-byte vectors, some per thread, a block's threads side
// by side, tails of any length. Plain C++, so that tests run it on the host thread by thread.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/arithmetic.hpp"
#include "kernels/cuda/bodies/arguments.hpp"

namespace kernels::cuda {

/// The first `count` elements of `element_bytes` of a vector; the rest is zero.
template <int element_bytes>
RIDGEPOINT_BOTH inline Vector load_front(const Vector* from, std::uint32_t count) {
  Vector vector{};
  const auto* bytes = static_cast<const unsigned char*>(__builtin_assume_aligned(from, 16));
#pragma unroll
  for (int i = 0; i < static_cast<int>(sizeof(Vector)) / element_bytes; ++i) {
    if (i < static_cast<int>(count)) {
      std::memcpy(reinterpret_cast<unsigned char*>(&vector) + i * element_bytes,
                  bytes + i * element_bytes, element_bytes);
    }
  }
  return vector;
}

template <int element_bytes>
RIDGEPOINT_BOTH inline void store_front(Vector* to, const Vector& vector, std::uint32_t count) {
  auto* bytes = static_cast<unsigned char*>(__builtin_assume_aligned(to, 16));
#pragma unroll
  for (int i = 0; i < static_cast<int>(sizeof(Vector)) / element_bytes; ++i) {
    if (i < static_cast<int>(count)) {
      std::memcpy(bytes + i * element_bytes,
                  reinterpret_cast<const unsigned char*>(&vector) + i * element_bytes,
                  element_bytes);
    }
  }
}

/// A thread's vectors of a tensor of `elements`.
template <int element_bytes, int vectors = vectors_per_thread>
struct Share {
  static constexpr std::uint32_t per_vector = sizeof(Vector) / element_bytes;

  std::uint64_t first;  ///< vector index; the others follow at strides of `stride`
  std::uint64_t whole;  ///< vectors that the tensor fills
  std::uint32_t stride;
  std::uint32_t tail;  ///< elements of the last, partial vector
  bool inside;         ///< the whole block lies in whole vectors

  RIDGEPOINT_BOTH Share(std::uint64_t elements, Place place)
      : first(place.block * vectors * place.threads + place.thread),
        whole(elements / per_vector),
        stride(place.threads),
        tail(static_cast<std::uint32_t>(elements % per_vector)),
        inside((place.block + 1) * vectors * place.threads <= whole) {}

  RIDGEPOINT_BOTH void load(const Vector* from, Vector (&data)[vectors]) const {
    if (inside) {
#pragma unroll
      for (int v = 0; v < vectors; ++v) data[v] = from[index(v)];
      return;
    }
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
      data[v] = Vector{};
      if (index(v) < whole) {
        data[v] = from[index(v)];
      } else if (index(v) == whole && tail > 0) {
        data[v] = load_front<element_bytes>(from + whole, tail);
      }
    }
  }

  RIDGEPOINT_BOTH void store(Vector* to, const Vector (&data)[vectors]) const {
    if (inside) {
#pragma unroll
      for (int v = 0; v < vectors; ++v) to[index(v)] = data[v];
      return;
    }
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
      if (index(v) < whole) {
        to[index(v)] = data[v];
      } else if (index(v) == whole && tail > 0) {
        store_front<element_bytes>(to + whole, data[v], tail);
      }
    }
  }

  /// Of vector v of the thread.
  RIDGEPOINT_BOTH std::uint64_t index(int v) const {
    return first + static_cast<std::uint64_t>(v) * stride;
  }
};

}  // namespace kernels::cuda
