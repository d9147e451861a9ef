// Matrix products on vector units.
#include "kernels/cuda/matmul/matmul_tables.hpp"
#include "kernels/cuda/matmul/slice_queue.cuh"
#include "kernels/cuda/matmul/vector_product.hpp"

namespace kernels::cuda {
namespace {

// One block per multiprocessor is promised: in the 128 registers of two, ptxas spills.
template <Dtype dtype, Layout a, Layout b>
__global__ void __launch_bounds__(product_threads, 1) matmul_vector_kernel(MatmulArguments args) {
  using Product = VectorProduct<dtype>;
  using Share = SliceShare<dtype, a, b>;
  multiply_tile<Product, Share>(args, [](Product& product, const Slice& slice, int thread) {
    product.multiply(slice, thread);
  });
}

template <Dtype dtype>
void add(std::vector<MatmulKernel>& rows) {
  visit_layouts<dtype>([&]<Layout a, Layout b>() {
    rows.push_back(
        {dtype, a, b, reinterpret_cast<const void*>(&matmul_vector_kernel<dtype, a, b>)});
  });
}

}  // namespace

std::vector<MatmulKernel> matmul_vector_kernels() {
  std::vector<MatmulKernel> rows;
  add<Dtype::fp64>(rows);
  add<Dtype::fp32>(rows);
  add<Dtype::fp16>(rows);
  add<Dtype::bf16>(rows);
  add<Dtype::int8>(rows);
  return rows;
}

}  // namespace kernels::cuda
