#include "kernels/cuda/runtime/runtime.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "kernels/device.hpp"
#include "kernels/units.hpp"

namespace kernels::cuda {
namespace {

// Errors after which the runtime answers every call of this process with the same error.
constexpr cudaError_t beyond_repair[] = {cudaErrorIllegalAddress,
                                         cudaErrorLaunchTimeout,
                                         cudaErrorLaunchFailure,
                                         cudaErrorHardwareStackError,
                                         cudaErrorIllegalInstruction,
                                         cudaErrorMisalignedAddress,
                                         cudaErrorInvalidAddressSpace,
                                         cudaErrorInvalidPc,
                                         cudaErrorAssert,
                                         cudaErrorECCUncorrectable,
                                         cudaErrorNvlinkUncorrectable,
                                         cudaErrorContextIsDestroyed,
                                         cudaErrorDevicesUnavailable,
                                         cudaErrorNoDevice,
                                         cudaErrorCudartUnloading,
                                         cudaErrorUnknown};

}  // namespace

void check(cudaError_t error, std::string_view doing) {
  if (error == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());  // clears what can be cleared
  const std::string why = fmt::format("CUDA: {} failed: {} ({})", doing, cudaGetErrorString(error),
                                      cudaGetErrorName(error));
  if (error == cudaErrorMemoryAllocation) {
    throw Unsupported(why + "; choose smaller sizes, or close other programs on the GPU");
  }
  if (error == cudaErrorLaunchTimeout) {
    throw DeviceLost(why + "; the display watchdog ended a kernel: choose smaller sizes");
  }
  if (std::ranges::find(beyond_repair, error) != std::end(beyond_repair)) {
    throw DeviceLost(why + "; restart the program, and look for Xid messages in the kernel log");
  }
  throw Unsupported(why);
}

void refuse_too_many(std::uint64_t blocks) {
  // The limit of a grid's x dimension on every architecture.
  constexpr std::uint64_t most = std::numeric_limits<std::int32_t>::max();
  if (blocks > most) {
    throw Unsupported(fmt::format(
        "needs {} thread blocks, but a launch has at most {}; choose smaller sizes", blocks, most));
  }
}

void launch_kernel(const void* function, std::uint64_t blocks, int threads, void* arguments,
                   cudaStream_t stream) {
  refuse_too_many(blocks);
  void* pointers[] = {arguments};
  check(cudaLaunchKernel(function, dim3(static_cast<unsigned>(blocks)),
                         dim3(static_cast<unsigned>(threads)), pointers, 0, stream),
        "launching a kernel");
}

void launch_together(const void* function, std::uint64_t blocks, int threads, void* arguments,
                     cudaStream_t stream) {
  refuse_too_many(blocks);
  void* pointers[] = {arguments};
  check(cudaLaunchCooperativeKernel(function, dim3(static_cast<unsigned>(blocks)),
                                    dim3(static_cast<unsigned>(threads)), pointers, 0, stream),
        "launching a cooperative kernel");
}

void launch_early(const void* function, std::uint64_t blocks, int threads, void* arguments,
                  cudaStream_t stream) {
  refuse_too_many(blocks);
  void* pointers[] = {arguments};
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t launch{};
  launch.gridDim = dim3(static_cast<unsigned>(blocks));
  launch.blockDim = dim3(static_cast<unsigned>(threads));
  launch.stream = stream;
  launch.attrs = &early;
  launch.numAttrs = 1;
  check(cudaLaunchKernelExC(&launch, function, pointers), "launching a dependent kernel");
}

Buffer::Buffer(Buffer&& other) noexcept
    : pool_(std::exchange(other.pool_, nullptr)),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      capacity_(std::exchange(other.capacity_, 0)) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(pool_, other.pool_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(capacity_, other.capacity_);
  return *this;
}

Buffer::~Buffer() {
  if (pool_ != nullptr) pool_->give_back({data_, capacity_});
}

Pool::~Pool() { release_idle(); }

void Pool::give_back(Block block) { idle_.push_back(block); }

void Pool::release_idle() {
  // A failing free means a lost device, which the next call reports.
  for (const Block& block : idle_) {
    if (!abandoned_) static_cast<void>(cudaFree(block.data));
  }
  idle_.clear();
}

Buffer Pool::take(double bytes) {
  // 2^62: what no device has, and a size_t holds.
  if (!(bytes >= 0 && bytes < 0x1p62)) {
    throw Unsupported("needs more memory than any device has; choose smaller sizes");
  }
  const auto wanted = static_cast<std::size_t>(bytes);
  const std::size_t capacity = (wanted + 255) / 256 * 256 + guard_bytes;
  // A much larger block stays idle for who needs it.
  const auto fits = [&](const Block& block) {
    return block.capacity >= capacity && block.capacity / 2 <= capacity;
  };
  if (const auto found = std::ranges::find_if(idle_, fits); found != idle_.end()) {
    const Block block = *found;
    idle_.erase(found);
    return {this, block.data, wanted, block.capacity};
  }
  if (!idle_.empty()) finish_();
  release_idle();
  void* data = nullptr;
  const cudaError_t error = cudaMalloc(&data, capacity);
  if (error == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());
    throw Unsupported(
        fmt::format("needs a buffer of {}, but the device has {} free; choose smaller sizes",
                    units::bytes(static_cast<double>(capacity)), units::bytes(free_bytes())));
  }
  check(error, "allocating device memory");
  return {this, data, wanted, capacity};
}

double Pool::free_bytes() const {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "asking how much memory is free");
  double bytes = static_cast<double>(free);
  for (const Block& block : idle_) bytes += static_cast<double>(block.capacity);
  return bytes;
}

}  // namespace kernels::cuda
