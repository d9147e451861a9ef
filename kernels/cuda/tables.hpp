// What the host needs to know of the kernels: their entry points, as tables. Knows no CUDA type, so
// that it compiles with any compiler.
#pragma once

#include <array>
#include <vector>

#include "kernels/case.hpp"
#include "kernels/cuda/arguments.hpp"

namespace kernels::cuda {

/// Takes ChainArguments; a thread per four vectors.
struct ChainKernel {
  Op op;
  const void* function;
};

/// Takes PeakArguments; `chains` registers per thread.
struct PeakKernel {
  Op op;
  PeakForm form;
  int chains;
  const void* function;
};

/// All that one dtype runs on vector units, ops in the order of ChainOps.
struct VectorKernels {
  std::array<ChainKernel, 3> chain;
  std::array<PeakKernel, 8> peak;
};
VectorKernels fp64_kernels();
VectorKernels fp32_kernels();
VectorKernels fp16_kernels();
VectorKernels bf16_kernels();
VectorKernels int32_kernels();

/// Takes TileArguments; vector units.
struct TileKernel {
  Dtype dtype;
  const void* function;
};
std::array<TileKernel, 5> tile_vector_kernels();

/// Tiles that a warp of a peak kernel multiplies at a time: 4 independent accumulators of mma.sync
/// for each.
inline constexpr std::array<int, 4> peak_warp_tiles{2, 1, 4, 8};

/// Take TileArguments and MatrixPeakArguments (by peak_warp_tiles; nullptr where the registers do
/// not suffice); mma.sync. What of them an architecture runs says mma_shape.
struct MatrixKernel {
  Dtype dtype;
  const void* tile;
  std::array<const void*, peak_warp_tiles.size()> peak;
};
std::array<MatrixKernel, 6> matrix_kernels();

/// Takes MatrixPeakArguments: wgmma of 64 x `columns`, with A in registers or in shared memory.
struct WgmmaKernel {
  Dtype dtype;
  int columns;
  bool a_in_registers;
  const void* peak;
};
/// Empty in a build without compute capability 9.0; elsewhere they run on that alone.
std::vector<WgmmaKernel> wgmma_kernels();

/// read, write, copy, triad: take StreamArguments (read: ReadArguments).
struct StreamKernels {
  const void* read;
  const void* write;
  const void* copy;
  const void* triad;
};
StreamKernels stream_kernels();

/// Takes PatternArguments.
const void* pattern_function();

/// Kernels around the measured ones.
struct ServiceKernels {
  const void* empty;         ///< nothing
  const void* hold;          ///< HoldArguments: keeps a stream busy until released
  const void* fill;          ///< FillArguments: random elements
  const void* find_poison;   ///< FindArguments: elements that still hold the poison
  const void* sum_random;    ///< SumArguments: what `read` must find
  const void* architecture;  ///< int*: __CUDA_ARCH__ of the code that runs
};
ServiceKernels service_kernels();

}  // namespace kernels::cuda
