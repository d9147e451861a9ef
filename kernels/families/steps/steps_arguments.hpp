// What the host hands to the kernels of steps, and their entry points. Plain C++.
#pragma once

#include <cstdint>

namespace kernels::cuda {

/// Arguments of steps, a thread per element: one step from `in` to `odd`, or `steps` in one launch,
/// the second of which is from `odd` to `even` and the third back to `odd`.
struct StepArguments {
  const float* in;
  float* odd;
  float* even;
  std::uint32_t* arrived;  ///< of one launch: blocks that have ended a step, all together; 0 before
  std::uint32_t elements;
  std::uint32_t steps;
};

/// Small steps, each of which needs the one before it: take StepArguments.
struct StepKernels {
  const void* plain;       ///< one step
  const void* dependent;   ///< one step, which may be launched before the one before it has ended
  const void* persistent;  ///< all steps, in a cooperative launch
};
StepKernels step_kernels();

}  // namespace kernels::cuda
