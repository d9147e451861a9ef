// NVIDIA's run-time compiler, found at run time: it is not on every machine that has a GPU.
#pragma once

#include <string>
#include <vector>

#include "kernels/cuda/libraries/nvrtc_calls.hpp"
#include "kernels/cuda/libraries/shared_library.hpp"

namespace kernels::cuda {

class Nvrtc {
 public:
  /// Of the driver's version (13000 is 13.0) where there are several. Never throws: why_not() says
  /// what is missing.
  explicit Nvrtc(int driver_version);

  /// Why nothing can be compiled, in a sentence; empty when it can.
  const std::string& why_not() const { return why_not_; }
  /// "NVRTC 13.0"; empty without it.
  const std::string& name() const { return name_; }
  /// The path of the file that was loaded, used or not; empty without one.
  const std::string& file() const { return library_.file(); }

  /// What the driver loads of a text in CUDA C++, for a GPU of compute capability `capability` (90
  /// is 9.0): its machine code, or PTX of the newest older one where this NVRTC does not know it.
  /// `name` stands for the text in messages. Throws Unsupported with the first error.
  std::string compile(const std::string& text, const std::string& name, int capability,
                      const std::vector<std::string>& options) const;

 private:
  bool resolve();
  std::vector<int> architectures() const;

  SharedLibrary library_;
  nvrtc::Calls calls_{};
  std::string why_not_;
  std::string name_;
};

}  // namespace kernels::cuda
