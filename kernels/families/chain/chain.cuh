// The chain kernels, by element type in memory and op, and how a file that instantiates them lists
// them.
#pragma once

#include <array>
#include <tuple>

#include "kernels/cuda/kernels/lanes.cuh"
#include "kernels/cuda/trials/tables.hpp"
#include "kernels/families/chain/chain_body.hpp"

namespace kernels::cuda {

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

/// The part at hand and the next one of each thread, which reads back only what it copied itself,
/// so that no other has to wait for it. What ends in the middle of a block is loaded when it is
/// taken.
class ChainQueue {
 public:
  struct Storage {
    Vector ring[2][many_vectors][chain_threads];
  };

  __device__ explicit ChainQueue(Storage& storage) : storage_(storage) {}

  template <class Part>
  __device__ void start(int stage, const Part& part, const Vector* from) {
    if (!part.inside) return;
#pragma unroll
    for (int v = 0; v < many_vectors; ++v) {
      const auto to = static_cast<std::uint32_t>(
          __cvta_generic_to_shared(&storage_.ring[stage][v][threadIdx.x]));
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from + part.index(v))
                   : "memory");
    }
  }
  /// Ends a part, also one that was not started.
  __device__ void close() { asm volatile("cp.async.commit_group;" ::: "memory"); }
  /// Waits for the older part.
  __device__ void wait() { asm volatile("cp.async.wait_group 1;" ::: "memory"); }

  template <class Part>
  __device__ void take(int stage, const Part& part, const Vector* from,
                       Vector (&data)[many_vectors]) {
    if (!part.inside) return part.load(from, data);
#pragma unroll
    for (int v = 0; v < many_vectors; ++v) data[v] = storage_.ring[stage][v][threadIdx.x];
  }

 private:
  Storage& storage_;
};

#else

struct ChainQueue : NoQueue {
  struct Storage {};
  __device__ explicit ChainQueue(Storage&) {}
};

#endif

__device__ inline Place chain_place() {
  return {blockIdx.x, threadIdx.x, static_cast<std::uint32_t>(chain_threads)};
}

template <class Memory, class Op, int vectors>
__global__ void __launch_bounds__(chain_threads) chain_kernel(ChainArguments args) {
  chain_thread<typename LanesOf<Memory>::Lanes, Op, vectors>(args, chain_place());
}

template <class Memory, class Op>
__global__ void __launch_bounds__(chain_threads) chain_queue_kernel(ChainArguments args) {
  __shared__ ChainQueue::Storage storage;
  ChainQueue queue(storage);
  chain_queue_thread<typename LanesOf<Memory>::Lanes, Op>(args, chain_place(), gridDim.x, queue);
}

/// A row per op.
template <class Memory, class... Ops>
ChainKernels chain_rows(std::tuple<Ops...>) {
  return {ChainKernel{Ops::op,
                      {reinterpret_cast<const void*>(&chain_kernel<Memory, Ops, few_vectors>),
                       reinterpret_cast<const void*>(&chain_kernel<Memory, Ops, many_vectors>),
                       reinterpret_cast<const void*>(&chain_queue_kernel<Memory, Ops>)}}...};
}

}  // namespace kernels::cuda
