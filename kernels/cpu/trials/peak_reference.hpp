// What a peak kernel must return, computed apart from it.
#pragma once

#include <cstdint>

#include "kernels/cpu/simd/isa.hpp"
#include "kernels/families/reference.hpp"

namespace kernels::cpu {

/// What `function.run(repeat, a, b, start)`, a shape of this row of this table, must return: the
/// sum over all elements. Takes time proportional to `repeat`.
Expected peak_reference(const Isa&, const Row&, const PeakFunction& function, std::uint64_t repeat,
                        double a, double b, PeakStart start);

}  // namespace kernels::cpu
