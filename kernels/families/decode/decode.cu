// The kernels of packed weights times a batch.
#include "kernels/families/decode/decode_arguments.hpp"
#include "kernels/families/decode/decode_body.hpp"

namespace kernels::cuda {
namespace {

/// Blocks on a multiprocessor: else registers for loads far ahead would leave one, and with it half
/// of the accesses in flight. No kernel spills under them.
template <int batch>
constexpr int least_blocks = batch < 4 ? 3 : 2;

template <int bits, int batch>
__global__ void __launch_bounds__(decode_threads, least_blocks<batch>)
    decode_kernel(DecodeArguments args) {
  using Lane = DecodeLane<bits, batch>;
  const Lane lane(args, {blockIdx.x, threadIdx.x, static_cast<std::uint32_t>(decode_threads)});
  if (!lane.has_rows()) return;
#pragma unroll 1
  for (std::uint32_t entry = 0; entry < args.batch; entry += batch) {
    typename Lane::Sums sums;
    lane.sum(entry, sums);
#pragma unroll
    for (int r = 0; r < warp_rows; ++r) {
#pragma unroll
      for (int b = 0; b < batch; ++b) {
        float sum = sums[r][b];
#pragma unroll
        for (int other = decode_lanes / 2; other > 0; other /= 2)
          sum += __shfl_xor_sync(0xffffffffU, sum, other);
        if (lane.lane() == 0) lane.store(entry, r, b, sum);
      }
    }
  }
}

}  // namespace

std::vector<DecodeKernel> decode_kernels() {
  std::vector<DecodeKernel> kernels;
  visit_decode([&]<int bits, int batch>() {
    kernels.push_back({bits, batch, reinterpret_cast<const void*>(&decode_kernel<bits, batch>)});
  });
  return kernels;
}

}  // namespace kernels::cuda
