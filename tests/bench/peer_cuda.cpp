// The copy that everybody calls: cudaMemcpy from device to device.
#include <cuda_runtime.h>

#include <cstdlib>

#include "tests/bench/peers.hpp"

namespace bench {
namespace {

constexpr std::size_t bytes = std::size_t{1} << 30;

/// Device memory for one buffer; null when there is not enough.
struct DeviceBuffer {
  void* data = nullptr;
  DeviceBuffer() {
    if (cudaMalloc(&data, bytes) != cudaSuccess) data = nullptr;
  }
  ~DeviceBuffer() { cudaFree(data); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
};

Turn copy_turn(int ordinal) {
  if (cudaSetDevice(ordinal) != cudaSuccess) return {.why = "CUDA cannot use the device"};
  const DeviceBuffer from, to;
  if (from.data == nullptr || to.data == nullptr) return {.why = "there is not enough memory"};
  cudaMemset(from.data, 1, bytes);
  // Twenty in a row, so that starting and waiting are the least of the time.
  constexpr int copies = 20;
  bool failed = false;
  const Turn turn = turn_of(2.0 * copies * static_cast<double>(bytes), [&] {
    for (int i = 0; i < copies; ++i) {
      failed |= cudaMemcpyAsync(to.data, from.data, bytes, cudaMemcpyDeviceToDevice) != cudaSuccess;
    }
    failed |= cudaDeviceSynchronize() != cudaSuccess;
  });
  return failed ? Turn{.why = "the copy failed"} : turn;
}

}  // namespace

void add_cuda_memcpy(Peers& peers, const kernels::DeviceInfo& device) {
  if (device.kind != "cuda") return;
  const int ordinal = std::atoi(device.id.c_str() + sizeof("cuda:") - 1);
  peers.found.push_back({"DRAM copy", "cudaMemcpy", "device to device",
                         "bytes read and written, theirs over 2 GiB",
                         [ordinal] { return copy_turn(ordinal); }});
}

}  // namespace bench
