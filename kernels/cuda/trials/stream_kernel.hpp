// The kernel and the launch of a stream that a shape means. Plain C++.
#pragma once

#include "kernels/cuda/trials/architecture.hpp"
#include "kernels/cuda/trials/tables.hpp"

namespace kernels::cuda {

struct StreamShape {
  const void* function;  ///< StreamArguments; read and shared: ReadArguments
  int in_flight;
  int width;                      ///< bytes of an access
  bool contiguous;                ///< each block has one part of the tensor
  bool block_per_chunk;           ///< as many blocks as chunks, not as many as run at once
  int blocks_per_multiprocessor;  ///< 0: as many as fit
};

/// Throws Unsupported where the case's shape has no kernel.
StreamShape stream_shape(const Case&, Architecture);

}  // namespace kernels::cuda
