// The tables of matrix products, filled with their bodies on the host.
#include "emulated_product.hpp"
#include "fake_runtime.hpp"
#include "kernels/cuda/matmul/matmul_tables.hpp"

namespace kernels::cuda {
namespace {

template <Dtype dtype>
MatmulKernel vector_row() {
  return {dtype, fake_cuda::add<MatmulArguments>(vector_product_on_host<dtype>)};
}

// As architecture 9.0 has them, whose mma.sync lacks fp8 alone.
template <Dtype dtype>
MatmulKernel matrix_row() {
  return {dtype, fake_cuda::add<MatmulArguments>(matrix_product_on_host<dtype, 900>)};
}

}  // namespace

std::array<MatmulKernel, 5> matmul_vector_kernels() {
  static const std::array kernels{vector_row<Dtype::fp64>(), vector_row<Dtype::fp32>(),
                                  vector_row<Dtype::fp16>(), vector_row<Dtype::bf16>(),
                                  vector_row<Dtype::int8>()};
  return kernels;
}

std::array<MatmulKernel, 6> matmul_matrix_kernels() {
  static const std::array kernels{matrix_row<Dtype::fp64>(), matrix_row<Dtype::tf32>(),
                                  matrix_row<Dtype::fp16>(), matrix_row<Dtype::bf16>(),
                                  MatmulKernel{Dtype::fp8, nullptr}, matrix_row<Dtype::int8>()};
  return kernels;
}

}  // namespace kernels::cuda
