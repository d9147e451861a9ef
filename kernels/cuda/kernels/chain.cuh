// The chain kernel, by element type in memory and op, and how a file that instantiates it lists it.
#pragma once

#include <array>
#include <tuple>

#include "kernels/cuda/bodies/chain_body.hpp"
#include "kernels/cuda/kernels/lanes.cuh"
#include "kernels/cuda/trials/tables.hpp"

namespace kernels::cuda {

template <class Memory, class Op>
__global__ void __launch_bounds__(block_threads) chain_kernel(ChainArguments args) {
  chain_thread<typename LanesOf<Memory>::Lanes, Op>(
      args, {blockIdx.x, threadIdx.x, static_cast<std::uint32_t>(block_threads)});
}

/// A row per op.
template <class Memory, class... Ops>
ChainKernels chain_rows(std::tuple<Ops...>) {
  return {ChainKernel{Ops::op, reinterpret_cast<const void*>(&chain_kernel<Memory, Ops>)}...};
}

}  // namespace kernels::cuda
