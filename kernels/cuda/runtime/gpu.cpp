#include "kernels/cuda/runtime/gpu.hpp"

#include <algorithm>

namespace kernels::cuda {
namespace {

int selected(int ordinal) {
  check(cudaSetDevice(ordinal), "selecting the GPU");
  return ordinal;
}

int architecture_of_code(Pool& pool, Timer& timer, cudaStream_t stream) {
  const Buffer buffer = pool.take(sizeof(int));
  launch(service_kernels().architecture, 1, 1, buffer.as<int>(), stream);
  timer.finish();
  int architecture = 0;
  check(cudaMemcpy(&architecture, buffer.data(), sizeof(architecture), cudaMemcpyDeviceToHost),
        "reading from the GPU");
  return architecture;
}

}  // namespace

int attribute(cudaDeviceAttr which, int ordinal) {
  int value = 0;
  if (cudaDeviceGetAttribute(&value, which, ordinal) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return 0;
  }
  return value;
}

Stream::Stream() {
  // Non-blocking: the legacy default stream of another library must not wait for ours.
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creating a stream");
}
Stream::~Stream() { static_cast<void>(cudaStreamDestroy(stream_)); }

Gpu::Gpu(int ordinal)
    : ordinal_(selected(ordinal)),
      multiprocessors_(attribute(cudaDevAttrMultiProcessorCount, ordinal)),
      l2_bytes_(attribute(cudaDevAttrL2CacheSize, ordinal)),
      timer_(stream_.get(), 1e3 * attribute(cudaDevAttrClockRate, ordinal)) {
  try {
    architecture_ = architecture_of_code(pool_, timer_, stream_.get());
  } catch (...) {
    if (timer_.gave_up()) pool_.abandon();
    throw;
  }
}

Gpu::~Gpu() {
  if (timer_.gave_up()) pool_.abandon();
}

void Gpu::activate() const { selected(ordinal_); }

std::uint64_t Gpu::resident_blocks(const void* kernel, int threads) {
  int blocks = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0),
        "reading a kernel's occupancy");
  return static_cast<std::uint64_t>(std::max(1, blocks)) *
         static_cast<std::uint64_t>(std::max(1, multiprocessors_));
}

void Gpu::fill(void* out, Dtype dtype, std::uint64_t elements, std::uint64_t seed) {
  constexpr int threads = 256;
  const std::uint64_t blocks = std::clamp<std::uint64_t>(
      (elements + threads - 1) / threads, 1, 32ULL * static_cast<unsigned>(multiprocessors_));
  launch(service_kernels().fill, blocks, threads, FillArguments{out, elements, seed, dtype},
         stream());
  timer_.finish();
}

}  // namespace kernels::cuda
