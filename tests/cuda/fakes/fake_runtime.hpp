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
  double launch_seconds = 5e-6;  ///< virtual time of every launch
  double block_seconds = 0;      ///< and of each of its blocks
  int fail_query = 0;            ///< a cudaError_t for cudaEventQuery, when not 0
  int fail_launch = 0;           ///< and for cudaLaunchKernel
  int fail_instantiate = 0;      ///< and for cudaGraphInstantiate
  int devices = 1;
  int hung_device = -1;        ///< work of this device never ends
  std::uint64_t hangs = 0;     ///< calls that would have waited for the hung device for ever
  double sm_clock_hz = 1.5e9;  ///< what the probe's counters tell
  double probe_timer_seconds = 150e-6;  ///< by how much the GPU's timer advances meanwhile
  std::function<void()> on_launch;      ///< called after every kernel that is no hold
  std::function<void(void* arguments)>
      before_chain;  ///< may change the arguments of a chain kernel
  std::function<void(const void* arguments)> after_chain;
  std::uint64_t launches = 0;  ///< kernels executed, holds not counted
  std::uint64_t holds = 0;
  std::uint64_t graph_launches = 0;
  std::uint64_t probes = 0;
  double longest_unwaited = 0;  ///< virtual seconds queued between two waits
  const char* name = "Emulated GPU";
  bool mps = false;  ///< other processes run kernels at the same time
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

/// The entry points of the kernels that hold a stream, which takes no time and counts as a hold,
/// and that read the clock behind a timed region, which counts as a probe.
const void* add_hold();
const void* add_probe();

/// Frees what a GPU that was given up kept, as the end of a program does.
void end_program();

/// Virtual seconds since the program began, and how they pass.
double now();
void pass(double seconds);

}  // namespace fake_cuda
