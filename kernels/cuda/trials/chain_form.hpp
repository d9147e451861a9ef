// Which of its kernels a chain runs. Plain C++.
#pragma once

#include <cstdint>

#include "kernels/cuda/trials/tables.hpp"
#include "kernels/dtypes.hpp"

namespace kernels::cuda {

/// What decides where the ridge of a GPU lies.
struct RidgeFacts {
  int capability = 0;  ///< 90 is 9.0
  int multiprocessors = 0;
  double clock_hz = 0;
  double bytes_per_second =
      0;  ///< of the memory, by its clock and the width of its bus; 0: not told
};

/// Ops per element at which arithmetic takes as long as reading and writing the element; that of an
/// H200 where the GPU does not tell what it takes.
double ridge_ops(Dtype, const RidgeFacts&);

/// The fastest form for so many ops per element in one launch.
ChainForm chain_form(Dtype, std::uint64_t ops, const RidgeFacts&);

}  // namespace kernels::cuda
