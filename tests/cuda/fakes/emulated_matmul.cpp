// The tables of matrix products, filled with their bodies on the host.
#include "emulated_product.hpp"
#include "fake_runtime.hpp"
#include "kernels/cuda/matmul/matmul_tables.hpp"

namespace kernels::cuda {
namespace {

template <Dtype dtype>
void add_vector(std::vector<MatmulKernel>& rows) {
  visit_layouts<dtype>([&]<Layout a, Layout b>() {
    rows.push_back(
        {dtype, a, b, fake_cuda::add<MatmulArguments>(vector_product_on_host<dtype, a, b>)});
  });
}

// As architecture 9.0 has them, whose mma.sync lacks fp8 alone.
template <Dtype dtype>
void add_matrix(std::vector<MatmulKernel>& rows) {
  visit_layouts<dtype>([&]<Layout a, Layout b>() {
    rows.push_back(
        {dtype, a, b, fake_cuda::add<MatmulArguments>(matrix_product_on_host<dtype, 900, a, b>)});
  });
}

}  // namespace

std::vector<MatmulKernel> matmul_vector_kernels() {
  static std::vector<MatmulKernel> rows;
  if (!rows.empty()) return rows;
  add_vector<Dtype::fp64>(rows);
  add_vector<Dtype::fp32>(rows);
  add_vector<Dtype::fp16>(rows);
  add_vector<Dtype::bf16>(rows);
  add_vector<Dtype::int8>(rows);
  return rows;
}

std::vector<MatmulKernel> matmul_matrix_kernels() {
  static std::vector<MatmulKernel> rows;
  if (!rows.empty()) return rows;
  add_matrix<Dtype::fp64>(rows);
  add_matrix<Dtype::tf32>(rows);
  add_matrix<Dtype::fp16>(rows);
  add_matrix<Dtype::bf16>(rows);
  rows.push_back({Dtype::fp8, Layout::lines, Layout::lines, nullptr});
  add_matrix<Dtype::int8>(rows);
  return rows;
}

}  // namespace kernels::cuda
