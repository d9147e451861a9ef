// Kernels of the operators of small layers.
#include "kernels/families/eager/eager_arguments.hpp"
#include "kernels/families/eager/eager_body.hpp"

namespace kernels::cuda {
namespace {

__device__ Place here() {
  return {blockIdx.x, threadIdx.x, static_cast<std::uint32_t>(layer_threads)};
}

/// The timer of the whole GPU, ns.
__device__ unsigned long long timer() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now)::"memory");
  return now;
}

/// Runs `thread`; where somebody asks, each block leaves when it began and ended.
template <class Thread>
__device__ void traced(const LayerArguments& args, Thread thread) {
  const bool asked = args.begin != nullptr && threadIdx.x == 0;
  if (asked) atomicMin(args.begin, timer());
  thread();
  if (args.begin == nullptr) return;
  __syncthreads();
  if (asked) atomicMax(args.end, timer());
}

template <LayerOp op>
__global__ void __launch_bounds__(layer_threads) layer_op_kernel(LayerArguments args) {
  traced(args, [&] { layer_op_thread<op>(args, here()); });
}

__global__ void __launch_bounds__(layer_threads) layer_kernel(LayerArguments args) {
  traced(args, [&] { layer_thread(args, here()); });
}

template <LayerOp op>
const void* op_kernel() {
  return reinterpret_cast<const void*>(&layer_op_kernel<op>);
}

}  // namespace

LayerKernels layer_kernels() {
  return {{op_kernel<LayerOp::matmul>(), op_kernel<LayerOp::bias>(), op_kernel<LayerOp::relu>(),
           op_kernel<LayerOp::scale>(), op_kernel<LayerOp::residual>()},
          reinterpret_cast<const void*>(&layer_kernel)};
}

}  // namespace kernels::cuda
