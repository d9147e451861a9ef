// Where a warpgroup (four warps) keeps what wgmma multiplies: A and B in shared memory, A and D in
// registers, as the PTX ISA has it ("Asynchronous Warpgroup Level Matrix Shared Memory Layout",
// "Register Fragments"). Plain constexpr, so that tests prove the mapping on the host.
//
// One instruction multiplies 64 rows of A by `n` columns of B, 32 bytes along k. A row of A is 64
// bytes long like that of a tile (two instructions), and so is a column of B.
#pragma once

#include <cstdint>

#include "kernels/case.hpp"
#include "kernels/cuda/bodies/arguments.hpp"
#include "kernels/families/tile/tile.hpp"
#include "kernels/host_device.hpp"

namespace kernels::cuda {

inline constexpr int wgmma_rows = 64;
inline constexpr int wgmma_threads = 128;
inline constexpr int wgmma_step_bytes = 32;
/// Instructions along k for one tile.
inline constexpr int wgmma_steps = static_cast<int>(tile_row_bytes) / wgmma_step_bytes;
/// Pieces of 16 bytes in a row of A or a column of B.
inline constexpr int wgmma_pieces = static_cast<int>(tile_row_bytes) / 16;
/// Operand registers of A per instruction.
inline constexpr int wgmma_a_operands = 4;

/// True where an architecture (__CUDA_ARCH__: 750, 800, ...) has wgmma for a dtype: Hopper alone.
constexpr bool wgmma_native(Dtype dtype, int architecture) {
  return architecture == 900 && dtype != Dtype::fp64 && dtype != Dtype::fp32 &&
         dtype != Dtype::int32;
}

/// Accumulators of a thread for `n` columns.
RIDGEPOINT_BOTH constexpr int wgmma_accumulators(int n) { return wgmma_rows * n / wgmma_threads; }

/// Where a piece of a row lies, in bytes from the start of the matrix, which is 1024-byte aligned.
RIDGEPOINT_BOTH constexpr int wgmma_offset(WgmmaLayout layout, int row, int piece) {
  if (layout == WgmmaLayout::plain) return row / 8 * 512 + piece * 128 + row % 8 * 16;
  return row * 64 + (piece ^ (row / 2 % 4)) * 16;
}

/// The matrix descriptor of step 0, without its address: strides in units of 16 bytes and the
/// swizzle.
RIDGEPOINT_BOTH constexpr std::uint64_t wgmma_descriptor(WgmmaLayout layout) {
  constexpr int leading_at = 16, stride_at = 32, swizzle_at = 62;
  constexpr std::uint64_t eight_rows = 512 / 16, next_piece = 128 / 16, swizzle_64_bytes = 2;
  const std::uint64_t strides = eight_rows << stride_at;
  if (layout == WgmmaLayout::plain) return strides | next_piece << leading_at;
  return strides | std::uint64_t{1} << leading_at | swizzle_64_bytes << swizzle_at;
}

/// The address field of a descriptor.
RIDGEPOINT_BOTH constexpr std::uint64_t wgmma_address(std::uint32_t shared_address) {
  return (shared_address & 0x3ffffU) >> 4;
}

/// What a step adds to a descriptor: two pieces.
RIDGEPOINT_BOTH constexpr std::uint64_t wgmma_step(WgmmaLayout layout) {
  return layout == WgmmaLayout::plain ? 2 * 128 / 16 : 2 * 16 / 16;
}

/// Row of A, and its word of 4 bytes, that a thread holds as operand register `index` of a step.
struct WgmmaWord {
  int row;
  int word;
};
RIDGEPOINT_BOTH constexpr WgmmaWord wgmma_a_operand(int thread, int step, int index) {
  const int lane = thread % 32;
  return {thread / 32 * 16 + lane / 4 + index % 2 * 8, step * 8 + lane % 4 + index / 2 * 4};
}

/// Row and column of D that a thread holds as accumulator `index`.
constexpr int wgmma_d_row(int thread, int index) {
  return thread / 32 * 16 + thread % 32 / 4 + index / 2 % 2 * 8;
}
constexpr int wgmma_d_column(int thread, int index) {
  return index / 4 * 8 + thread % 4 * 2 + index % 2;
}

}  // namespace kernels::cuda
