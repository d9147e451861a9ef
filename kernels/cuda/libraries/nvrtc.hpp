// NVIDIA's run-time compiler, found at run time: it is not on every machine that has a GPU.
#pragma once

#include <string>
#include <vector>

#include "kernels/cuda/libraries/library_handle.hpp"
#include "kernels/cuda/libraries/nvrtc_calls.hpp"

namespace kernels::cuda {

class Nvrtc : public LibraryCalls<nvrtc::Calls> {
 public:
  /// Of the driver's version (13000 is 13.0) where there are several. Never throws: why_not() says
  /// what is missing.
  explicit Nvrtc(int driver_version);

  /// What the driver loads of a text in CUDA C++, for a GPU of compute capability `capability` (90
  /// is 9.0): its machine code, or PTX of the newest older one where this NVRTC does not know it.
  /// `name` stands for the text in messages. Throws Unsupported with the first error.
  std::string compile(const std::string& text, const std::string& name, int capability,
                      const std::vector<std::string>& options) const;

 private:
  std::vector<int> architectures() const;
};

}  // namespace kernels::cuda
