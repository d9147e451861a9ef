// What libraries share: NVRTC, and those with handles, cuBLASLt and cuDNN.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "kernels/cuda/libraries/shared_library.hpp"
#include "kernels/device.hpp"

namespace kernels::cuda {

/// What a library has made, until its own function destroys it.
struct DestroyHandle {
  int (*how)(void*);
  void operator()(void* handle) const { static_cast<void>(how(handle)); }
};
using OwnedHandle = std::unique_ptr<void, DestroyHandle>;

/// A library found at run time, and its functions.
template <class Calls>
class LibraryCalls {
 public:
  /// Why it cannot be used, in a sentence; empty when it can.
  const std::string& why_not() const { return why_not_; }
  /// "cuDNN 9.19.0"; empty without the library.
  const std::string& name() const { return name_; }
  /// The path of the file that was loaded, used or not; empty without one.
  const std::string& file() const { return library_.file(); }

  const Calls& calls() const { return calls_; }

 protected:
  explicit LibraryCalls(const std::vector<std::string>& names) : library_(names) {}
  ~LibraryCalls() = default;

  SharedLibrary library_;
  Calls calls_{};
  std::string why_not_;
  std::string name_;
};

/// Such a library with a handle on the current GPU. `Calls` has create, destroy and words_of.
template <class Calls>
class LibraryHandle : public LibraryCalls<Calls> {
 public:
  /// The library's handle on the current GPU, made at the first call. Throws Unsupported.
  void* handle() {
    if (!this->why_not_.empty()) throw Unsupported(this->why_not_);
    if (handle_ == nullptr) check(this->calls_.create(&handle_), "starting");
    return handle_;
  }
  /// Gives the handle back; not for a GPU that was given up, for which that may wait.
  void close() {
    if (handle_ != nullptr) static_cast<void>(this->calls_.destroy(handle_));
    handle_ = nullptr;
  }

  /// Throws Unsupported with the library's words for every status but success.
  void check(int status, const char* doing) const {
    if (status == 0) return;
    throw Unsupported(fmt::format("{}: {} failed: {} (status {})", this->name_, doing,
                                  this->calls_.words_of(status), status));
  }

 protected:
  using LibraryCalls<Calls>::LibraryCalls;

 private:
  void* handle_ = nullptr;
};

}  // namespace kernels::cuda
