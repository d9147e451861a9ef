// One convolution of cuDNN, by its own first choice or by one of its algorithms.
#pragma once

#include <string_view>

#include "kernels/cuda/libraries/cudnn.hpp"
#include "kernels/families/conv/conv.hpp"

namespace kernels::cuda {

class Convolution {
 public:
  /// Without an algorithm the first choice of the library (cudnnGetConvolutionForwardAlgorithm_v7)
  /// whose workspace is at most `most_workspace` bytes. fp32 without tf32; tensors lie as ConvSize
  /// says. Throws Unsupported.
  Convolution(Cudnn&, const ConvSize&, std::string_view algorithm, double most_workspace);

  std::string_view algorithm() const;
  /// Whether it sums transforms of images and weights (FFT, Winograd's algorithm), whose rounding
  /// is not that of a plain sum.
  bool is_transformed() const { return algorithm_ >= cudnn::first_transformed; }
  std::size_t workspace_bytes() const { return workspace_bytes_; }
  /// Enqueues it. Throws Unsupported.
  void run(const void* in, const void* weights, void* out, void* workspace, cudaStream_t) const;

 private:
  void describe(const ConvSize&);
  void choose(double most_workspace);
  void take(std::string_view algorithm, double most_workspace);
  /// Into workspace_bytes_.
  cudnn::Status workspace_of(int algorithm);

  Cudnn& library_;
  OwnedHandle in_, weights_, out_, convolution_;
  int algorithm_ = 0;
  std::size_t workspace_bytes_ = 0;
};

}  // namespace kernels::cuda
