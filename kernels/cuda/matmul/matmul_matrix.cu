// Matrix products on matrix units, with mma.sync.
#include "kernels/cuda/kernels/mma.cuh"
#include "kernels/cuda/matmul/matmul_tables.hpp"
#include "kernels/cuda/matmul/matrix_product.hpp"
#include "kernels/cuda/matmul/slice_queue.cuh"

namespace kernels::cuda {
namespace {

// Two blocks per multiprocessor: while one waits for its slice, the other multiplies. Sums of doubles
// leave registers for one.
template <Dtype dtype>
inline constexpr int product_blocks = dtype == Dtype::fp64 ? 1 : 2;

template <Dtype dtype>
__global__ void __launch_bounds__(product_threads, product_blocks<dtype>)
    matmul_matrix_kernel(MatmulArguments args) {
  if constexpr (mma_shape(dtype, this_architecture).native()) {
    using Product = MatrixProduct<dtype, this_architecture>;
    multiply_tile<Product>(args, [](Product& product, const Slice& slice, int thread) {
      product.template multiply<Mma<dtype>>(slice, thread);
    });
  }
}

template <Dtype dtype>
MatmulKernel row() {
  return {dtype, reinterpret_cast<const void*>(&matmul_matrix_kernel<dtype>)};
}

}  // namespace

std::array<MatmulKernel, 6> matmul_matrix_kernels() {
  return {row<Dtype::fp64>(), row<Dtype::tf32>(), row<Dtype::fp16>(),
          row<Dtype::bf16>(), row<Dtype::fp8>(),  row<Dtype::int8>()};
}

}  // namespace kernels::cuda
