// The kernel of divergent branches.
#include "kernels/cuda/bodies/divergence_body.hpp"
#include "kernels/cuda/trials/tables.hpp"

namespace kernels::cuda {

__global__ void __launch_bounds__(block_threads) divergence_kernel(DivergenceArguments args) {
  divergence_thread(args, {blockIdx.x, threadIdx.x, static_cast<std::uint32_t>(block_threads)});
}

const void* divergence_function() { return reinterpret_cast<const void*>(&divergence_kernel); }

}  // namespace kernels::cuda
