#include "fake_runtime.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "kernels/cuda/runtime/helpers.hpp"
#include "kernels/cuda/runtime/host_time.hpp"

namespace fake_cuda {
namespace {

enum class Kind { work, hold, probe };
struct Registered {
  std::size_t argument_bytes;
  Kernel run;
  Kind kind;
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
  bool capturing = false;
  int device = 0;
  Graph captured;
  std::map<void*, std::size_t> allocated;
  std::set<void*> host_allocated;  // a GPU that was given up keeps its part
};
Machine& machine() {
  static Machine instance;
  return instance;
}

void read_clock(const Launched& launch) {
  kernels::cuda::ProbeArguments arguments;
  std::memcpy(&arguments, launch.arguments.data(), sizeof(arguments));
  for (std::uint64_t block = 0; block < launch.blocks; ++block) {
    const double seconds = state().probe_timer_seconds;
    arguments.samples[block] = {static_cast<std::uint64_t>(state().sm_clock_hz * seconds),
                                static_cast<std::uint64_t>(seconds * 1e9)};
  }
  machine().now += static_cast<double>(arguments.nanoseconds) * 1e-9;
  ++state().probes;
}

void execute(const Launched& launch) {
  if (launch.kernel->kind == Kind::hold) {
    ++state().holds;
    return;
  }
  if (launch.kernel->kind == Kind::probe) return read_clock(launch);
  launch.kernel->run(launch.arguments.data(), launch.blocks);
  ++state().launches;
  machine().now +=
      state().launch_seconds + state().block_seconds * static_cast<double>(launch.blocks);
  if (state().on_launch) state().on_launch();
}

}  // namespace

State& state() {
  static State instance;
  return instance;
}

const void* add_kernel(std::size_t bytes, Kernel run) {
  machine().kernels.push_back({bytes, std::move(run), Kind::work});
  return &machine().kernels.back();
}
const void* add_hold() {
  machine().kernels.push_back({0, {}, Kind::hold});
  return &machine().kernels.back();
}
const void* add_probe() {
  machine().kernels.push_back({sizeof(kernels::cuda::ProbeArguments), {}, Kind::probe});
  return &machine().kernels.back();
}
void end_program() {
  for (const auto& [block, size] : machine().allocated) std::free(block);
  for (void* const block : machine().host_allocated) std::free(block);
  machine().allocated.clear();
  machine().host_allocated.clear();
}
double now() { return machine().now; }
void pass(double seconds) { machine().now += seconds; }

namespace {

// Calls that wait for the device.
void wait_for_device() {
  if (machine().device == state().hung_device) ++state().hangs;
}

}  // namespace
}  // namespace fake_cuda

namespace kernels::cuda {

double host_seconds() { return fake_cuda::now(); }
void host_pause(bool near) { fake_cuda::pass(near ? 1e-6 : 50e-6); }

}  // namespace kernels::cuda

using namespace fake_cuda;

extern "C" {

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3, void** arguments, size_t,
                             cudaStream_t) {
  if (state().fail_launch != 0) return static_cast<cudaError_t>(state().fail_launch);
  const auto* const kernel = static_cast<const Registered*>(function);
  Launched launch{kernel, grid.x, {}};
  launch.arguments.resize(kernel->argument_bytes / sizeof(std::max_align_t) + 1);
  if (kernel->argument_bytes > 0) {
    std::memcpy(launch.arguments.data(), arguments[0], kernel->argument_bytes);
  }
  if (machine().capturing) {
    machine().captured.push_back(std::move(launch));
  } else {
    execute(launch);
  }
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** data, size_t bytes) {
  double used = 0;
  for (const auto& [block, size] : machine().allocated) used += static_cast<double>(size);
  if (used + static_cast<double>(bytes) > state().memory_bytes) return cudaErrorMemoryAllocation;
  *data = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  machine().allocated[*data] = bytes;
  return cudaSuccess;
}
cudaError_t cudaFree(void* data) {
  wait_for_device();
  machine().allocated.erase(data);
  std::free(data);
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  double used = 0;
  for (const auto& [block, size] : machine().allocated) used += static_cast<double>(size);
  *total = static_cast<size_t>(state().memory_bytes);
  *free = static_cast<size_t>(std::max(0.0, state().memory_bytes - used));
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) {
  wait_for_device();
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* data, int value, size_t bytes, cudaStream_t) {
  std::memset(data, value, bytes);
  return cudaSuccess;
}
cudaError_t cudaHostAlloc(void** data, size_t bytes, unsigned) {
  *data = std::calloc(1, bytes);
  machine().host_allocated.insert(*data);
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* data) {
  wait_for_device();
  machine().host_allocated.erase(data);
  std::free(data);
  return cudaSuccess;
}
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  *device = host;
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = reinterpret_cast<cudaEvent_t>(new Event{0, machine().device});
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete reinterpret_cast<Event*>(event);
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  reinterpret_cast<Event*>(event)->at = machine().now;
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  Machine& m = machine();
  if (reinterpret_cast<Event*>(event)->device == state().hung_device) return cudaErrorNotReady;
  state().longest_unwaited = std::max(state().longest_unwaited, m.now - m.last_wait);
  m.last_wait = m.now;
  return static_cast<cudaError_t>(state().fail_query);
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  *milliseconds = static_cast<float>(
      (reinterpret_cast<Event*>(end)->at - reinterpret_cast<Event*>(start)->at) * 1e3);
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = nullptr;
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode) {
  machine().capturing = true;
  machine().captured.clear();
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t* graph) {
  machine().capturing = false;
  *graph = reinterpret_cast<cudaGraph_t>(new Graph(std::move(machine().captured)));
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long) {
  if (state().fail_instantiate != 0) return static_cast<cudaError_t>(state().fail_instantiate);
  *executable = reinterpret_cast<cudaGraphExec_t>(new Graph(*reinterpret_cast<Graph*>(graph)));
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete reinterpret_cast<Graph*>(graph);
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  delete reinterpret_cast<Graph*>(executable);
  return cudaSuccess;
}
cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t) {
  ++state().graph_launches;
  for (const Launched& launch : *reinterpret_cast<Graph*>(executable)) execute(launch);
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  machine().device = device;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
  *count = state().devices;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  const std::map<cudaDeviceAttr, int> values{{cudaDevAttrMultiProcessorCount, 2},
                                             {cudaDevAttrClockRate, 1'500'000},
                                             {cudaDevAttrMemoryClockRate, 2'000'000},
                                             {cudaDevAttrL2CacheSize, 1 << 20},
                                             {static_cast<cudaDeviceAttr>(133), state().mps}};
  const auto found = values.find(attribute);
  *value = found == values.end() ? 0 : found->second;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {};
  std::strcpy(properties->name, state().name);
  properties->major = 9;
  properties->totalGlobalMem = static_cast<size_t>(state().memory_bytes);
  return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int) {
  std::strncpy(text, "0000:00:00.0", static_cast<size_t>(length));
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes*, const void*) { return cudaSuccess; }
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*, int, size_t) {
  *blocks = 1;
  return cudaSuccess;
}
cudaError_t cudaGetLastError() { return cudaSuccess; }
const char* cudaGetErrorString(cudaError_t) { return "an emulated error"; }
const char* cudaGetErrorName(cudaError_t) { return "cudaErrorEmulated"; }

}  // extern "C"
