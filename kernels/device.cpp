#include "kernels/device.hpp"

#include <algorithm>

#include "kernels/families/family.hpp"

namespace kernels {

double dram_working_set(double last_level_cache, bool virtual_machine) {
  constexpr double caches_over = 4;
  const double wanted = caches_over * last_level_cache;
  return virtual_machine ? std::min(wanted, surely_dram) : wanted;
}

const Kernel* find_kernel(std::span<const Kernel> kernels, const Case& c) {
  const auto row = std::ranges::find_if(kernels, [&](const Kernel& kernel) {
    if (kernel.family != c.family) return false;
    if (c.family->role == Role::overhead) return true;  // moves and computes nothing
    return c.ops == Ops(kernel.op) && kernel.dtype == c.dtype && kernel.units == c.units;
  });
  return row == kernels.end() ? nullptr : &*row;
}

}  // namespace kernels
