// Tile and peak kernels on matrix units.
#include "kernels/cuda/tables.hpp"
#include "kernels/cuda/tile_matrix.cuh"

namespace kernels::cuda {
namespace {

template <Dtype dtype>
MatrixKernel row() {
  return {dtype, reinterpret_cast<const void*>(&tile_matrix_kernel<dtype>),
          reinterpret_cast<const void*>(&peak_matrix_kernel<dtype>)};
}

}  // namespace

std::array<MatrixKernel, 6> matrix_kernels() {
  return {row<Dtype::fp64>(), row<Dtype::tf32>(), row<Dtype::fp16>(),
          row<Dtype::bf16>(), row<Dtype::fp8>(),  row<Dtype::int8>()};
}

}  // namespace kernels::cuda
