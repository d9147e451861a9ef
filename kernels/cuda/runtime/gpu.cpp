#include "kernels/cuda/runtime/gpu.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace kernels::cuda {
namespace {

int selected(int ordinal) {
  check(cudaSetDevice(ordinal), "selecting the GPU");
  return ordinal;
}

int multiprocessors_of(int ordinal) {
  int count = 0;
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, ordinal),
        "counting multiprocessors");
  return count;
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

std::optional<int> peer_of(int ordinal) {
  const auto told = [](cudaError_t error) {
    if (error != cudaSuccess) static_cast<void>(cudaGetLastError());
    return error == cudaSuccess;
  };
  int gpus = 0;
  if (!told(cudaGetDeviceCount(&gpus))) return std::nullopt;
  for (int other = 0; other < gpus; ++other) {
    int reaches = 0;
    if (other != ordinal && told(cudaDeviceCanAccessPeer(&reaches, ordinal, other)) && reaches != 0)
      return other;
  }
  return std::nullopt;
}

Stream::Stream() {
  // Non-blocking: the legacy default stream of another library must not wait for ours.
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creating a stream");
}
Stream::~Stream() { static_cast<void>(cudaStreamDestroy(stream_)); }

Gpu::Gpu(int ordinal)
    : ordinal_(selected(ordinal)),
      multiprocessors_(multiprocessors_of(ordinal)),
      capability_(10 * attribute(cudaDevAttrComputeCapabilityMajor, ordinal) +
                  attribute(cudaDevAttrComputeCapabilityMinor, ordinal)),
      l2_bytes_(attribute(cudaDevAttrL2CacheSize, ordinal)),
      pool_([this] { timer_.finish(); }),
      timer_(stream_.get(), 1e3 * attribute(cudaDevAttrClockRate, ordinal)) {
  try {
    code_ = code_that_runs();
    event_floor_ = measured_event_floor();
  } catch (...) {
    if (timer_.gave_up()) pool_.abandon();
    throw;
  }
}

Gpu::~Gpu() {
  if (timer_.gave_up()) pool_.abandon();
}

int Gpu::code_that_runs() {
  const Buffer buffer = pool_.take(sizeof(int));
  launch(service_kernels().architecture, 1, 1, buffer.as<int>(), stream());
  int architecture = 0;
  read(&architecture, buffer.data(), sizeof(architecture));
  return architecture;
}

double Gpu::measured_event_floor() {
  constexpr int regions = 15;
  const auto empty = [&] {
    check(cudaLaunchKernel(service_kernels().empty, dim3(1), dim3(1), nullptr, 0, stream()),
          "launching an empty kernel");
  };
  Holds holds;
  std::array<double, regions> seconds{};
  timer_.warm_region(holds, empty);
  for (double& one : seconds) one = timer_.region(holds, empty);
  std::ranges::nth_element(seconds, seconds.begin() + regions / 2);
  return seconds[regions / 2];
}

void Gpu::activate() const { selected(ordinal_); }

std::uint64_t Gpu::resident_blocks(const void* kernel, int threads) {
  int blocks = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0),
        "reading a kernel's occupancy");
  return static_cast<std::uint64_t>(std::max(1, blocks)) *
         static_cast<std::uint64_t>(std::max(1, multiprocessors_));
}

void Gpu::read(void* host, const void* device, std::size_t bytes) {
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t part = std::min(bytes - done, Timer::staging_bytes);
    check(cudaMemcpyAsync(timer_.staging(), static_cast<const char*>(device) + done, part,
                          cudaMemcpyDeviceToHost, stream()),
          "reading from the GPU");
    timer_.finish();
    std::memcpy(static_cast<char*>(host) + done, timer_.staging(), part);
    done += part;
  }
}

void Gpu::write(void* device, const void* host, std::size_t bytes) {
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t part = std::min(bytes - done, Timer::staging_bytes);
    std::memcpy(timer_.staging(), static_cast<const char*>(host) + done, part);
    check(cudaMemcpyAsync(static_cast<char*>(device) + done, timer_.staging(), part,
                          cudaMemcpyHostToDevice, stream()),
          "writing to the GPU");
    timer_.finish();
    done += part;
  }
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
