// What trials need that move data: memory of the host and of another GPU.
#pragma once

#include <cuda_runtime.h>
#include <fmt/format.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/cuda/runtime/device.hpp"
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

/// Memory of another GPU, which this one can write (peer_of). Starts the other's context, which can
/// take seconds. Throws Unsupported: what the other GPU refuses is no fault of this one.
class PeerMemory {
 public:
  PeerMemory(const Gpu& gpu, int peer, std::uint64_t bytes) : gpu_(gpu), peer_(peer) {
    if (was_given_up(peer)) throw Unsupported(fmt::format("cuda:{} has stopped responding", peer));
    const cudaError_t reached = cudaDeviceEnablePeerAccess(peer, 0);
    if (reached == cudaErrorPeerAccessAlreadyEnabled)
      static_cast<void>(cudaGetLastError());
    else
      refuse(reached, "reaching");
    const Selected other(peer_, gpu_.ordinal());
    refuse(other.error(), "selecting");
    refuse(cudaMalloc(&data_, bytes), "allocating memory of");
  }
  ~PeerMemory() {
    // As of HostMemory.
    if (gpu_.timer().gave_up() || was_given_up(peer_)) return;
    const Selected other(peer_, gpu_.ordinal());
    if (other.error() == cudaSuccess) static_cast<void>(cudaFree(data_));
  }
  PeerMemory(const PeerMemory&) = delete;
  PeerMemory& operator=(const PeerMemory&) = delete;

  int peer() const { return peer_; }
  unsigned char* data() const { return static_cast<unsigned char*>(data_); }

 private:
  /// Makes the other GPU the current one of this thread, for as long as it lives.
  class Selected {
   public:
    Selected(int other, int own) : own_(own), error_(cudaSetDevice(other)) {}
    ~Selected() { static_cast<void>(cudaSetDevice(own_)); }
    Selected(const Selected&) = delete;
    Selected& operator=(const Selected&) = delete;

    cudaError_t error() const { return error_; }

   private:
    int own_;
    cudaError_t error_;
  };

  void refuse(cudaError_t error, std::string_view doing) const {
    if (error == cudaSuccess) return;
    static_cast<void>(cudaGetLastError());
    throw Unsupported(fmt::format("CUDA: {} cuda:{} failed: {} ({})", doing, peer_,
                                  cudaGetErrorString(error), cudaGetErrorName(error)));
  }

  const Gpu& gpu_;
  int peer_;
  void* data_ = nullptr;
};

}  // namespace kernels::cuda
