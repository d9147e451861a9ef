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

#include "kernels/cuda/bodies/arguments.hpp"
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
  bool unfinished = false;  // work was enqueued since the last wait that ended
  const kernels::cuda::HoldFlags* held = nullptr;  // of the last hold
  int device = 0;
  Graph captured;
  std::map<void*, std::size_t> allocated;
  std::map<void*, std::size_t> host_allocated;  // a GPU that was given up keeps its part
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

double seconds_of(const Launched& launch) {
  const State& s = state();
  if (s.seconds_of) {
    const auto given = s.seconds_of(launch.kernel, launch.arguments.data(), launch.blocks);
    if (given) return *given;
  }
  return s.launch_seconds + s.block_seconds * static_cast<double>(launch.blocks);
}

void hold_stream(const Launched& launch) {
  ++state().holds;
  kernels::cuda::HoldArguments arguments;
  std::memcpy(&arguments, launch.arguments.data(), sizeof(arguments));
  machine().held = arguments.flags;
  if (state().expiring_holds == 0 || arguments.flags->release != 0) return;
  --state().expiring_holds;
  arguments.flags->expired = 1;
  machine().now += 0.1;
}

void execute(Launched launch) {
  if (launch.kernel->kind == Kind::hold) return hold_stream(launch);
  if (launch.kernel->kind == Kind::probe) return read_clock(launch);
  if (state().before_kernel) state().before_kernel(launch.kernel, launch.arguments.data());
  // What waits for a hold to be released is timed.
  const bool timed = machine().held != nullptr && machine().held->release == 0;
  if (!timed || state().timed_runs_compute) {
    launch.kernel->run(launch.arguments.data(), launch.blocks);
  }
  ++state().launches;
  machine().now += seconds_of(launch);
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
  machine().kernels.push_back({sizeof(kernels::cuda::HoldArguments), {}, Kind::hold});
  return &machine().kernels.back();
}
const void* add_probe() {
  machine().kernels.push_back({sizeof(kernels::cuda::ProbeArguments), {}, Kind::probe});
  return &machine().kernels.back();
}
void end_program() {
  for (const auto& [block, size] : machine().allocated) std::free(block);
  for (const auto& [block, size] : machine().host_allocated) std::free(block);
  machine().allocated.clear();
  machine().host_allocated.clear();
}
double now() { return machine().now; }
void pass(double seconds) { machine().now += seconds; }

namespace {

void enqueued_on(cudaStream_t stream) {
  if (stream == nullptr || stream == cudaStreamLegacy) ++state().legacy_calls;
}

void start() { state().started.insert(machine().device); }

// What the call of this number returns, where it is to fail.
cudaError_t called(const char* function, const void* from) {
  State& s = state();
  ++s.calls;
  if (s.on_call) s.on_call(function, from);
  const bool now = s.calls == s.fault.call;
  if (now && s.fault.hangs) s.hung_device = machine().device;
  if (s.fault.hangs || (!now && !(s.fault.lasts && s.fault.call != 0 && s.calls > s.fault.call))) {
    return cudaSuccess;
  }
  if (now) s.failed_function = function;
  return static_cast<cudaError_t>(s.fault.error);
}

bool is_page_locked(const void* place) {
  const auto* const byte = static_cast<const char*>(place);
  return std::ranges::any_of(machine().host_allocated, [&](const auto& block) {
    const auto* const begin = static_cast<const char*>(block.first);
    return byte >= begin && byte < begin + block.second;
  });
}

// Calls that wait for the device.
void wait_for_device() {
  if (machine().device == state().hung_device && machine().unfinished) ++state().hangs;
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
                             cudaStream_t stream) {
  if (const auto error = called("cudaLaunchKernel", __builtin_return_address(0))) return error;
  enqueued_on(stream);
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
    machine().unfinished = true;
    execute(launch);
  }
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** data, size_t bytes) {
  if (const auto error = called("cudaMalloc", __builtin_return_address(0))) return error;
  double used = 0;
  for (const auto& [block, size] : machine().allocated) used += static_cast<double>(size);
  if (used + static_cast<double>(bytes) > state().memory_bytes) return cudaErrorMemoryAllocation;
  *data = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  machine().allocated[*data] = bytes;
  return cudaSuccess;
}
cudaError_t cudaFree(void* data) {
  if (const auto error = called("cudaFree", __builtin_return_address(0))) return error;
  wait_for_device();
  machine().allocated.erase(data);
  std::free(data);
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  if (const auto error = called("cudaMemGetInfo", __builtin_return_address(0))) return error;
  start();
  double used = 0;
  for (const auto& [block, size] : machine().allocated) used += static_cast<double>(size);
  *total = static_cast<size_t>(state().memory_bytes);
  *free = static_cast<size_t>(std::max(0.0, state().memory_bytes - used));
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) {
  if (const auto error = called("cudaMemcpy", __builtin_return_address(0))) return error;
  enqueued_on(nullptr);
  wait_for_device();
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  if (const auto error = called("cudaMemcpyAsync", __builtin_return_address(0))) return error;
  enqueued_on(stream);
  machine().unfinished = true;
  const void* const host = kind == cudaMemcpyHostToDevice ? from : to;
  if (!is_page_locked(host)) wait_for_device();
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* data, int value, size_t bytes, cudaStream_t stream) {
  if (const auto error = called("cudaMemsetAsync", __builtin_return_address(0))) return error;
  enqueued_on(stream);
  machine().unfinished = true;
  std::memset(data, value, bytes);
  return cudaSuccess;
}
cudaError_t cudaHostAlloc(void** data, size_t bytes, unsigned) {
  if (const auto error = called("cudaHostAlloc", __builtin_return_address(0))) return error;
  *data = std::calloc(1, bytes);
  machine().host_allocated[*data] = bytes;
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* data) {
  if (const auto error = called("cudaFreeHost", __builtin_return_address(0))) return error;
  wait_for_device();
  machine().host_allocated.erase(data);
  machine().held = nullptr;
  std::free(data);
  return cudaSuccess;
}
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  if (const auto error = called("cudaHostGetDevicePointer", __builtin_return_address(0))) return error;
  *device = host;
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  if (const auto error = called("cudaEventCreate", __builtin_return_address(0))) return error;
  *event = reinterpret_cast<cudaEvent_t>(new Event{0, machine().device});
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (const auto error = called("cudaEventDestroy", __builtin_return_address(0))) return error;
  delete reinterpret_cast<Event*>(event);
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (const auto error = called("cudaEventRecord", __builtin_return_address(0))) return error;
  enqueued_on(stream);
  reinterpret_cast<Event*>(event)->at = machine().now;
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  if (const auto error = called("cudaEventQuery", __builtin_return_address(0))) return error;
  Machine& m = machine();
  if (reinterpret_cast<Event*>(event)->device == state().hung_device) return cudaErrorNotReady;
  state().longest_unwaited = std::max(state().longest_unwaited, m.now - m.last_wait);
  m.last_wait = m.now;
  m.unfinished = false;
  return static_cast<cudaError_t>(state().fail_query);
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  if (const auto error = called("cudaEventElapsedTime", __builtin_return_address(0))) return error;
  *milliseconds = static_cast<float>(
      (reinterpret_cast<Event*>(end)->at - reinterpret_cast<Event*>(start)->at) * 1e3);
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  if (const auto error = called("cudaStreamCreateWithFlags", __builtin_return_address(0))) return error;
  start();
  *stream = reinterpret_cast<cudaStream_t>(new char);
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (const auto error = called("cudaStreamDestroy", __builtin_return_address(0))) return error;
  delete reinterpret_cast<char*>(stream);
  return cudaSuccess;
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  if (const auto error = called("cudaStreamBeginCapture", __builtin_return_address(0))) return error;
  enqueued_on(stream);
  machine().capturing = true;
  machine().captured.clear();
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t* graph) {
  machine().capturing = false;  // however it ends
  if (const auto error = called("cudaStreamEndCapture", __builtin_return_address(0))) return error;
  *graph = reinterpret_cast<cudaGraph_t>(new Graph(std::move(machine().captured)));
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long) {
  if (const auto error = called("cudaGraphInstantiate", __builtin_return_address(0))) return error;
  if (state().fail_instantiate != 0) return static_cast<cudaError_t>(state().fail_instantiate);
  *executable = reinterpret_cast<cudaGraphExec_t>(new Graph(*reinterpret_cast<Graph*>(graph)));
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  if (const auto error = called("cudaGraphDestroy", __builtin_return_address(0))) return error;
  delete reinterpret_cast<Graph*>(graph);
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  if (const auto error = called("cudaGraphExecDestroy", __builtin_return_address(0))) return error;
  delete reinterpret_cast<Graph*>(executable);
  return cudaSuccess;
}
cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) {
  if (const auto error = called("cudaGraphUpload", __builtin_return_address(0))) return error;
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  if (const auto error = called("cudaGraphLaunch", __builtin_return_address(0))) return error;
  enqueued_on(stream);
  machine().unfinished = true;
  ++state().graph_launches;
  for (const Launched& launch : *reinterpret_cast<Graph*>(executable)) execute(launch);
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  if (const auto error = called("cudaSetDevice", __builtin_return_address(0))) return error;
  machine().device = device;
  start();  // since CUDA 12
  return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
  if (const auto error = called("cudaGetDeviceCount", __builtin_return_address(0))) return error;
  *count = state().devices;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  if (const auto error = called("cudaDeviceGetAttribute", __builtin_return_address(0))) return error;
  const std::map<cudaDeviceAttr, int> values{{cudaDevAttrMultiProcessorCount, 2},
                                             {cudaDevAttrClockRate, 1'500'000},
                                             {cudaDevAttrMemoryClockRate, 2'000'000},
                                             {cudaDevAttrL2CacheSize, 1 << 20},
                                             {static_cast<cudaDeviceAttr>(133), state().mps},
                                             {cudaDevAttrComputeCapabilityMajor, 9}};
  const auto found = values.find(attribute);
  *value = found == values.end() ? 0 : found->second;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  if (const auto error = called("cudaGetDeviceProperties", __builtin_return_address(0))) return error;
  *properties = {};
  std::strcpy(properties->name, state().name);
  properties->major = 9;
  properties->multiProcessorCount = 2;
  properties->totalGlobalMem = static_cast<size_t>(state().memory_bytes);
  return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int) {
  if (const auto error = called("cudaDeviceGetPCIBusId", __builtin_return_address(0))) return error;
  std::strncpy(text, "0000:00:00.0", static_cast<size_t>(length));
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  if (const auto error = called("cudaDriverGetVersion", __builtin_return_address(0))) return error;
  *version = 13000;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  if (const auto error = called("cudaRuntimeGetVersion", __builtin_return_address(0))) return error;
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes*, const void*) {
  if (const auto error = called("cudaFuncGetAttributes", __builtin_return_address(0))) return error;
  start();
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*, int, size_t) {
  const auto error = called("cudaOccupancyMaxActiveBlocksPerMultiprocessor", __builtin_return_address(0));
  if (error) return error;
  *blocks = state().blocks_per_multiprocessor;
  return cudaSuccess;
}
cudaError_t cudaGetLastError() { return cudaSuccess; }
const char* cudaGetErrorString(cudaError_t) { return "an emulated error"; }
const char* cudaGetErrorName(cudaError_t) { return "cudaErrorEmulated"; }

}  // extern "C"
