// What the host needs to know of the kernels: their entry points, as tables. Knows no CUDA type, so
// that it compiles with any compiler.
#pragma once

#include <array>
#include <vector>

#include "kernels/case.hpp"
#include "kernels/cuda/bodies/arguments.hpp"

namespace kernels::cuda {

/// Which kernel of an op: a block for each part, with few or many vectors per thread, or as many
/// blocks as run at once, which load one part while they compute another.
enum class ChainForm : std::uint8_t { few, many, queue };

/// Take ChainArguments; `chain_threads` per block.
struct ChainKernel {
  Op op;
  std::array<const void*, 3> functions;  ///< by ChainForm

  const void* function(ChainForm form) const { return functions[static_cast<std::size_t>(form)]; }
};

/// The chain kernels of a dtype, a row per op.
using ChainKernels = std::vector<ChainKernel>;
ChainKernels fp64_kernels();
ChainKernels fp32_kernels();
ChainKernels fp16_kernels();
ChainKernels bf16_kernels();
ChainKernels int32_kernels();

/// Takes PointwiseArguments; a thread per four vectors. fp32, fp64 and bf16.
struct PointwiseKernel {
  Op op;
  Dtype dtype;
  const void* function;
};
std::vector<PointwiseKernel> pointwise_kernels();

/// Takes PointwiseListArguments; a thread per four vectors, which it keeps in registers.
struct PointwiseListKernel {
  Dtype dtype;
  const void* function;
};
std::array<PointwiseListKernel, 2> pointwise_list_kernels();

/// Takes RowwiseArguments; `team` threads share a row. Transposes have a block for each tile, sums
/// of columns one for each part of a group, team 0. Sums of parts of bf16 are fp32, which a kernel
/// of its own sums: `sums_parts`.
struct RowwiseKernel {
  Op op;
  Dtype dtype;
  int team;
  const void* function;
  bool sums_parts = false;
};
std::vector<RowwiseKernel> rowwise_kernels();

/// Takes PeakArguments; `chains` registers per thread, `unroll` ops per trip of the loop.
struct PeakKernel {
  Op op;
  PeakForm form;
  int chains;
  int unroll;
  const void* function;
};
std::vector<PeakKernel> fp64_peaks();
std::vector<PeakKernel> fp32_peaks();
std::vector<PeakKernel> fp16_peaks();
std::vector<PeakKernel> bf16_peaks();
std::vector<PeakKernel> int32_peaks();
std::vector<PeakKernel> int8_peaks();

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

/// read, write, copy, triad in one pass: takes StreamArguments (read: ReadArguments). A thread has
/// `in_flight` accesses of `width` bytes.
struct StreamKernel {
  Op op;
  int in_flight;
  int width;
  const void* function;
};
std::vector<StreamKernel> stream_kernels();

/// Several passes, or one over the L2 or shared memory: takes RingArguments. A thread has
/// `in_flight` accesses of 16 bytes under way.
struct RingKernel {
  Op op;  ///< l2 also for l2_slices
  int in_flight;
  const void* function;
};
std::vector<RingKernel> ring_kernels();

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
