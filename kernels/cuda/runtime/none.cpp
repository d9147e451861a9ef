// Stands in for the CUDA backend where there is no CUDA compiler.
#include "kernels/backends.hpp"

namespace kernels {

void open_cuda(Devices& devices) {
  devices.unavailable.push_back(
      {"cuda",
       "this program was built without CUDA; build it on a machine with the CUDA Toolkit (nvcc)"});
}

const char* cuda_build_version() { return ""; }

}  // namespace kernels
