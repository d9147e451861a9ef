// What the libraries with handles share: cuBLASLt and cuDNN.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "kernels/cuda/libraries/shared_library.hpp"
#include "kernels/device.hpp"

namespace kernels::cuda {

/// A library found at run time, its functions, and its handle on the current GPU. `Calls` has
/// create, destroy and words_of.
template <class Calls>
class LibraryHandle {
 public:
  LibraryHandle(const LibraryHandle&) = delete;
  LibraryHandle& operator=(const LibraryHandle&) = delete;

  /// Why it cannot be used, in a sentence; empty when it can.
  const std::string& why_not() const { return why_not_; }
  /// "cuDNN 9.19.0"; empty without the library.
  const std::string& name() const { return name_; }
  /// The path of the file that was loaded, used or not; empty without one.
  const std::string& file() const { return library_.file(); }

  const Calls& calls() const { return calls_; }
  /// The library's handle on the current GPU, made at the first call. Throws Unsupported.
  void* handle() {
    if (!why_not_.empty()) throw Unsupported(why_not_);
    if (handle_ == nullptr) check(calls_.create(&handle_), "starting");
    return handle_;
  }
  /// Gives the handle back; not for a GPU that was given up, for which that may wait.
  void close() {
    if (handle_ != nullptr) static_cast<void>(calls_.destroy(handle_));
    handle_ = nullptr;
  }

  /// Throws Unsupported with the library's words for every status but success.
  void check(int status, const char* doing) const {
    if (status == 0) return;
    throw Unsupported(fmt::format("{}: {} failed: {} (status {})", name_, doing,
                                  calls_.words_of(status), status));
  }

 protected:
  explicit LibraryHandle(const std::vector<std::string>& names) : library_(names) {}
  ~LibraryHandle() = default;

  SharedLibrary library_;
  Calls calls_{};
  std::string why_not_;
  std::string name_;

 private:
  void* handle_ = nullptr;
};

}  // namespace kernels::cuda
