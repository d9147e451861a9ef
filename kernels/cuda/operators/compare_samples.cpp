#include "kernels/cuda/operators/compare_samples.hpp"

#include <fmt/format.h>

#include "kernels/cuda/runtime/inspect.hpp"

namespace kernels::cuda {

Check compare_samples(Gpu& gpu, const Case& c, const Written& written, std::uint64_t samples,
                      std::uint64_t seed, Deviation& deviation, const std::stop_token& stop) {
  const std::size_t size = size_of(c.dtype);
  for (const Window& window : sample_windows(c.elements, samples, seed)) {
    if (stop.stop_requested()) throw Cancelled();
    const auto* const from = static_cast<const unsigned char*>(written.data) + window.first * size;
    const auto got = read_bytes(gpu, from, window.count * size);
    for (std::uint64_t i = 0; i < window.count; ++i) {
      const Expected expected = written.expected(window.first + i);
      if (!expected.tells()) continue;
      const double value = decode(c.dtype, element_bits(got, size, i));
      if (!expected.agrees(value)) {
        return {false, fmt::format("{}element {} of {}: expected {}, got {}, at most {:.2g} apart",
                                   written.name, window.first + i, c.elements, expected.value,
                                   value, expected.error)};
      }
      deviation.add(expected.value, value);
    }
  }
  return {.ok = true};
}

}  // namespace kernels::cuda
