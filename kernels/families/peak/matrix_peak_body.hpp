// What a thread of a matrix peak kernel leaves behind. Plain C++, so that tests run it on the host.
#pragma once

#include <cstdint>

#include "kernels/arithmetic.hpp"
#include "kernels/cuda/bodies/arguments.hpp"

namespace kernels::cuda {

/// Stores a thread's accumulators of a unit as MatrixPeakArguments says. That `every` is known at
/// run time alone keeps all of them alive, at the price of one store.
template <int count, class Sum>
RIDGEPOINT_BOTH void store_accumulators(const MatrixPeakArguments& args, std::uint64_t unit,
                                        int thread, const Sum (&d)[count]) {
  auto* const out = static_cast<Sum*>(args.out) + thread;
  if (args.every) {
#pragma unroll
    for (int i = 0; i < count; ++i) {
      out[(unit * count + static_cast<std::uint64_t>(i)) * tile_threads] = d[i];
    }
  } else {
    out[unit * tile_threads] = d[0];
  }
}

}  // namespace kernels::cuda
