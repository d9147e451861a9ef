// Fills tensors with patterns.
#include "kernels/cuda/bodies/pattern.hpp"
#include "kernels/cuda/trials/tables.hpp"

namespace kernels::cuda {
namespace {

template <class Bits>
__device__ void fill(const PatternArguments& args) {
  const std::uint64_t first = static_cast<std::uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::uint64_t step = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = first; i < args.elements; i += step) {
    static_cast<Bits*>(args.out)[i] =
        static_cast<Bits>(pattern_bits(args.pattern, args.dtype, args.seed, i));
  }
}

__global__ void pattern_kernel(PatternArguments args) {
  const std::size_t bytes = size_of(args.dtype);
  if (bytes == 1) fill<std::uint8_t>(args);
  if (bytes == 2) fill<std::uint16_t>(args);
  if (bytes == 4) fill<std::uint32_t>(args);
  if (bytes == 8) fill<std::uint64_t>(args);
}

}  // namespace

const void* pattern_function() { return reinterpret_cast<const void*>(&pattern_kernel); }

}  // namespace kernels::cuda
