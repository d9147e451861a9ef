#include "kernels/cuda/libraries/cudnn.hpp"

#include <fmt/format.h>

#include "kernels/cuda/libraries/library_folders.hpp"

namespace kernels::cuda {
namespace {

bool find_all(const SharedLibrary& l, cudnn::Calls& c) {
  return l.find("cudnnGetVersion", c.get_version) && l.find("cudnnGetErrorString", c.words_of) &&
         l.find("cudnnCreate", c.create) && l.find("cudnnDestroy", c.destroy) &&
         l.find("cudnnSetStream", c.set_stream) &&
         l.find("cudnnCreateTensorDescriptor", c.create_tensor) &&
         l.find("cudnnSetTensor4dDescriptor", c.set_tensor) &&
         l.find("cudnnDestroyTensorDescriptor", c.destroy_tensor) &&
         l.find("cudnnCreateFilterDescriptor", c.create_filter) &&
         l.find("cudnnSetFilter4dDescriptor", c.set_filter) &&
         l.find("cudnnDestroyFilterDescriptor", c.destroy_filter) &&
         l.find("cudnnCreateConvolutionDescriptor", c.create_convolution) &&
         l.find("cudnnSetConvolution2dDescriptor", c.set_convolution) &&
         l.find("cudnnSetConvolutionMathType", c.set_math) &&
         l.find("cudnnDestroyConvolutionDescriptor", c.destroy_convolution) &&
         l.find("cudnnGetConvolutionForwardAlgorithm_v7", c.get_algorithm) &&
         l.find("cudnnGetConvolutionForwardWorkspaceSize", c.get_workspace) &&
         l.find("cudnnConvolutionForward", c.forward);
}

}  // namespace

Cudnn::Cudnn() : LibraryHandle({"libcudnn.so.9"}) {
  if (!library_.is_open()) {
    why_not_ = fmt::format(
        "cuDNN 9 (libcudnn.so.9) was not found; install it from NVIDIA's CUDA repository, `pip "
        "install nvidia-cudnn-cu13` (cu12 for CUDA 12), or name its folder in {}{}",
        library_variable, library_.passed_over());
  } else if (!find_all(library_, calls_)) {
    why_not_ = fmt::format("{} lacks required functions; install cuDNN 9", library_.name());
  } else {
    const std::size_t version = calls_.get_version();  // 91900 is 9.19.0
    name_ = fmt::format("cuDNN {}.{}.{}", version / 10000, version % 10000 / 100, version % 100);
  }
}

}  // namespace kernels::cuda
