// The part of cuDNN that is used, as its documentation declares it for versions 8 and 9; a test
// compares it with the header where there is one.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <string_view>

namespace kernels::cuda::cudnn {

/// cudnnStatus_t; handles and descriptors are pointers.
using Status = int;
using Handle = void*;
inline constexpr Status success = 0;

inline constexpr int fp32 = 0;               ///< CUDNN_DATA_FLOAT
inline constexpr int nchw = 0;               ///< CUDNN_TENSOR_NCHW
inline constexpr int cross_correlation = 1;  ///< CUDNN_CROSS_CORRELATION: as networks have it
inline constexpr int fma_math = 3;           ///< CUDNN_FMA_MATH: fp32 stays fp32, not tf32

/// cudnnConvolutionFwdAlgo_t by its value, CUDNN_CONVOLUTION_FWD_ALGO_ left out. The documentation
/// of DIRECT says that there is none.
inline constexpr std::array<std::string_view, 8> algorithms{
    "IMPLICIT_GEMM", "IMPLICIT_PRECOMP_GEMM", "GEMM", "DIRECT", "FFT", "FFT_TILING",
    "WINOGRAD",      "WINOGRAD_NONFUSED"};
inline constexpr int direct = 3, first_transformed = 4;

/// cudnnConvolutionFwdAlgoPerf_t.
struct Choice {
  int algorithm;
  Status status;
  float milliseconds;
  std::size_t workspace_bytes;
  int deterministic;
  int math;
  int reserved[3];
};

/// The functions, without the prefix cudnn.
struct Calls {
  std::size_t (*get_version)();
  const char* (*words_of)(Status);
  Status (*create)(Handle*);
  Status (*destroy)(Handle);
  Status (*set_stream)(Handle, cudaStream_t);
  Status (*create_tensor)(Handle*);
  Status (*set_tensor)(Handle, int layout, int type, int images, int channels, int rows,
                       int columns);
  Status (*destroy_tensor)(Handle);
  Status (*create_filter)(Handle*);
  Status (*set_filter)(Handle, int type, int layout, int filters, int channels, int rows,
                       int columns);
  Status (*destroy_filter)(Handle);
  Status (*create_convolution)(Handle*);
  Status (*set_convolution)(Handle, int pad_rows, int pad_columns, int stride_rows,
                            int stride_columns, int dilation_rows, int dilation_columns, int mode,
                            int type);
  Status (*set_math)(Handle, int math);
  Status (*destroy_convolution)(Handle);
  Status (*get_algorithm)(Handle, Handle in, Handle weights, Handle convolution, Handle out,
                          int wanted, int* count, Choice*);
  Status (*get_workspace)(Handle, Handle in, Handle weights, Handle convolution, Handle out,
                          int algorithm, std::size_t* bytes);
  Status (*forward)(Handle, const void* alpha, Handle in_is, const void* in, Handle weights_is,
                    const void* weights, Handle convolution, int algorithm, void* workspace,
                    std::size_t workspace_bytes, const void* beta, Handle out_is, void* out);
};

}  // namespace kernels::cuda::cudnn
