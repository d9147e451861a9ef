#include "kernels/cuda/matmul/gemm_product.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace kernels::cuda {
namespace {

using cublaslt::Compute;
using cublaslt::Type;

// What NVIDIA recommends for Hopper; less on others does no harm.
constexpr std::size_t most_workspace = 32 << 20;

struct Types {
  Type in, scale;
  Compute compute;
};

/// In the order of Dtype. The library multiplies no int32.
constexpr std::array<Types, dtypes.size()> types{{
    {Type::fp64, Type::fp64, Compute::fp64},            // fp64
    {Type::fp32, Type::fp32, Compute::fp32},            // fp32
    {Type::fp32, Type::fp32, Compute::fp32_fast_tf32},  // tf32
    {Type::fp16, Type::fp32, Compute::fp32},            // fp16
    {Type::bf16, Type::fp32, Compute::fp32},            // bf16
    {Type::fp8, Type::fp32, Compute::fp32},             // fp8
    {Type::int32, Type::int32, Compute::int32},         // int32
    {Type::int8, Type::int32, Compute::int32},          // int8
}};
static_assert(types[static_cast<std::size_t>(Dtype::tf32)].compute == Compute::fp32_fast_tf32 &&
              types[static_cast<std::size_t>(Dtype::int8)].in == Type::int8);
const Types& types_of(Dtype dtype) { return types.at(static_cast<std::size_t>(dtype)); }

// A number in the type that scales the product.
union Scalar {
  float fp32;
  double fp64;
  std::int32_t int32;
};
Scalar scalar(Type type, int value) {
  Scalar result{};
  if (type == Type::fp64) {
    result.fp64 = value;
  } else if (type == Type::int32) {
    result.int32 = value;
  } else {
    result.fp32 = static_cast<float>(value);
  }
  return result;
}

}  // namespace

GemmProduct::GemmProduct(CublasLt& library, const Factor& a, const Factor& b, Dtype result,
                         int rank, const void* bias)
    : library_(library),
      dtype_(a.dtype),
      operation_(operation(a, b, bias)),
      a_(layout(matrix_of(a), a.batch)),
      b_(layout(matrix_of(b), b.batch)),
      d_(layout({types_of(result).in, a.lines, b.lines, a.lines, a.lines * b.lines}, a.batch)) {
  choose(a.dtype, rank);
}

GemmProduct::Matrix GemmProduct::matrix_of(const Factor& factor) {
  const bool by_lines = factor.layout == Layout::lines;
  return {types_of(factor.dtype).in, by_lines ? factor.depth() : factor.lines,
          by_lines ? factor.lines : factor.depth(), factor.pitch(), factor.step()};
}

GemmProduct::Owned GemmProduct::operation(const Factor& a, const Factor& b, const void* bias) {
  const Dtype dtype = a.dtype;
  const cublaslt::Calls& calls = library_.calls();
  library_.handle();
  const Types& types = types_of(dtype);
  if (dtype == Dtype::int32)
    throw Unsupported(fmt::format("cuBLASLt does not multiply {}", name_of(dtype)));
  cublaslt::Handle handle = nullptr;
  library_.check(calls.matmul_desc_create(&handle, types.compute, types.scale),
                 "describing a product");
  Owned owned(handle, {calls.matmul_desc_destroy});
  const auto set = [&](int attribute, const auto& value) {
    library_.check(calls.matmul_desc_set_attribute(handle, attribute, &value, sizeof(value)),
                   "describing a product");
  };
  if (a.layout == Layout::lines) set(cublaslt::attribute_transpose_a, cublaslt::transposed);
  if (b.layout == Layout::across) set(cublaslt::attribute_transpose_b, cublaslt::transposed);
  if (dtype == Dtype::fp8) set(cublaslt::attribute_fast_accumulation, std::int8_t{1});
  if (bias != nullptr) {
    set(cublaslt::attribute_epilogue, cublaslt::epilogue_bias_relu);
    set(cublaslt::attribute_bias, bias);
  }
  return owned;
}

GemmProduct::Owned GemmProduct::layout(const Matrix& matrix, std::uint64_t batch) {
  const cublaslt::Calls& calls = library_.calls();
  cublaslt::Handle handle = nullptr;
  library_.check(calls.matrix_layout_create(&handle, matrix.type, matrix.rows, matrix.columns,
                                            static_cast<std::int64_t>(matrix.pitch)),
                 "describing a matrix");
  Owned owned(handle, {calls.matrix_layout_destroy});
  const auto set = [&](int attribute, const auto& value) {
    library_.check(calls.matrix_layout_set_attribute(handle, attribute, &value, sizeof(value)),
                   "describing a batch");
  };
  if (batch > 1) {
    set(cublaslt::layout_batch_count, static_cast<std::int32_t>(batch));
    set(cublaslt::layout_batch_step, static_cast<std::int64_t>(matrix.step));
  }
  return owned;
}

void GemmProduct::choose(Dtype dtype, int rank) {
  const cublaslt::Calls& calls = library_.calls();
  cublaslt::Handle handle = nullptr;
  library_.check(calls.preference_create(&handle), "describing preferences");
  const Owned preference(handle, {calls.preference_destroy});
  library_.check(calls.preference_set_attribute(handle, cublaslt::preference_workspace,
                                                &most_workspace, sizeof(most_workspace)),
                 "describing preferences");
  std::array<cublaslt::Heuristic, gemm_algorithms> found{};
  int count = 0;
  const cublaslt::Status status =
      calls.get_heuristic(library_.handle(), operation_.get(), a_.get(), b_.get(), d_.get(),
                          d_.get(), handle, gemm_algorithms, found.data(), &count);
  if (status == cublaslt::success) {
    const auto end = found.begin() + std::clamp(count, 0, gemm_algorithms);
    offered_ = static_cast<int>(
        std::partition_point(found.begin(), end,
                             [](const auto& result) { return result.state == cublaslt::success; }) -
        found.begin());
  }
  if (offered_ == 0) {
    throw Unsupported(fmt::format(
        "{} has no algorithm for this product of {} on this GPU{}", library_.name(), name_of(dtype),
        status == cublaslt::success ? "" : fmt::format(" ({})", calls.words_of(status))));
  }
  if (rank >= offered_) {
    throw Unsupported(fmt::format("{} offers {} algorithms for this product of {}, none of rank {}",
                                  library_.name(), offered_, name_of(dtype), rank));
  }
  heuristic_ = found[static_cast<std::size_t>(rank)];
}

void GemmProduct::run(const void* a, const void* b, void* d, void* workspace,
                      cudaStream_t stream) const {
  const Type scale = types_of(dtype_).scale;
  const Scalar one = scalar(scale, 1), zero = scalar(scale, 0);
  library_.check(
      library_.calls().matmul(library_.handle(), operation_.get(), &one, a, a_.get(), b, b_.get(),
                              &zero, d, d_.get(), d, d_.get(), &heuristic_.algorithm, workspace,
                              heuristic_.workspace_bytes, stream),
      "multiplying");
}

}  // namespace kernels::cuda
