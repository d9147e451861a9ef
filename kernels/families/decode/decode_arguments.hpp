// What the host hands to the kernels of `decode`, and their entry points. Plain C++.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/cuda/bodies/arguments.hpp"

namespace kernels::cuda {

/// Of a decode launch.
inline constexpr int decode_threads = 256, decode_lanes = 32;
/// Rows of a warp: each loaded number of X is used so often, and so many loads of 16 bytes of
/// weights are under way at once.
inline constexpr int warp_rows = 4;
/// Rows of a block.
inline constexpr std::uint64_t decode_block_rows = decode_threads / decode_lanes * warp_rows;
/// Vectors of the batch that are multiplied at a time.
inline constexpr int most_at_once = 16;

/// Arguments of a decode launch: a warp for four rows. Y = W X, as decode.hpp says; weights and x
/// are 16-byte aligned.
struct DecodeArguments {
  const Vector* weights;
  const std::uint16_t* scales;  ///< bf16; not read of bf16 weights
  const float* x;               ///< batch x columns
  float* y;                     ///< batch x rows
  std::uint64_t rows;           ///< of all weights
  std::uint64_t first;          ///< row of the first block
  std::uint32_t columns;
  std::uint32_t batch;
};

/// Takes DecodeArguments: so many vectors of the batch at a time, several times where it has more.
struct DecodeKernel {
  int bits;
  int batch;
  const void* function;
};
std::vector<DecodeKernel> decode_kernels();

}  // namespace kernels::cuda
