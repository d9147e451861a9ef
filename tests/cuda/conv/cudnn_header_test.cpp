// Our declarations of cuDNN against its header, and the library itself where this machine has it.
#include <cudnn.h>
#include <doctest/doctest.h>

#include <cstddef>

#include "kernels/cuda/libraries/cudnn.hpp"
#include "tests/cuda/fakes/same_call.hpp"

namespace ours = kernels::cuda::cudnn;
using Calls = ours::Calls;

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static_assert(same_call<decltype(Calls::get_version), decltype(&cudnnGetVersion)>);
static_assert(same_call<decltype(Calls::words_of), decltype(&cudnnGetErrorString)>);
static_assert(same_call<decltype(Calls::create), decltype(&cudnnCreate)>);
static_assert(same_call<decltype(Calls::destroy), decltype(&cudnnDestroy)>);
static_assert(same_call<decltype(Calls::set_stream), decltype(&cudnnSetStream)>);
static_assert(same_call<decltype(Calls::create_tensor), decltype(&cudnnCreateTensorDescriptor)>);
static_assert(same_call<decltype(Calls::set_tensor), decltype(&cudnnSetTensor4dDescriptor)>);
static_assert(same_call<decltype(Calls::destroy_tensor), decltype(&cudnnDestroyTensorDescriptor)>);
static_assert(same_call<decltype(Calls::create_filter), decltype(&cudnnCreateFilterDescriptor)>);
static_assert(same_call<decltype(Calls::set_filter), decltype(&cudnnSetFilter4dDescriptor)>);
static_assert(same_call<decltype(Calls::destroy_filter), decltype(&cudnnDestroyFilterDescriptor)>);
static_assert(
    same_call<decltype(Calls::create_convolution), decltype(&cudnnCreateConvolutionDescriptor)>);
static_assert(
    same_call<decltype(Calls::set_convolution), decltype(&cudnnSetConvolution2dDescriptor)>);
static_assert(same_call<decltype(Calls::set_math), decltype(&cudnnSetConvolutionMathType)>);
static_assert(
    same_call<decltype(Calls::destroy_convolution), decltype(&cudnnDestroyConvolutionDescriptor)>);
static_assert(
    same_call<decltype(Calls::get_algorithm), decltype(&cudnnGetConvolutionForwardAlgorithm_v7)>);
static_assert(
    same_call<decltype(Calls::get_workspace), decltype(&cudnnGetConvolutionForwardWorkspaceSize)>);
static_assert(same_call<decltype(Calls::forward), decltype(&cudnnConvolutionForward)>);

static_assert(static_cast<int>(CUDNN_STATUS_SUCCESS) == ours::success);
static_assert(static_cast<int>(CUDNN_DATA_FLOAT) == ours::fp32);
static_assert(static_cast<int>(CUDNN_TENSOR_NCHW) == ours::nchw);
static_assert(static_cast<int>(CUDNN_CROSS_CORRELATION) == ours::cross_correlation);
static_assert(static_cast<int>(CUDNN_FMA_MATH) == ours::fma_math);
static_assert(ours::algorithms.size() == CUDNN_CONVOLUTION_FWD_ALGO_COUNT);
static_assert(static_cast<int>(CUDNN_CONVOLUTION_FWD_ALGO_DIRECT) == ours::direct);
static_assert(static_cast<int>(CUDNN_CONVOLUTION_FWD_ALGO_FFT) == ours::first_transformed);
static_assert(ours::algorithms[CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD] == "WINOGRAD");
static_assert(sizeof(ours::Choice) == sizeof(cudnnConvolutionFwdAlgoPerf_t));
static_assert(offsetof(ours::Choice, status) == offsetof(cudnnConvolutionFwdAlgoPerf_t, status));
static_assert(offsetof(ours::Choice, workspace_bytes) ==
              offsetof(cudnnConvolutionFwdAlgoPerf_t, memory));
static_assert(offsetof(ours::Choice, math) == offsetof(cudnnConvolutionFwdAlgoPerf_t, mathType));

TEST_CASE("cuDNN is found where this machine has it, with all that is used") {
  const kernels::cuda::Cudnn library;
  if (library.file().empty()) {
    MESSAGE("skipped: " << library.why_not());
    return;
  }
  CHECK(library.why_not() == "");
  CHECK(library.name().starts_with("cuDNN "));
  MESSAGE(library.name() << ", " << library.file());
}
