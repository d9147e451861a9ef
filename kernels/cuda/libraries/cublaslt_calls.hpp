// The part of cuBLASLt that is used, as its documentation declares it for versions 12 and 13; a
// test compares it with the header where there is one.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace kernels::cuda::cublaslt {

/// cublasStatus_t; handles and descriptors are pointers.
using Status = int;
using Handle = void*;
inline constexpr Status success = 0;

/// cudaDataType_t.
enum class Type : int { fp32 = 0, fp64 = 1, fp16 = 2, int8 = 3, int32 = 10, bf16 = 14, fp8 = 28 };
/// cublasComputeType_t: what products are summed in.
enum class Compute : int { fp32 = 68, fp64 = 70, int32 = 72, fp32_fast_tf32 = 77 };

inline constexpr std::int32_t transposed = 1;           ///< CUBLAS_OP_T
inline constexpr int attribute_transpose_a = 3;         ///< CUBLASLT_MATMUL_DESC_TRANSA
inline constexpr int attribute_transpose_b = 4;         ///< CUBLASLT_MATMUL_DESC_TRANSB
inline constexpr int attribute_epilogue = 7;            ///< CUBLASLT_MATMUL_DESC_EPILOGUE
inline constexpr int attribute_bias = 8;                ///< CUBLASLT_MATMUL_DESC_BIAS_POINTER
inline constexpr int attribute_fast_accumulation = 25;  ///< CUBLASLT_MATMUL_DESC_FAST_ACCUM
inline constexpr std::uint32_t epilogue_bias_relu = 6;  ///< CUBLASLT_EPILOGUE_RELU_BIAS
inline constexpr int preference_workspace = 1;  ///< CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES
inline constexpr int layout_batch_count = 5;    ///< CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT
inline constexpr int layout_batch_step = 6;     ///< CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET

/// cublasLtMatmulAlgo_t and cublasLtMatmulHeuristicResult_t.
struct Algorithm {
  std::uint64_t data[8];
};
struct Heuristic {
  Algorithm algorithm;
  std::size_t workspace_bytes;
  Status state;
  float waves;
  int reserved[4];
};

/// The functions, without the prefix cublasLt.
struct Calls {
  Status (*create)(Handle*);
  Status (*destroy)(Handle);
  std::size_t (*get_version)();
  const char* (*words_of)(Status);
  Status (*matmul_desc_create)(Handle*, Compute, Type scale);
  Status (*matmul_desc_destroy)(Handle);
  Status (*matmul_desc_set_attribute)(Handle, int attribute, const void* value, std::size_t bytes);
  Status (*matrix_layout_create)(Handle*, Type, std::uint64_t rows, std::uint64_t columns,
                                 std::int64_t leading_dimension);
  Status (*matrix_layout_destroy)(Handle);
  Status (*matrix_layout_set_attribute)(Handle, int attribute, const void* value,
                                        std::size_t bytes);
  Status (*preference_create)(Handle*);
  Status (*preference_destroy)(Handle);
  Status (*preference_set_attribute)(Handle, int attribute, const void* value, std::size_t bytes);
  Status (*get_heuristic)(Handle library, Handle operation, Handle a, Handle b, Handle c, Handle d,
                          Handle preference, int wanted, Heuristic* results, int* count);
  Status (*matmul)(Handle library, Handle operation, const void* alpha, const void* a, Handle a_is,
                   const void* b, Handle b_is, const void* beta, const void* c, Handle c_is,
                   void* d, Handle d_is, const Algorithm*, void* workspace,
                   std::size_t workspace_bytes, cudaStream_t);
};

}  // namespace kernels::cuda::cublaslt
