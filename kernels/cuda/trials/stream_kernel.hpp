// The kernel and the launch of a stream that a shape means. Plain C++.
#pragma once

#include "kernels/cuda/trials/architecture.hpp"
#include "kernels/cuda/trials/tables.hpp"

namespace kernels::cuda {

struct StreamShape {
  const void* function;  ///< RingArguments, StreamArguments, or of a read ReadArguments
  int in_flight;
  int width;     ///< bytes of an access
  bool ring;     ///< a block per multiprocessor, round and round; else one for each chunk
  bool rotated;  ///< through all of the tensor, not a part of it
};

/// Throws Unsupported where the case's shape has no kernel.
StreamShape stream_shape(const Case&, Architecture);

}  // namespace kernels::cuda
