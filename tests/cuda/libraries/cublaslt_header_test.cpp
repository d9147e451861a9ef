// Our declarations of cuBLASLt against its header, and the library itself where this machine has
// it.
#include <cublasLt.h>
#include <doctest/doctest.h>

#include <cstddef>

#include "kernels/cuda/libraries/cublaslt.hpp"
#include "kernels/device.hpp"
#include "tests/cuda/fakes/same_call.hpp"

namespace ours = kernels::cuda::cublaslt;
using Calls = ours::Calls;

static_assert(same_call<decltype(Calls::create), decltype(&cublasLtCreate)>);
static_assert(same_call<decltype(Calls::destroy), decltype(&cublasLtDestroy)>);
static_assert(same_call<decltype(Calls::get_version), decltype(&cublasLtGetVersion)>);
static_assert(same_call<decltype(Calls::words_of), decltype(&cublasLtGetStatusString)>);
static_assert(same_call<decltype(Calls::matmul_desc_create), decltype(&cublasLtMatmulDescCreate)>);
static_assert(
    same_call<decltype(Calls::matmul_desc_destroy), decltype(&cublasLtMatmulDescDestroy)>);
static_assert(same_call<decltype(Calls::matmul_desc_set_attribute),
                        decltype(&cublasLtMatmulDescSetAttribute)>);
static_assert(
    same_call<decltype(Calls::matrix_layout_create), decltype(&cublasLtMatrixLayoutCreate)>);
static_assert(
    same_call<decltype(Calls::matrix_layout_destroy), decltype(&cublasLtMatrixLayoutDestroy)>);
static_assert(same_call<decltype(Calls::matrix_layout_set_attribute),
                        decltype(&cublasLtMatrixLayoutSetAttribute)>);
static_assert(
    same_call<decltype(Calls::preference_create), decltype(&cublasLtMatmulPreferenceCreate)>);
static_assert(
    same_call<decltype(Calls::preference_destroy), decltype(&cublasLtMatmulPreferenceDestroy)>);
static_assert(same_call<decltype(Calls::preference_set_attribute),
                        decltype(&cublasLtMatmulPreferenceSetAttribute)>);
static_assert(same_call<decltype(Calls::get_heuristic), decltype(&cublasLtMatmulAlgoGetHeuristic)>);
static_assert(same_call<decltype(Calls::matmul), decltype(&cublasLtMatmul)>);
// The comparison itself can fail.
static_assert(!same_call<decltype(Calls::create), decltype(&cublasLtGetVersion)>);
static_assert(
    !same_call<decltype(Calls::matmul_desc_create), decltype(&cublasLtMatmulDescDestroy)>);

static_assert(sizeof(ours::Algorithm) == sizeof(cublasLtMatmulAlgo_t));
static_assert(sizeof(ours::Heuristic) == sizeof(cublasLtMatmulHeuristicResult_t));
static_assert(offsetof(ours::Heuristic, workspace_bytes) ==
              offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
static_assert(offsetof(ours::Heuristic, state) == offsetof(cublasLtMatmulHeuristicResult_t, state));

template <class Ours, class Theirs>
constexpr bool same(Ours a, Theirs b) {
  return static_cast<int>(a) == static_cast<int>(b);
}
static_assert(same(ours::success, CUBLAS_STATUS_SUCCESS));
static_assert(same(ours::transposed, CUBLAS_OP_T));
static_assert(same(ours::attribute_transpose_a, CUBLASLT_MATMUL_DESC_TRANSA));
static_assert(same(ours::attribute_transpose_b, CUBLASLT_MATMUL_DESC_TRANSB));
static_assert(same(ours::layout_batch_count, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT));
static_assert(same(ours::layout_batch_step, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET));
static_assert(same(ours::attribute_epilogue, CUBLASLT_MATMUL_DESC_EPILOGUE));
static_assert(same(ours::attribute_bias, CUBLASLT_MATMUL_DESC_BIAS_POINTER));
static_assert(same(ours::epilogue_bias_relu, CUBLASLT_EPILOGUE_RELU_BIAS));
static_assert(sizeof(ours::epilogue_bias_relu) == sizeof(cublasLtEpilogue_t));
static_assert(same(ours::attribute_fast_accumulation, CUBLASLT_MATMUL_DESC_FAST_ACCUM));
static_assert(same(ours::preference_workspace, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES));
static_assert(same(ours::Type::fp32, CUDA_R_32F) && same(ours::Type::fp64, CUDA_R_64F));
static_assert(same(ours::Type::fp16, CUDA_R_16F) && same(ours::Type::bf16, CUDA_R_16BF));
static_assert(same(ours::Type::int8, CUDA_R_8I) && same(ours::Type::int32, CUDA_R_32I));
static_assert(same(ours::Type::fp8, CUDA_R_8F_E4M3));
static_assert(same(ours::Compute::fp32, CUBLAS_COMPUTE_32F));
static_assert(same(ours::Compute::fp64, CUBLAS_COMPUTE_64F));
static_assert(same(ours::Compute::int32, CUBLAS_COMPUTE_32I));
static_assert(same(ours::Compute::fp32_fast_tf32, CUBLAS_COMPUTE_32F_FAST_TF32));

TEST_CASE("the library has every function that is used, or the reason why not is a sentence") {
  kernels::cuda::CublasLt library(0);
  if (!library.why_not().empty()) {
    CHECK(library.why_not().find("was not found; install it") != std::string::npos);
    CHECK_THROWS_AS(library.handle(), kernels::Unsupported);
    return;
  }
  CHECK(library.name().starts_with("cuBLASLt 1"));
  try {
    const ours::Handle handle = library.handle();
    CHECK(handle != nullptr);
  } catch (const kernels::Unsupported& error) {  // no GPU
    CHECK(std::string(error.what()).starts_with(library.name() + ": starting failed: the library"));
  }
  library.close();
}
