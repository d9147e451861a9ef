// The kernel of a matrix peak that a shape means, and which product each of its accumulators is.
// Plain C++.
#pragma once

#include <string>

#include "kernels/cuda/trials/shapes.hpp"
#include "kernels/cuda/trials/tables.hpp"

namespace kernels::cuda {

/// An element of a unit's result: of A's tile (counted in the unit), of B's tile, and where in D.
struct AccumulatorPlace {
  int a_tile, b_tile;
  int row, column;
};

/// A kernel of MatrixPeakArguments with `tile_threads` threads per block.
struct MatrixPeakKernel {
  const void* function;
  bool warpgroup;        ///< wgmma; else mma.sync
  int a_tiles, b_tiles;  ///< per unit; each of A with each of B
  int accumulators;      ///< per thread
  WgmmaLayout layout;
  std::string words;  ///< "wgmma m64n256k16, A from shared memory"

  AccumulatorPlace place(int thread, int accumulator) const;
};

/// Throws Unsupported where the shape has no kernel.
MatrixPeakKernel matrix_peak_kernel(const Case&, const ShapeValues&, Architecture);

}  // namespace kernels::cuda
