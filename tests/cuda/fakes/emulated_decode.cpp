// The kernels of packed weights times a batch, on the emulated runtime.
#include "emulation.hpp"
#include "fake_runtime.hpp"
#include "kernels/cuda/trials/tables.hpp"
#include "kernels/families/decode/decode_arguments.hpp"
#include "kernels/families/decode/decode_body.hpp"

namespace kernels::cuda {
namespace {

/// A warp: the sums of its lanes, and what lane 0 stores.
template <int bits, int batch>
void decode_warp(const DecodeArguments& args, Place first_lane) {
  using Lane = DecodeLane<bits, batch>;
  const Lane first(args, first_lane);
  if (!first.has_rows()) return;
  for (std::uint32_t entry = 0; entry < args.batch; entry += batch) {
    typename Lane::Sums sums = {}, of_lane;
    for (std::uint32_t lane = 0; lane < decode_lanes; ++lane) {
      Lane(args, {first_lane.block, first_lane.thread + lane, first_lane.threads})
          .sum(entry, of_lane);
      for (int r = 0; r < warp_rows; ++r)
        for (int b = 0; b < batch; ++b) sums[r][b] += of_lane[r][b];
    }
    for (int r = 0; r < warp_rows; ++r)
      for (int b = 0; b < batch; ++b) first.store(entry, r, b, sums[r][b]);
  }
}

}  // namespace

std::vector<DecodeKernel> decode_kernels() {
  static const std::vector<DecodeKernel> kernels = [] {
    std::vector<DecodeKernel> all;
    visit_decode([&]<int bits, int batch>() {
      all.push_back(
          {bits, batch,
           fake_cuda::add<DecodeArguments>([](const DecodeArguments& args, std::uint64_t blocks) {
             launch_on_host(blocks, decode_threads, [&](Place place) {
               if (place.thread % decode_lanes == 0) decode_warp<bits, batch>(args, place);
             });
           })});
    });
    return all;
  }();
  return kernels;
}

}  // namespace kernels::cuda
