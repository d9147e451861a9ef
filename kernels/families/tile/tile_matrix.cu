// Tile and peak kernels on matrix units.
#include "kernels/cuda/trials/tables.hpp"
#include "kernels/families/tile/tile_matrix.cuh"

namespace kernels::cuda {
namespace {

template <Dtype dtype, int tiles>
const void* peak() {
  // Eight tiles of doubles would take all 255 registers of a thread.
  if constexpr (dtype == Dtype::fp64 && tiles == 8) {
    return nullptr;
  } else {
    return reinterpret_cast<const void*>(&peak_matrix_kernel<dtype, tiles>);
  }
}

template <Dtype dtype>
MatrixKernel row() {
  return {dtype,
          reinterpret_cast<const void*>(&tile_matrix_kernel<dtype>),
          {peak<dtype, peak_warp_tiles[0]>(), peak<dtype, peak_warp_tiles[1]>(),
           peak<dtype, peak_warp_tiles[2]>(), peak<dtype, peak_warp_tiles[3]>()}};
}

}  // namespace

std::array<MatrixKernel, 6> matrix_kernels() {
  return {row<Dtype::fp64>(), row<Dtype::tf32>(), row<Dtype::fp16>(),
          row<Dtype::bf16>(), row<Dtype::fp8>(),  row<Dtype::int8>()};
}

}  // namespace kernels::cuda
