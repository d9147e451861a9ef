// What one thread of a bandwidth launch does: 16-byte accesses, four in flight. Plain C++, so that
// tests run it on the host.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/cuda/share.hpp"
#include "kernels/ops.hpp"

namespace kernels::cuda {

using Fp32Share = Share<sizeof(float)>;

RIDGEPOINT_BOTH inline void write_thread(const StreamArguments& args, Place place) {
  Vector data[vectors_per_thread];
#pragma unroll
  for (int v = 0; v < vectors_per_thread; ++v) data[v] = args.pattern;
  Fp32Share(args.elements, place).store(args.out, data);
}

RIDGEPOINT_BOTH inline void copy_thread(const StreamArguments& args, Place place) {
  const Fp32Share share(args.elements, place);
  Vector data[vectors_per_thread];
  share.load(args.a, data);
  share.store(args.out, data);
}

/// out = a + scalar b
RIDGEPOINT_BOTH inline void triad_thread(const StreamArguments& args, Place place) {
  const Fp32Share share(args.elements, place);
  Vector a[vectors_per_thread];
  Vector b[vectors_per_thread];
  share.load(args.a, a);
  share.load(args.b, b);
#pragma unroll
  for (int v = 0; v < vectors_per_thread; ++v) {
    float x[4];
    float y[4];
    std::memcpy(x, &a[v], sizeof(x));
    std::memcpy(y, &b[v], sizeof(y));
#pragma unroll
    for (int i = 0; i < 4; ++i) x[i] = multiply_add(y[i], args.scalar, x[i]);
    std::memcpy(&a[v], x, sizeof(x));
  }
  share.store(args.out, a);
}

/// The sum, modulo 2^32, of the words that this thread reads in a launch of `blocks`: every block
/// goes on to the share `blocks` further, until the tensor ends.
RIDGEPOINT_BOTH inline std::uint32_t read_thread(const StreamArguments& args, Place place,
                                                 std::uint64_t blocks) {
  const std::uint64_t shares =
      (args.elements + block_elements(sizeof(float)) - 1) / block_elements(sizeof(float));
  std::uint32_t sum = 0;
  for (std::uint64_t share = place.block; share < shares; share += blocks) {
    Vector data[vectors_per_thread];
    Fp32Share(args.elements, {share, place.thread, place.threads}).load(args.a, data);
#pragma unroll
    for (int v = 0; v < vectors_per_thread; ++v) {
      sum += data[v].word[0] + data[v].word[1] + data[v].word[2] + data[v].word[3];
    }
  }
  return sum;
}

}  // namespace kernels::cuda
