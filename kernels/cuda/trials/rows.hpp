// What an architecture runs, and why not the rest; which of its kernels a chain runs. Plain C++.
#pragma once

#include <vector>

#include "kernels/cuda/trials/architecture.hpp"
#include "kernels/cuda/trials/tables.hpp"
#include "kernels/device.hpp"
#include "kernels/families/reference.hpp"

namespace kernels::cuda {

/// How the chain and peak kernels of a dtype compute on an architecture (__CUDA_ARCH__ of the code:
/// 750, 800...). Products of int8 are summed in int32.
Arithmetic chain_arithmetic(Dtype, int architecture);

/// The row of a family that multiplies tiles by FMA, dp4a or mma.sync.
Kernel tile_row(Family, Dtype, Units, Architecture);

/// One row per op, dtype and units.
std::vector<Kernel> kernels_of_chains(Architecture);
std::vector<Kernel> kernels_of_tiles(Architecture);
/// Without those of cuBLASLt.
std::vector<Kernel> kernels_of_peaks(Architecture);

/// One row per op and dtype of `pointwise` or `rowwise`.
std::vector<Kernel> operator_rows(Family);

/// What decides where the ridge of a GPU lies.
struct RidgeFacts {
  int capability = 0;  ///< 90 is 9.0
  int multiprocessors = 0;
  double clock_hz = 0;
  /// Of the memory, by its clock and the width of its bus; 0: not told.
  double bytes_per_second = 0;
};

/// Ops per element at which arithmetic takes as long as reading and writing the element; that of an
/// H200 where the GPU does not tell what it takes.
double ridge_ops(Dtype, const RidgeFacts&);

/// The fastest form for so many ops per element in one launch.
ChainForm chain_form(Dtype, std::uint64_t ops, const RidgeFacts&);

}  // namespace kernels::cuda
