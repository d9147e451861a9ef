// A CUDA runtime on the host: memory is host memory, kernels are host functions, the clock is
// virtual. It runs the whole backend but the machine code, on machines without a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace fake_cuda {

/// What a test may choose and see.
struct State {
  double memory_bytes = 1 << 28;
  double launch_seconds = 5e-6;     ///< virtual time of every launch
  double block_seconds = 0;         ///< and of each of its blocks
  int fail_query = 0;               ///< a cudaError_t for cudaEventQuery, when not 0
  std::function<void()> on_launch;  ///< called after every kernel that is no hold
  std::function<void(void* arguments)>
      before_chain;  ///< may change the arguments of a chain kernel
  std::function<void(const void* arguments)> after_chain;
  std::uint64_t launches = 0;  ///< kernels executed, holds not counted
  std::uint64_t holds = 0;
  std::uint64_t graph_launches = 0;
  double longest_unwaited = 0;  ///< virtual seconds queued between two waits
};
State& state();

/// A kernel: executes blocks x threads with a copy of its arguments.
using Kernel = std::function<void(const void* arguments, std::uint64_t blocks)>;

/// Registers a kernel; the result stands for its entry point. `bytes` of arguments are copied.
const void* add_kernel(std::size_t bytes, Kernel);

template <class Arguments>
const void* add(std::function<void(const Arguments&, std::uint64_t blocks)> body) {
  return add_kernel(sizeof(Arguments), [body](const void* arguments, std::uint64_t blocks) {
    body(*static_cast<const Arguments*>(arguments), blocks);
  });
}

/// The entry point of the kernel that holds a stream: takes no time, counts as a hold.
const void* add_hold();

}  // namespace fake_cuda
