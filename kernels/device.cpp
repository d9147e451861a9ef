#include "kernels/device.hpp"

#include <algorithm>

namespace kernels {

const Kernel* find_kernel(std::span<const Kernel> kernels, const Case& c) {
  const auto row = std::ranges::find_if(kernels, [&](const Kernel& kernel) {
    if (kernel.family != c.family) return false;
    if (c.family == Family::launch) return true;  // moves and computes nothing
    return kernel.op == c.op && kernel.dtype == c.dtype && kernel.units == c.units;
  });
  return row == kernels.end() ? nullptr : &*row;
}

}  // namespace kernels
