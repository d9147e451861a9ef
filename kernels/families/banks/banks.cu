// The kernel of reads of shared memory with conflicts of its banks.
#include "kernels/families/banks/banks_arguments.hpp"
#include "kernels/families/banks/banks_body.hpp"

namespace kernels::cuda {

__global__ void __launch_bounds__(banks_threads) banks_kernel(BanksArguments args) {
  __shared__ std::uint32_t table[bank_table];
  for (unsigned i = threadIdx.x; i < bank_table; i += banks_threads) table[i] = args.words[i];
  __syncthreads();
  const std::uint64_t group =
      args.first_group + std::uint64_t{blockIdx.x} * banks_warps + threadIdx.x / 32;
  if (group >= args.groups) return;  // a warp as a whole
  const unsigned lane = threadIdx.x % 32;
  std::uint32_t sum = banks_thread(table, args, group, lane);
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(0xffffffffU, sum, lanes);
  if (lane == 0) args.sums[group] = sum;
}

const void* banks_function() { return reinterpret_cast<const void*>(&banks_kernel); }

}  // namespace kernels::cuda
