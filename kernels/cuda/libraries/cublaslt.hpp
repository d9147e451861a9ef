// NVIDIA's matrix product library, found at run time: it is not on every machine that has a GPU.
#pragma once

#include <string>

#include "kernels/cuda/libraries/cublaslt_calls.hpp"
#include "kernels/cuda/libraries/shared_library.hpp"

namespace kernels::cuda {

class CublasLt {
 public:
  /// Of the driver's version (13000 is 13.0) where there are several. Never throws: why_not() says what
  /// is missing.
  explicit CublasLt(int driver_version);
  CublasLt(const CublasLt&) = delete;
  CublasLt& operator=(const CublasLt&) = delete;

  /// Why there are no products of the library, in a sentence; empty when there are.
  const std::string& why_not() const { return why_not_; }
  /// "cuBLASLt 13.1.0"; empty without the library.
  const std::string& name() const { return name_; }
  /// The path of the file that was loaded, used or not; empty without one.
  const std::string& file() const { return library_.file(); }

  const cublaslt::Calls& calls() const { return calls_; }
  /// The library's handle on the current GPU, made at the first call. Throws Unsupported.
  cublaslt::Handle handle();
  /// Gives the handle back; not for a GPU that was given up, for which that may wait.
  void close();

  /// Throws Unsupported with the library's words for every status but success.
  void check(cublaslt::Status, const char* doing) const;

 private:
  bool resolve();

  SharedLibrary library_;
  cublaslt::Calls calls_{};
  cublaslt::Handle handle_ = nullptr;
  std::string why_not_;
  std::string name_;
};

}  // namespace kernels::cuda
