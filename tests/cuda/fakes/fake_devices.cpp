// The calls of the fake runtime about devices and kernels.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "fake_machine.hpp"

using namespace fake_cuda;

extern "C" {

cudaError_t cudaSetDevice(int device) {
  if (const auto error = called("cudaSetDevice", __builtin_return_address(0))) return error;
  machine().device = device;
  start();  // since CUDA 12
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  if (const auto error = called("cudaGetDevice", __builtin_return_address(0))) return error;
  *device = machine().device;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
  if (const auto error = called("cudaGetDeviceCount", __builtin_return_address(0))) return error;
  *count = state().devices;
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* reaches, int device, int peer) {
  if (const auto error = called("cudaDeviceCanAccessPeer", __builtin_return_address(0)))
    return error;
  if (device == peer || std::max(device, peer) >= state().devices) return cudaErrorInvalidDevice;
  *reaches = state().devices_reach_each_other ? 1 : 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
  if (const auto error = called("cudaDeviceEnablePeerAccess", __builtin_return_address(0)))
    return error;
  const bool before = !state().reaching.insert({machine().device, peer}).second;
  return before ? cudaErrorPeerAccessAlreadyEnabled : cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  if (const auto error = called("cudaDeviceGetAttribute", __builtin_return_address(0)))
    return error;
  const std::map<cudaDeviceAttr, int> values{
      {cudaDevAttrMultiProcessorCount, 2},
      {cudaDevAttrClockRate, 1'500'000},
      {cudaDevAttrMemoryClockRate, 2'000'000},
      {cudaDevAttrL2CacheSize, 1 << 20},
      {static_cast<cudaDeviceAttr>(133), state().mps},
      {cudaDevAttrComputeCapabilityMajor, state().capability / 10},
      {cudaDevAttrComputeCapabilityMinor, state().capability % 10}};
  const auto found = values.find(attribute);
  *value = found == values.end() ? 0 : found->second;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  if (const auto error = called("cudaGetDeviceProperties", __builtin_return_address(0)))
    return error;
  *properties = {};
  std::strcpy(properties->name, state().name);
  properties->major = state().capability / 10;
  properties->minor = state().capability % 10;
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
  *version = state().driver_version;
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
  const auto error =
      called("cudaOccupancyMaxActiveBlocksPerMultiprocessor", __builtin_return_address(0));
  if (error) return error;
  *blocks = state().blocks_per_multiprocessor;
  return cudaSuccess;
}
cudaError_t cudaGetLastError() { return cudaSuccess; }
const char* cudaGetErrorString(cudaError_t) { return "an emulated error"; }
const char* cudaGetErrorName(cudaError_t) { return "cudaErrorEmulated"; }

}  // extern "C"
