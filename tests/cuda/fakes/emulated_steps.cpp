// The kernels of small steps, on the emulated runtime.
#include "emulation.hpp"
#include "fake_runtime.hpp"
#include "kernels/cuda/trials/tables.hpp"
#include "kernels/families/steps/steps_arguments.hpp"
#include "kernels/families/steps/steps_body.hpp"

namespace kernels::cuda {
namespace {

void one_step(const StepArguments& args, std::uint64_t blocks) {
  launch_on_host(blocks, step_threads,
                 [&](Place place) { step_thread(args.in, args.odd, args.elements, place); });
}

/// Step by step, as the barrier of the whole launch makes it.
void all_steps(const StepArguments& args, std::uint64_t blocks) {
  StepArguments one = args;
  for (std::uint32_t step = 1; step <= args.steps; ++step) {
    one.odd = step % 2 == 1 ? args.odd : args.even;
    one_step(one, blocks);
    one.in = one.odd;
  }
}

}  // namespace

StepKernels step_kernels() {
  static const StepKernels kernels{.plain = fake_cuda::add<StepArguments>(one_step),
                                   .dependent = fake_cuda::add<StepArguments>(one_step),
                                   .persistent = fake_cuda::add<StepArguments>(all_steps)};
  return kernels;
}

}  // namespace kernels::cuda
