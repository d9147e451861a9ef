// What stands behind the fake runtime: memory, one stream, and the virtual clock. For its calls
// alone.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "fake_runtime.hpp"
#include "kernels/cuda/bodies/arguments.hpp"

namespace fake_cuda {

enum class Kind { work, hold, probe };
struct Registered {
  std::size_t argument_bytes;
  Kernel run;
  Kind kind;
  const void* sort;  // of its arguments
};
struct Launched {
  const Registered* kernel;
  std::uint64_t blocks;
  std::vector<std::max_align_t> arguments;
};
struct Event {
  double at = 0;
  int device = 0;
};
using Graph = std::vector<Launched>;

// One stream, which executes at once; a capture only collects.
struct Machine {
  std::deque<Registered> kernels;
  double now = 0;
  double last_wait = 0;
  std::optional<double> held_at{};  // when the last hold began that nobody has waited for
  bool capturing = false;
  bool unfinished = false;  // work was enqueued since the last wait that ended
  const kernels::cuda::HoldFlags* held = nullptr;  // of the last hold
  int device = 0;
  Graph captured;
  std::map<void*, std::size_t> allocated;
  std::map<void*, int> device_of;               // of allocated
  std::map<void*, std::size_t> host_allocated;  // a GPU that was given up keeps its part
};
Machine& machine();

/// Puts a launch on a stream, or into the graph that is captured.
cudaError_t enqueue(const void* function, std::uint64_t blocks, void** arguments, cudaStream_t);
/// The place of a launch: all kernels are launched by one line of the code, so by the sort of
/// kernel, too.
const void* place_of(const void* from, const void* function);
/// Runs a launch at once, and lets its time pass.
void execute(Launched);
/// Notes on which stream a call enqueues.
void enqueued_on(cudaStream_t);
/// Notes that the current device has a context.
void start();
/// What the call of this number returns, where it is to fail.
cudaError_t called(const char* function, const void* from);
/// Of calls that wait for the device.
void wait_for_device();
/// Whether host memory is page-locked.
bool is_page_locked(const void*);

}  // namespace fake_cuda
