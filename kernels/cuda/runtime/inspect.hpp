// Looks at results: poison before a run, what it left unwritten or wrote beyond the end, and
// samples to compare with the reference.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/cuda/runtime/gpu.hpp"
#include "kernels/device.hpp"

namespace kernels::cuda {

/// Fills a buffer and the guard behind it.
void poison(Gpu&, const Buffer&, std::uint8_t byte);

/// Elements of a buffer that hold the poison.
Suspects find_poison(Gpu&, const Buffer&, std::uint32_t element_bytes, std::uint8_t byte);

/// Poisons `out`, calls `run`, and counts: the Check is not ok when elements stayed unwritten, or
/// when the guard behind the end was written. A value that happens to look like the poison is told
/// apart by a second run with another one: unwritten is what holds both.
Check check_coverage(Gpu&, const Buffer& out, std::uint32_t element_bytes,
                     const std::function<void()>& run);

/// A run of consecutive elements.
struct Window {
  std::uint64_t first;
  std::uint64_t count;
};
/// Windows spread over `elements`: the first and the last elements, and pseudorandom places between
/// them; at most about `samples` elements, all of them when there are fewer.
std::vector<Window> sample_windows(std::uint64_t elements, std::uint64_t samples,
                                   std::uint64_t seed);

/// Copies bytes of device memory to the host.
std::vector<unsigned char> read_bytes(Gpu&, const void* data, std::size_t bytes);

/// Bits of element i of read bytes.
std::uint64_t element_bits(const std::vector<unsigned char>&, std::size_t element_bytes,
                           std::size_t i);

}  // namespace kernels::cuda
