// Which matrix products a library roof tries, in which types, and how they are checked. Plain C++.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/device.hpp"

namespace kernels::cuda {

/// D (m x n) = A (m x k) B (k x n).
struct GemmSize {
  std::uint64_t m, n, k;
  double flops() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
};

/// Algorithms that are asked of the library: its best by its own estimate.
inline constexpr int gemm_algorithms = 8;

/// "m n k", a square and tall ones around the side that suits the device, or that `elements` of A
/// has where they are given; and "algorithm rank", the library's order of its own estimates.
std::vector<ShapeAxis> gemm_axes(const Case&, int multiprocessors);

/// What a case has chosen; the defaults for what it has not.
GemmSize gemm_size(const Case&, int multiprocessors);
int gemm_rank(const Case&);

/// Rows of the library's products; `why_not` of the library, empty when it is there, and its name.
std::vector<Kernel> gemm_rows(int gpu, const std::string& why_not, const std::string& library);

/// Why the library does not multiply a dtype on a GPU (900: compute capability 9.0); empty: it
/// does.
std::string gemm_refusal(Dtype, int gpu);

/// Dtype of D.
Dtype gemm_result(Dtype);

/// Checks multiply A, odd integers of up to `a_bits` bits, by a B of 1 and -1 with about
/// `gemm_terms` elements per column that are not 0: every partial sum is an integer that D and the
/// sums hold exactly (even the 14 bits of Hopper's fp8), so only equality is right.
inline constexpr int gemm_terms = 64;
int gemm_a_bits(Dtype);
/// Chance of an element of B, in 2^-16.
std::uint32_t gemm_density(std::uint64_t k);

}  // namespace kernels::cuda
