// One GPU as the trials use it: a stream, memory, a clock, and what its architecture runs.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <optional>

#include "kernels/cuda/runtime/runtime.hpp"
#include "kernels/cuda/runtime/timer.hpp"
#include "kernels/cuda/trials/architecture.hpp"
#include "kernels/cuda/trials/tables.hpp"
#include "kernels/device.hpp"

namespace kernels::cuda {

/// Owns a stream; first member that needs the device, last to go.
class Stream {
 public:
  Stream();
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

class Gpu {
 public:
  /// Makes `ordinal` the thread's device and starts its context: can take seconds. Throws like
  /// check().
  explicit Gpu(int ordinal);
  ~Gpu();

  /// Makes this GPU the current one of the calling thread; first in every call from above.
  void activate() const;
  int ordinal() const { return ordinal_; }
  cudaStream_t stream() const { return stream_.get(); }
  int multiprocessors() const { return multiprocessors_; }
  /// Compute capability of the GPU: 90 is 9.0.
  int capability() const { return capability_; }
  double l2_bytes() const { return l2_bytes_; }
  /// Seconds between two events with an empty kernel between them: what a timed region adds to the
  /// time of its work at most. Measured when the GPU was opened.
  double event_floor() const { return event_floor_; }
  /// What runs on it.
  Architecture architecture() const { return {code_, 10 * capability_}; }
  /// Blocks of a kernel that run at once on the whole GPU. Throws when there is no code for the
  /// GPU.
  std::uint64_t resident_blocks(const void* kernel, int threads);
  /// A seed that no trial had before.
  std::uint64_t next_seed() { return ++last_seed_; }

  /// Fills with the first elements of the random tensor of a seed.
  void fill(void* out, Dtype, std::uint64_t elements, std::uint64_t seed);

  /// Enqueues the same byte for all of a buffer. Throws like check().
  void clear(const Buffer& buffer, int byte = 0) const {
    check(cudaMemsetAsync(buffer.data(), byte, buffer.bytes(), stream()), "filling device memory");
  }

  /// Copy between host and device, behind all that is enqueued, and wait for the end. On the
  /// stream: cudaMemcpy runs on the legacy stream, which ours does not wait for, and may return
  /// before data from pageable memory have arrived. Throw like check().
  void read(void* host, const void* device, std::size_t bytes);
  void write(void* device, const void* host, std::size_t bytes);

  Pool& pool() { return pool_; }
  /// 0 for a GPU that was given up.
  double free_bytes() const { return timer_.gave_up() ? 0 : pool_.free_bytes(); }
  Timer& timer() { return timer_; }
  const Timer& timer() const { return timer_; }

 private:
  int code_that_runs();
  double measured_event_floor();

  int ordinal_;
  int multiprocessors_ = 0;
  int capability_ = 0;
  double l2_bytes_ = 0;
  int code_ = 0;  // its __CUDA_ARCH__
  double event_floor_ = 0;
  std::uint64_t last_seed_ = 0;
  Stream stream_;
  Pool pool_;
  Timer timer_;
};

/// A value of cudaDeviceGetAttribute; 0 where the device does not tell.
int attribute(cudaDeviceAttr, int ordinal);
/// The first other GPU whose memory this one can write directly, without a way through the host;
/// nothing where there is none, or the runtime does not tell.
std::optional<int> peer_of(int ordinal);

}  // namespace kernels::cuda
