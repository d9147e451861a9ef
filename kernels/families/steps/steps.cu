// Kernels of small steps that depend on each other.
#include "kernels/families/steps/steps_arguments.hpp"
#include "kernels/families/steps/steps_body.hpp"

namespace kernels::cuda {
namespace {

__device__ Place here() {
  return {blockIdx.x, threadIdx.x, static_cast<std::uint32_t>(step_threads)};
}

__global__ void __launch_bounds__(step_threads) step_kernel(StepArguments args) {
  step_thread(args.in, args.odd, args.elements, here());
}

/// Lets the next kernel of the stream begin, and waits for the end of the one before. Before
/// compute capability 9.0 kernels cannot, and the host refuses.
__global__ void __launch_bounds__(step_threads) dependent_step_kernel(StepArguments args) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
  step_thread(args.in, args.odd, args.elements, here());
}

/// Waits until every block of the launch has ended its step, which is number `step`.
__device__ void wait_for_all(std::uint32_t* arrived, std::uint32_t step) {
  __threadfence();  // what this block wrote is to be seen before it has arrived
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1U);
    const volatile std::uint32_t* const seen = arrived;
    while (*seen < step * gridDim.x) {
    }
  }
  __syncthreads();
  __threadfence();  // and what others wrote, in place of what the L1 holds
}

__global__ void __launch_bounds__(step_threads) persistent_steps_kernel(StepArguments args) {
  const float* from = args.in;
  for (std::uint32_t step = 1; step <= args.steps; ++step) {
    float* const to = step % 2 == 1 ? args.odd : args.even;
    step_thread(from, to, args.elements, here());
    wait_for_all(args.arrived, step);
    from = to;
  }
}

}  // namespace

StepKernels step_kernels() {
  return {reinterpret_cast<const void*>(&step_kernel),
          reinterpret_cast<const void*>(&dependent_step_kernel),
          reinterpret_cast<const void*>(&persistent_steps_kernel)};
}

}  // namespace kernels::cuda
