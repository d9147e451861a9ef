// The kernel of strided reads.
#include "kernels/families/strided/strided_arguments.hpp"
#include "kernels/families/strided/strided_body.hpp"

namespace kernels::cuda {

__global__ void __launch_bounds__(strided_threads) strided_kernel(StridedArguments args) {
  const Place place{blockIdx.x, threadIdx.x, static_cast<std::uint32_t>(strided_threads)};
  const std::uint64_t group = strided_group_of(args, place);
  if (group >= args.groups) return;  // a warp as a whole
  std::uint32_t sum = strided_thread(args, place);
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(0xffffffffU, sum, lanes);
  if (threadIdx.x % 32 == 0) args.sums[group] = sum;
}

const void* strided_function() { return reinterpret_cast<const void*>(&strided_kernel); }

}  // namespace kernels::cuda
