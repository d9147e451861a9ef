// Vector peak: independent chains that never leave registers. Which form of operands, how many
// chains and how long a loop run fastest differs from device to device, so there are many.
#pragma once

#include <vector>

#include "kernels/cuda/kernels/lanes.cuh"
#include "kernels/cuda/trials/tables.hpp"
#include "kernels/families/peak/peak_list.hpp"

namespace kernels::cuda {

template <class Memory, class Op, PeakForm form, int chains, int unroll>
__global__ void __launch_bounds__(block_threads) peak_kernel(PeakArguments args) {
  peak_thread<typename LanesOf<Memory>::Lanes, Op, form, chains, unroll>(
      args, {blockIdx.x, threadIdx.x, static_cast<std::uint32_t>(block_threads)});
}

/// All peak kernels of a dtype, whose elements in memory are `Memory`.
template <Dtype dtype, class Memory>
std::vector<PeakKernel> peak_rows() {
  std::vector<PeakKernel> rows;
  visit_peaks<dtype>([&]<class Op, PeakForm form, int chains, int unroll>() {
    rows.push_back({Op::op, form, chains, unroll,
                    reinterpret_cast<const void*>(&peak_kernel<Memory, Op, form, chains, unroll>)});
  });
  return rows;
}

}  // namespace kernels::cuda
