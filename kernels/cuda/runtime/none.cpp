// Stands in for the CUDA backend where there is no CUDA compiler.
#include <string>

#include "kernels/backends.hpp"

namespace kernels {

void open_cuda(Devices& devices) {
  // What CMake found wrong with the toolkit; empty where there was none.
  const std::string unusable = RIDGEPOINT_UNUSABLE_TOOLKIT;
  devices.unavailable.push_back(
      {"cuda", unusable.empty() ? "this program was built without CUDA; build it on a machine with "
                                  "the CUDA Toolkit (nvcc)"
                                : "this program was built without CUDA: " + unusable +
                                      "; install CUDA Toolkit 12.4 or newer and build it again"});
}

const char* cuda_build_version() { return ""; }

}  // namespace kernels
