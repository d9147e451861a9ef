// CUDA calls made safe: return codes become exceptions, device memory is pooled, launches take
// typed arguments.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace kernels::cuda {

/// Throws for every code but cudaSuccess: DeviceLost where the context is beyond repair, else
/// Unsupported. `doing` says what was tried: "launching a kernel".
void check(cudaError_t, std::string_view doing);

/// Throws Unsupported above 2^31 - 1 blocks, the most of a launch.
void refuse_too_many(std::uint64_t blocks);

/// Enqueues blocks x threads of a kernel that takes one `Arguments`. Throws like check, and
/// Unsupported above 2^31 - 1 blocks.
void launch_kernel(const void* function, std::uint64_t blocks, int threads, void* arguments,
                   cudaStream_t stream);

template <class Arguments>
void launch(const void* function, std::uint64_t blocks, int threads, Arguments arguments,
            cudaStream_t stream) {
  launch_kernel(function, blocks, threads, &arguments, stream);
}

/// The same as a cooperative launch, whose blocks all run at once and can wait for each other.
void launch_together(const void* function, std::uint64_t blocks, int threads, void* arguments,
                     cudaStream_t stream);

/// The same, where the launch may begin before the one before it in the stream has ended: its
/// kernel waits for that itself. From compute capability 9.0.
void launch_early(const void* function, std::uint64_t blocks, int threads, void* arguments,
                  cudaStream_t stream);

/// A moment in a stream. Making, recording and reading it throw like check().
class Event {
 public:
  /// One whose time can be read, or one behind which another stream waits.
  enum class Kind { timed, order };

  explicit Event(Kind kind = Kind::timed) {
    check(kind == Kind::timed ? cudaEventCreate(&event_)
                              : cudaEventCreateWithFlags(&event_, cudaEventDisableTiming),
          "creating an event");
  }
  // The code of a lost device: nobody is left to tell.
  ~Event() { static_cast<void>(cudaEventDestroy(event_)); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  cudaEvent_t get() const { return event_; }
  void record(cudaStream_t stream) const {
    check(cudaEventRecord(event_, stream), "recording an event");
  }
  /// Seconds from another one to this.
  double since(const Event& other) const {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, other.event_, event_),
          "reading the time between events");
    return static_cast<double>(milliseconds) * 1e-3;
  }
  /// What `later` is given from now on waits for what `earlier` has been given.
  void order(cudaStream_t earlier, cudaStream_t later) const {
    record(earlier);
    check(cudaStreamWaitEvent(later, event_, 0), "waiting for an event");
  }

 private:
  cudaEvent_t event_ = nullptr;
};

class Pool;

/// A piece of device memory, 256-byte aligned; returns to its pool.
class Buffer {
 public:
  Buffer() = default;
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  ~Buffer();

  void* data() const { return data_; }
  /// Bytes asked for; `guard_bytes` more are allocated behind them, for checks.
  std::size_t bytes() const { return bytes_; }
  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  friend class Pool;
  Buffer(Pool* pool, void* data, std::size_t bytes, std::size_t capacity)
      : pool_(pool), data_(data), bytes_(bytes), capacity_(capacity) {}

  Pool* pool_ = nullptr;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t capacity_ = 0;
};

/// Allocated behind every buffer, so that a check sees what was written beyond its end.
inline constexpr std::size_t guard_bytes = 256;

/// Device memory that trials hand on to one another: a cudaMalloc of gigabytes takes milliseconds.
class Pool {
 public:
  /// `finish` waits for all enqueued work, with a limit; freeing would wait for it without one.
  explicit Pool(std::function<void()> finish) : finish_(std::move(finish)) {}
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// Throws Unsupported with the sizes when the device has not as much.
  Buffer take(double bytes);
  /// Bytes that take() could still hand out. Throws like check().
  double free_bytes() const;
  /// Frees nothing from now on: that would wait for a GPU that does not answer.
  void abandon() { abandoned_ = true; }

 private:
  friend class Buffer;
  struct Block {
    void* data;
    std::size_t capacity;
  };
  void give_back(Block);
  void release_idle();

  std::function<void()> finish_;
  std::vector<Block> idle_;
  bool abandoned_ = false;
};

}  // namespace kernels::cuda
