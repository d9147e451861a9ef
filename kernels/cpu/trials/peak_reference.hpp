// What a peak kernel must return, computed apart from it.
#pragma once

#include <cstdint>

#include "kernels/cpu/simd/isa.hpp"

namespace kernels::cpu {

/// The sum over all elements, and how far rounding may lead from it (0: exact).
struct PeakReference {
  double value = 0;
  double tolerance = 0;
};

/// What `function.run(repeat, a, b, start)`, a shape of this row of this table, must return. Takes
/// time proportional to `repeat`.
PeakReference peak_reference(const Isa&, const Row&, const PeakFunction& function,
                             std::uint64_t repeat, double a, double b, PeakStart start);

}  // namespace kernels::cpu
