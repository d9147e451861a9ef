// What trials need that move data between host and GPU: memory of the host, and events.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "kernels/cuda/runtime/gpu.hpp"
#include "kernels/cuda/runtime/runtime.hpp"

namespace kernels::cuda {

/// Memory of the host, as malloc gives it or page-locked.
class HostMemory {
 public:
  HostMemory(const Gpu& gpu, std::uint64_t bytes, bool pinned) : gpu_(gpu) {
    if (!pinned) {
      pageable_.resize(bytes);
      return;
    }
    check(cudaHostAlloc(&pinned_, bytes, cudaHostAllocMapped), "allocating page-locked memory");
  }
  ~HostMemory() {
    // Freeing waits for the GPU: one that was given up keeps its memory until the program ends. A
    // failing call means a lost device, which the next call reports.
    if (pinned_ != nullptr && !gpu_.timer().gave_up()) static_cast<void>(cudaFreeHost(pinned_));
  }
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  unsigned char* data() {
    return pinned_ != nullptr ? static_cast<unsigned char*>(pinned_) : pageable_.data();
  }
  /// Where a kernel finds it.
  unsigned char* on_device() const {
    void* place = nullptr;
    check(cudaHostGetDevicePointer(&place, pinned_, 0), "mapping host memory");
    return static_cast<unsigned char*>(place);
  }

 private:
  const Gpu& gpu_;
  std::vector<unsigned char> pageable_;
  void* pinned_ = nullptr;
};

/// An event without a time, behind which another stream waits.
class Mark {
 public:
  Mark() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "creating an event"); }
  ~Mark() { static_cast<void>(cudaEventDestroy(event_)); }
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;

  /// What `later` is given from now on waits for what `earlier` has been given.
  void order(cudaStream_t earlier, cudaStream_t later) const {
    check(cudaEventRecord(event_, earlier), "recording an event");
    check(cudaStreamWaitEvent(later, event_, 0), "waiting for an event");
  }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace kernels::cuda
