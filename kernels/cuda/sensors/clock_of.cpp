#include <algorithm>
#include <vector>

#include "kernels/cuda/runtime/helpers.hpp"

namespace kernels::cuda {
namespace {

// No GPU runs slower or faster; what lies outside was not measured.
constexpr double slowest = 20e6;
constexpr double fastest = 10e9;

}  // namespace

std::optional<double> clock_of(std::span<const ClockSample> samples) {
  std::vector<double> clocks;
  for (const ClockSample& sample : samples) {
    if (sample.nanoseconds == 0) continue;
    const double hz =
        static_cast<double>(sample.cycles) / static_cast<double>(sample.nanoseconds) * 1e9;
    if (hz >= slowest && hz <= fastest) clocks.push_back(hz);
  }
  if (clocks.empty()) return std::nullopt;
  const auto middle = clocks.begin() + static_cast<std::ptrdiff_t>(clocks.size() / 2);
  std::ranges::nth_element(clocks, middle);
  return *middle;
}

}  // namespace kernels::cuda
