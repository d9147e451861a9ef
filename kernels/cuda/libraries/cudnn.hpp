// NVIDIA's library of convolutions, found at run time: it is not on every machine that has a GPU.
#pragma once

#include <string>

#include "kernels/cuda/libraries/cudnn_calls.hpp"
#include "kernels/cuda/libraries/shared_library.hpp"

namespace kernels::cuda {

class Cudnn {
 public:
  /// Never throws: why_not() says what is missing.
  Cudnn();
  Cudnn(const Cudnn&) = delete;
  Cudnn& operator=(const Cudnn&) = delete;

  /// Why there are no convolutions, in a sentence; empty when there are.
  const std::string& why_not() const { return why_not_; }
  /// "cuDNN 9.19.0"; empty without the library.
  const std::string& name() const { return name_; }
  /// The path of the file that was loaded, used or not; empty without one.
  const std::string& file() const { return library_.file(); }

  const cudnn::Calls& calls() const { return calls_; }
  /// The library's handle on the current GPU, made at the first call. Throws Unsupported.
  cudnn::Handle handle();
  /// Gives the handle back; not for a GPU that was given up, for which that may wait.
  void close();

  /// Throws Unsupported with the library's words for every status but success.
  void check(cudnn::Status, const char* doing) const;

 private:
  bool resolve();

  SharedLibrary library_;
  cudnn::Calls calls_{};
  cudnn::Handle handle_ = nullptr;
  std::string why_not_;
  std::string name_;
};

}  // namespace kernels::cuda
