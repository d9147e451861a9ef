#include "kernels/cuda/runtime/inspect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace kernels::cuda {
namespace {

constexpr int find_threads = 256;

// NaN in every floating-point type; the second is a finite number in all of them.
constexpr std::array<std::uint8_t, 2> poisons{0xff, 0x5a};

bool guard_is_whole(Gpu& gpu, const Buffer& buffer, std::uint8_t byte) {
  const auto* const end = buffer.as<const unsigned char>() + buffer.bytes();
  const auto guard = read_bytes(gpu, end, guard_bytes);
  return std::ranges::all_of(guard, [&](unsigned char b) { return b == byte; });
}

std::vector<std::uint64_t> sorted_indices(const Suspects& suspects) {
  std::vector<std::uint64_t> result(suspects.index, suspects.index + suspects.count);
  std::ranges::sort(result);
  return result;
}

// Elements that were poisoned in both runs: one that was written has the same value in both. More
// than a list holds happen by chance in no tensor that fits a device: an int32 does once in 2^32.
std::uint64_t in_both(const Suspects& first, const Suspects& second) {
  const std::uint64_t fewer = std::min(first.count, second.count);
  if (std::max(first.count, second.count) > Suspects::most_listed) return fewer;
  std::vector<std::uint64_t> common;
  std::ranges::set_intersection(sorted_indices(first), sorted_indices(second),
                                std::back_inserter(common));
  return common.size();
}

/// Elements of a buffer that hold the poison.
Suspects find_poison(Gpu& gpu, const Buffer& buffer, std::size_t element_bytes, std::uint8_t byte) {
  const Buffer found = gpu.pool().take(sizeof(Suspects));
  gpu.clear(found);
  launch(service_kernels().find_poison, 32ULL * static_cast<unsigned>(gpu.multiprocessors()),
         find_threads,
         FindArguments{buffer.data(), buffer.bytes() / element_bytes, found.as<Suspects>(),
                       static_cast<std::uint32_t>(element_bytes), byte},
         gpu.stream());
  Suspects suspects;
  gpu.read(&suspects, found.data(), sizeof(suspects));
  return suspects;
}

}  // namespace

void poison(Gpu& gpu, const Buffer& buffer, std::uint8_t byte) {
  check(cudaMemsetAsync(buffer.data(), byte, buffer.bytes() + guard_bytes, gpu.stream()),
        "filling device memory");
}

Check check_coverage(Gpu& gpu, const Buffer& out, std::size_t element_bytes,
                     const std::function<void()>& run) {
  std::array<Suspects, 2> suspects{};
  for (const std::size_t pass : {0, 1}) {
    poison(gpu, out, poisons[pass]);
    run();
    if (!guard_is_whole(gpu, out, poisons[pass])) {
      return {false, "the kernel wrote beyond the end of its output"};
    }
    suspects[pass] = find_poison(gpu, out, element_bytes, poisons[pass]);
    if (suspects[pass].count == 0) return {true, ""};
  }
  const std::uint64_t unwritten = in_both(suspects[0], suspects[1]);
  if (unwritten == 0) return {true, ""};
  return {false, fmt::format("the kernel left {} of {} elements unwritten", unwritten,
                             out.bytes() / element_bytes)};
}

std::vector<unsigned char> read_bytes(Gpu& gpu, const void* data, std::size_t bytes) {
  std::vector<unsigned char> host(bytes);
  gpu.read(host.data(), data, bytes);
  return host;
}

std::vector<double> read_values(Gpu& gpu, const Buffer& buffer, Dtype dtype, const Window& window) {
  const std::size_t size = size_of(dtype);
  const auto bytes =
      read_bytes(gpu, buffer.as<const unsigned char>() + window.first * size, window.count * size);
  std::vector<double> values(window.count);
  for (std::uint64_t i = 0; i < window.count; ++i)
    values[i] = decode(dtype, bits_at(bytes.data(), i, size));
  return values;
}

}  // namespace kernels::cuda
