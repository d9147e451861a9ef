// What one thread of a launch that reads shared memory does. Plain C++, so that tests run it on the
// host: all threads stage, then all read.
#pragma once

#include "kernels/cuda/bodies/stream_body.hpp"

namespace kernels::cuda {

/// A block's vectors of the tensor: its part of a contiguous walk. (Elements that do not fill a
/// vector stay in the memory of the device.)
RIDGEPOINT_BOTH inline Walk shared_walk(const StreamArguments& args, Place place,
                                        std::uint64_t blocks) {
  return {args.elements, sizeof(Vector), 1, true, place, blocks};
}

/// Brings the block's part into shared memory.
RIDGEPOINT_BOTH inline void shared_stage(const StreamArguments& args, const Walk& walk,
                                         Vector* shared, Place place) {
  for (std::uint64_t i = walk.begin + place.thread; i < walk.end; i += place.threads) {
    shared[i - walk.begin] = args.a[i];
  }
}

/// The sum, modulo 2^32, of the words that a thread reads in all passes; neighbours read vectors
/// side by side, so that banks do not conflict.
template <int in_flight>
RIDGEPOINT_BOTH std::uint32_t shared_read(const StreamArguments& args, const Walk& walk,
                                          const Vector* shared, Place place) {
  const std::uint64_t count = walk.end > walk.begin ? walk.end - walk.begin : 0;
  std::uint32_t sum = 0;
#pragma unroll 1
  for (std::uint32_t pass = 0; pass < args.repeat; ++pass) {
#pragma unroll 1
    for (std::uint32_t first = 0; first < count; first += in_flight * place.threads) {
      Chunk<in_flight, sizeof(Vector), StreamHint::none> data;
      data.load(shared, first, count, place);
#pragma unroll
      for (int i = 0; i < in_flight; ++i) {
#pragma unroll
        for (int w = 0; w < 4; ++w) sum += data.item[i].word[w];
      }
    }
#pragma unroll 1
    for (std::uint64_t i = walk.tail_begin; i < walk.tail_end; ++i) {
      sum += stream_word<Op::read>(args, i);
    }
    forget_memory();
  }
  return sum;
}

}  // namespace kernels::cuda
