// Which roof of the memory has the mix of reads and writes of a kernel.
#pragma once

#include <string_view>

namespace kernels {

/// The nearest of "DRAM read", "DRAM triad" (two reads for a write), "DRAM copy" and "DRAM write".
constexpr std::string_view memory_roof(double bytes_read, double bytes_written) {
  const double bytes = bytes_read + bytes_written;
  const double written = bytes > 0 ? bytes_written / bytes : 0.5;
  constexpr double none = 0, third = 1.0 / 3, half = 0.5, all = 1;
  if (written < (none + third) / 2) return "DRAM read";
  if (written < (third + half) / 2) return "DRAM triad";
  return written < (half + all) / 2 ? "DRAM copy" : "DRAM write";
}

}  // namespace kernels
