// What the host hands to the matrix products, and their entry points. Knows no CUDA type.
#pragma once

#include <array>

#include "kernels/cuda/bodies/arguments.hpp"

namespace kernels::cuda {

/// Rows and columns of the tile of C that a block computes, and its threads.
inline constexpr int product_tile = 128;
inline constexpr int product_threads = 256;

/// C = A B. a: m lines, one for each row of A; b: n lines, one for each column of B; k elements side
/// by side in each, and zeros behind them (in `a` at least) to a multiple of 16 bytes. c: m x n, row
/// major. Tiles of C are computed from `first` on. bias: n numbers in the type of C, which are added to
/// each row before relu; null: C is the product.
struct MatmulArguments {
  const Vector* a;
  const Vector* b;
  void* c;
  std::uint64_t first;
  std::uint32_t m, n;
  std::uint32_t pieces;  ///< of 16 bytes in a line
  const void* bias = nullptr;
};

/// Takes MatmulArguments; a block of product_threads per tile of C.
struct MatmulKernel {
  Dtype dtype;
  const void* function;
};
std::array<MatmulKernel, 5> matmul_vector_kernels();
/// What of them an architecture runs says mma_shape.
std::array<MatmulKernel, 6> matmul_matrix_kernels();

}  // namespace kernels::cuda
