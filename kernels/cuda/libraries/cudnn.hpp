// NVIDIA's library of convolutions, found at run time: it is not on every machine that has a GPU.
#pragma once

#include "kernels/cuda/libraries/cudnn_calls.hpp"
#include "kernels/cuda/libraries/library_handle.hpp"

namespace kernels::cuda {

class Cudnn : public LibraryHandle<cudnn::Calls> {
 public:
  /// Never throws: why_not() says what is missing.
  Cudnn();
};

}  // namespace kernels::cuda
