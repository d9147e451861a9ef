// Tile kernels on vector units.
#include "kernels/cuda/trials/tables.hpp"
#include "kernels/families/tile/tile_vector.cuh"

namespace kernels::cuda {
namespace {

template <Dtype dtype>
TileKernel row() {
  return {dtype, reinterpret_cast<const void*>(&tile_vector_kernel<dtype>)};
}

}  // namespace

std::array<TileKernel, 5> tile_vector_kernels() {
  return {row<Dtype::fp64>(), row<Dtype::fp32>(), row<Dtype::fp16>(), row<Dtype::bf16>(),
          row<Dtype::int8>()};
}

}  // namespace kernels::cuda
