// NVIDIA's matrix product library, found at run time: it is not on every machine that has a GPU.
#pragma once

#include "kernels/cuda/libraries/cublaslt_calls.hpp"
#include "kernels/cuda/libraries/library_handle.hpp"

namespace kernels::cuda {

class CublasLt : public LibraryHandle<cublaslt::Calls> {
 public:
  /// Of the driver's version (13000 is 13.0) where there are several. Never throws: why_not() says
  /// what is missing.
  explicit CublasLt(int driver_version);
};

}  // namespace kernels::cuda
