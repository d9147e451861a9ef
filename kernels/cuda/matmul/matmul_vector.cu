// Matrix products on vector units.
#include "kernels/cuda/matmul/matmul_tables.hpp"
#include "kernels/cuda/matmul/slice_queue.cuh"
#include "kernels/cuda/matmul/vector_product.hpp"

namespace kernels::cuda {
namespace {

// One block per multiprocessor is promised: in the 128 registers of two, ptxas spills.
template <Dtype dtype>
__global__ void __launch_bounds__(product_threads, 1) matmul_vector_kernel(MatmulArguments args) {
  using Product = VectorProduct<dtype>;
  multiply_tile<Product>(args, [](Product& product, const Slice& slice, int thread) {
    product.multiply(slice, thread);
  });
}

template <Dtype dtype>
MatmulKernel row() {
  return {dtype, reinterpret_cast<const void*>(&matmul_vector_kernel<dtype>)};
}

}  // namespace

std::array<MatmulKernel, 5> matmul_vector_kernels() {
  return {row<Dtype::fp64>(), row<Dtype::fp32>(), row<Dtype::fp16>(), row<Dtype::bf16>(),
          row<Dtype::int8>()};
}

}  // namespace kernels::cuda
