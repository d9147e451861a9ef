// What the host hands to the matrix products, and their entry points. Knows no CUDA type.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/cuda/bodies/arguments.hpp"

namespace kernels::cuda {

/// Rows and columns of the tile of C that a block computes, and its threads.
inline constexpr int product_tile = 128;
inline constexpr int product_threads = 256;

/// How the lines of a factor lie in memory: one after the other, k side by side in each; or side by
/// side for one k after the other.
enum class Layout : std::uint8_t { lines, across };

/// C = A B, or a batch of such products. a: m lines, one for each row of A; b: n lines, one for
/// each column of B; k elements in each, filled to a multiple of 16 bytes, in one of both with
/// zeros. c: m x n, row major. Tiles of C are computed from `first` on, those of the first product
/// first. bias: n numbers in the type of C, which are added to each row before relu; null: C is the
/// product.
struct MatmulArguments {
  const Vector* a;
  const Vector* b;
  void* c;
  std::uint64_t first;
  std::uint32_t m, n;
  std::uint32_t pieces;  ///< of 16 bytes in a line
  const void* bias = nullptr;
  std::uint64_t a_step = 0, b_step = 0;    ///< vectors from product to product
  std::uint32_t a_pitch = 0, b_pitch = 0;  ///< vectors from one k to the next, of Layout::across
};

/// Takes MatmulArguments; a block of product_threads per tile of C.
struct MatmulKernel {
  Dtype dtype;
  Layout a, b;
  const void* function;
};
std::vector<MatmulKernel> matmul_vector_kernels();
/// What of them an architecture runs says mma_shape.
std::vector<MatmulKernel> matmul_matrix_kernels();

/// Elements of fewer bytes are multiplied in pairs and fours along k, which must lie side by side.
constexpr bool multiplies_across(Dtype dtype) { return size_of(dtype) >= 4; }

/// The layouts of A and B that our kernels take. Calls visit<a, b>().
template <Dtype dtype, class Visit>
void visit_layouts(Visit visit) {
  visit.template operator()<Layout::lines, Layout::lines>();
  if constexpr (multiplies_across(dtype)) {
    visit.template operator()<Layout::lines, Layout::across>();
    visit.template operator()<Layout::across, Layout::lines>();
    visit.template operator()<Layout::across, Layout::across>();
  }
}

}  // namespace kernels::cuda
