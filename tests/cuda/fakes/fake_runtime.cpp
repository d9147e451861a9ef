// The calls of the fake runtime that allocate, copy, record and launch.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <utility>

#include "fake_machine.hpp"

using namespace fake_cuda;

extern "C" {

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3, void** arguments, size_t,
                             cudaStream_t stream) {
  const void* const place = place_of(__builtin_return_address(0), function);
  if (const auto error = called("cudaLaunchKernel", place)) return error;
  return enqueue(function, grid.x, arguments, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3, void** arguments,
                                        size_t, cudaStream_t stream) {
  const void* const place = place_of(__builtin_return_address(0), function);
  if (const auto error = called("cudaLaunchCooperativeKernel", place)) return error;
  return enqueue(function, grid.x, arguments, stream);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* launch, const void* function,
                                void** arguments) {
  const void* const place = place_of(__builtin_return_address(0), function);
  if (const auto error = called("cudaLaunchKernelExC", place)) return error;
  return enqueue(function, launch->gridDim.x, arguments, launch->stream);
}

cudaError_t cudaMalloc(void** data, size_t bytes) {
  if (const auto error = called("cudaMalloc", __builtin_return_address(0))) return error;
  double used = 0;
  for (const auto& [block, size] : machine().allocated) used += static_cast<double>(size);
  if (used + static_cast<double>(bytes) > state().memory_bytes) return cudaErrorMemoryAllocation;
  *data = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  machine().allocated[*data] = bytes;
  machine().device_of[*data] = machine().device;
  return cudaSuccess;
}
cudaError_t cudaFree(void* data) {
  if (const auto error = called("cudaFree", __builtin_return_address(0))) return error;
  wait_for_device();
  machine().allocated.erase(data);
  if (data != nullptr && machine().device_of[data] != machine().device)
    return cudaErrorInvalidDevice;
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
  const bool within = kind == cudaMemcpyDeviceToDevice;
  const double rate = within ? state().copy_rate / 2 : state().link_rate;
  machine().now += static_cast<double>(bytes) / rate;
  if (!within && !is_page_locked(host)) wait_for_device();
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                size_t bytes, cudaStream_t stream) {
  if (const auto error = called("cudaMemcpyPeerAsync", __builtin_return_address(0))) return error;
  const auto holder = [](const void* place) {
    const auto after = machine().device_of.upper_bound(const_cast<void*>(place));
    return after == machine().device_of.begin() ? -1 : std::prev(after)->second;
  };
  const bool reached = state().reaching.contains({from_device, to_device});
  if (!reached || holder(to) != to_device || holder(from) != from_device)
    return cudaErrorInvalidValue;
  enqueued_on(stream);
  machine().unfinished = true;
  machine().now += static_cast<double>(bytes) / state().peer_rate;
  std::memcpy(to, from, bytes - std::min<size_t>(bytes, state().peer_loses));
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* data, int value, size_t bytes, cudaStream_t stream) {
  if (const auto error = called("cudaMemsetAsync", __builtin_return_address(0))) return error;
  enqueued_on(stream);
  machine().unfinished = true;
  std::memset(data, value, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemset2DAsync(void* data, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  if (const auto error = called("cudaMemset2DAsync", __builtin_return_address(0))) return error;
  enqueued_on(stream);
  machine().unfinished = true;
  for (size_t row = 0; row < height; ++row)
    std::memset(static_cast<unsigned char*>(data) + row * pitch, value, width);
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
  if (const auto error = called("cudaHostGetDevicePointer", __builtin_return_address(0)))
    return error;
  *device = host;
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  if (const auto error = called("cudaEventCreate", __builtin_return_address(0))) return error;
  *event = reinterpret_cast<cudaEvent_t>(new Event{0, machine().device});
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  if (const auto error = called("cudaEventCreateWithFlags", __builtin_return_address(0)))
    return error;
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
  // Work passes its time when it is queued; behind a turn of others it begins when that has passed.
  const double at = reinterpret_cast<Event*>(event)->at;
  const double turn = m.held_at ? state().turn_of_others + at - *m.held_at : 0;
  if (state().turn_of_others > 0 && m.now < at + turn) return cudaErrorNotReady;
  m.held_at.reset();
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
  if (const auto error = called("cudaStreamCreateWithFlags", __builtin_return_address(0)))
    return error;
  start();
  *stream = reinterpret_cast<cudaStream_t>(new char);
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t, unsigned) {
  if (const auto error = called("cudaStreamWaitEvent", __builtin_return_address(0))) return error;
  enqueued_on(stream);  // all streams are one, which executes at once
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (const auto error = called("cudaStreamDestroy", __builtin_return_address(0))) return error;
  delete reinterpret_cast<char*>(stream);
  return cudaSuccess;
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  if (const auto error = called("cudaStreamBeginCapture", __builtin_return_address(0)))
    return error;
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

}  // extern "C"
