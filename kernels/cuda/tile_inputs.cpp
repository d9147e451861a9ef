#include "kernels/cuda/tile_inputs.hpp"

#include "kernels/cuda/inspect.hpp"
#include "kernels/reference.hpp"

namespace kernels::cuda {

TileInputs::TileInputs(Gpu& gpu, Dtype dtype, std::uint64_t tiles)
    : dtype_(dtype),
      seed_a_(gpu.next_seed()),
      seed_b_(gpu.next_seed()),
      a_(gpu.pool().take(static_cast<double>(tiles) * static_cast<double>(tile_rows) *
                         static_cast<double>(tile_row_bytes))),
      b_(gpu.pool().take(static_cast<double>(tile_row_bytes * tile_columns))) {
  gpu.fill(a_.data(), dtype, tiles * tile_elements(dtype), seed_a_);
  gpu.fill(b_.data(), dtype, tile_depth(dtype) * tile_columns, seed_b_);
}

TileOperands TileInputs::operands(std::uint64_t tile) const {
  TileOperands values{dtype_, {}, {}};
  const std::uint64_t count = tile_elements(dtype_);
  for (std::uint64_t i = 0; i < count; ++i) {
    values.a.push_back(random_element(dtype_, seed_a_, tile * count + i));
  }
  for (std::uint64_t i = 0; i < tile_depth(dtype_) * tile_columns; ++i) {
    values.b.push_back(random_element(dtype_, seed_b_, i));
  }
  return values;
}

double accumulator_value(Dtype dtype, const std::vector<unsigned char>& bytes, std::size_t i) {
  const std::size_t size = info_of(dtype).accumulator_size;
  const Dtype accumulator = info_of(dtype).integer ? Dtype::int32
                            : size == 8            ? Dtype::fp64
                                                   : Dtype::fp32;
  return decode(accumulator, element_bits(bytes, size, i));
}

}  // namespace kernels::cuda
