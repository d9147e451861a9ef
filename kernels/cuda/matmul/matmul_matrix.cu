// Matrix products on matrix units, with mma.sync.
#include "kernels/cuda/kernels/mma.cuh"
#include "kernels/cuda/matmul/matmul_tables.hpp"
#include "kernels/cuda/matmul/matrix_product.hpp"
#include "kernels/cuda/matmul/slice_queue.cuh"

namespace kernels::cuda {
namespace {

// Two blocks per multiprocessor: while one waits for its slice, the other multiplies. Sums of
// doubles leave registers for one.
template <Dtype dtype>
inline constexpr int product_blocks = dtype == Dtype::fp64 ? 1 : 2;

template <Dtype dtype, Layout a, Layout b>
__global__ void __launch_bounds__(product_threads, product_blocks<dtype>)
    matmul_matrix_kernel(MatmulArguments args) {
  if constexpr (mma_shape(dtype, this_architecture).native()) {
    using Product = MatrixProduct<dtype, this_architecture>;
    using Share = SliceShare<dtype, a, b>;
    multiply_tile<Product, Share>(args, [](Product& product, const Slice& slice, int thread) {
      product.template multiply<Mma<dtype>>(slice, thread);
    });
  }
}

template <Dtype dtype>
void add(std::vector<MatmulKernel>& rows) {
  visit_layouts<dtype>([&]<Layout a, Layout b>() {
    rows.push_back(
        {dtype, a, b, reinterpret_cast<const void*>(&matmul_matrix_kernel<dtype, a, b>)});
  });
}

}  // namespace

std::vector<MatmulKernel> matmul_matrix_kernels() {
  std::vector<MatmulKernel> rows;
  add<Dtype::fp64>(rows);
  add<Dtype::tf32>(rows);
  add<Dtype::fp16>(rows);
  add<Dtype::bf16>(rows);
  add<Dtype::fp8>(rows);
  add<Dtype::int8>(rows);
  return rows;
}

}  // namespace kernels::cuda
