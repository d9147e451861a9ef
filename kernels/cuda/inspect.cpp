#include "kernels/cuda/inspect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "kernels/random.hpp"

namespace kernels::cuda {
namespace {

constexpr int count_threads = 256;
constexpr std::uint64_t windows = 32;

// NaN in every floating-point type; the second is a finite number in all of them.
constexpr std::uint8_t first_poison = 0xff;
constexpr std::uint8_t second_poison = 0x5a;

bool guard_is_whole(const Buffer& buffer, std::uint8_t byte) {
  const auto* const end = buffer.as<const unsigned char>() + buffer.bytes();
  const auto guard = read_bytes(end, guard_bytes);
  return std::ranges::all_of(guard, [&](unsigned char b) { return b == byte; });
}

}  // namespace

void poison(Gpu& gpu, const Buffer& buffer, std::uint8_t byte) {
  check(cudaMemsetAsync(buffer.data(), byte, buffer.bytes() + guard_bytes, gpu.stream()),
        "filling device memory");
}

std::uint64_t count_poison(Gpu& gpu, const Buffer& buffer, std::uint32_t element_bytes,
                           std::uint8_t byte) {
  const Buffer count = gpu.pool().take(sizeof(unsigned long long));
  check(cudaMemsetAsync(count.data(), 0, count.bytes(), gpu.stream()), "filling device memory");
  launch(service_kernels().count_poison, 32ULL * static_cast<unsigned>(gpu.multiprocessors()),
         count_threads,
         CountArguments{buffer.data(), buffer.bytes() / element_bytes,
                        count.as<unsigned long long>(), element_bytes, byte},
         gpu.stream());
  gpu.timer().finish();
  return element_bits(read_bytes(count.data(), count.bytes()), sizeof(std::uint64_t), 0);
}

Check check_coverage(Gpu& gpu, const Buffer& out, std::uint32_t element_bytes,
                     const std::function<void()>& run) {
  std::uint64_t unwritten = 0;
  for (const std::uint8_t byte : {first_poison, second_poison}) {
    poison(gpu, out, byte);
    run();
    if (!guard_is_whole(out, byte)) {
      return {false, "the kernel wrote beyond the end of its output"};
    }
    unwritten = count_poison(gpu, out, element_bytes, byte);
    if (unwritten == 0) return {true, ""};
  }
  return {false, fmt::format("the kernel left {} of {} elements unwritten", unwritten,
                             out.bytes() / element_bytes)};
}

std::vector<Window> sample_windows(std::uint64_t elements, std::uint64_t samples,
                                   std::uint64_t seed) {
  if (elements <= samples) return {{0, elements}};
  const std::uint64_t width = std::max<std::uint64_t>(1, samples / windows);
  std::vector<Window> result{{0, width}, {elements - width, width}};
  for (std::uint64_t i = 2; i < windows; ++i) {
    const std::uint64_t place = random_bits(Dtype::fp64, seed, i) % (elements - width + 1);
    result.push_back({place, width});
  }
  return result;
}

std::vector<unsigned char> read_bytes(const void* data, std::size_t bytes) {
  std::vector<unsigned char> host(bytes);
  check(cudaMemcpy(host.data(), data, bytes, cudaMemcpyDeviceToHost), "reading from the GPU");
  return host;
}

std::uint64_t element_bits(const std::vector<unsigned char>& bytes, std::size_t element_bytes,
                           std::size_t i) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + i * element_bytes, element_bytes);
  return bits;
}

}  // namespace kernels::cuda
