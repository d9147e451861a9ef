// Kernels that are generated and compiled at run time, on the current GPU: compiled once, loaded by
// the driver, launched through it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "kernels/cuda/libraries/nvrtc.hpp"
#include "kernels/cuda/libraries/shared_library.hpp"
#include "kernels/cuda/runtime/runtime.hpp"

namespace kernels::cuda {

struct GeneratedKernel {
  driver::Function function = nullptr;
  std::string source;  ///< where it came from, in words
};

class GeneratedKernels {
 public:
  explicit GeneratedKernels(int driver_version);

  const Nvrtc& compiler() const { return compiler_; }

  /// The functions `symbols` of a text in CUDA C++, for a GPU of this compute capability (90 is
  /// 9.0). A text has the same ones each time. Throws Unsupported with a sentence where there is no
  /// NVRTC, or where it or the driver fails; DeviceLost.
  const std::vector<GeneratedKernel>& load(const std::string& text,
                                           const std::vector<std::string>& options,
                                           const std::vector<const char*>& symbols, int capability);

  /// Blocks of it that run at once on so many multiprocessors. Throws like check().
  std::uint64_t resident_blocks(const GeneratedKernel&, int threads, int multiprocessors) const;

  /// Like launch() of runtime.hpp.
  template <class Arguments>
  void launch(const GeneratedKernel& kernel, std::uint64_t blocks, int threads, Arguments arguments,
              cudaStream_t stream) const {
    launch_kernel(kernel, blocks, threads, &arguments, stream);
  }

  /// Seconds of compiling and loading so far, whether that succeeded or not.
  double seconds() const { return seconds_; }

  /// Unloads all; not for a GPU that was given up, for which that may wait.
  void close();

 private:
  struct Loaded {
    driver::Module module = nullptr;
    std::vector<GeneratedKernel> kernels;
  };

  driver::Module compiled(const std::string& text, const std::string& name, int capability,
                          const std::vector<std::string>& options);
  void launch_kernel(const GeneratedKernel&, std::uint64_t blocks, int threads, void* arguments,
                     cudaStream_t) const;

  Nvrtc compiler_;
  SharedLibrary driver_;
  driver::Calls calls_{};
  std::map<std::filesystem::path, Loaded> loaded_;  // by the file of the text
  double seconds_ = 0;
};

}  // namespace kernels::cuda
