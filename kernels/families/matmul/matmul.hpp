// The sizes of a matrix product, and the tiles in which our own kernels compute it.
#pragma once

#include <string>

#include "kernels/case.hpp"

namespace kernels {

/// Which inputs lie transposed in memory: A as k x m, B as n x k.
enum class Transposed : std::uint8_t { none, a, b, both };

/// C (m x n) = A (m x k) B (k x n), all row major; `batch` such products, the matrices of each
/// operand one behind the other. On a GPU the B of a plain product lies by columns, for which every
/// element type has instructions.
struct MatmulSize {
  std::uint64_t m = 0, n = 0, k = 0;
  std::uint64_t batch = 1;
  Transposed transposed = Transposed::none;

  bool a_transposed() const {
    return transposed == Transposed::a || transposed == Transposed::both;
  }
  bool b_transposed() const {
    return transposed == Transposed::b || transposed == Transposed::both;
  }
  /// One product, nothing of it transposed.
  bool is_plain() const { return batch == 1 && transposed == Transposed::none; }
  /// Where an element of A or B lies in the matrices of one product.
  std::uint64_t at_a(std::uint64_t row, std::uint64_t l) const {
    return a_transposed() ? l * m + row : row * k + l;
  }
  std::uint64_t at_b(std::uint64_t l, std::uint64_t column) const {
    return b_transposed() ? column * k + l : l * n + column;
  }
  /// Elements of all matrices A, B and C together.
  std::uint64_t elements_a() const { return batch * m * k; }
  std::uint64_t elements_b() const { return batch * k * n; }
  std::uint64_t elements_c() const { return batch * m * n; }
  bool operator==(const MatmulSize&) const = default;
};
MatmulSize matmul_size(const Case&);
Case with_size(Case, MatmulSize);

/// What a kernel does to C before it writes it. bias_relu: C = max(A B + bias, 0), the bias a row
/// of n numbers in the dtype of C, one for all products of a batch.
enum class Epilogue : std::uint8_t { none, bias_relu };
Epilogue epilogue_of(const Case&);
Case with_epilogue(Case, Epilogue);

/// A case of that size. `by`: our own kernel or a library's.
Case matmul_case(Dtype, Units, MatmulSize, Data, By by = By::own);

/// The dtype of C: fp64 of fp64, int32 of integers, fp32 of all others.
Dtype matmul_result(Dtype);

/// On a CPU our kernels compute C in square tiles of so many rows and columns, each on one core.
/// What a device has is DeviceInfo::product_tile.
inline constexpr std::uint64_t matmul_tile = 64;

/// The axis of Case::shape that says what happens to tiles at the edges of C, and its values: only
/// what lies in C is computed, to the next whole block of registers; or whole tiles, as GPUs do.
inline constexpr std::string_view edges_axis = "edges";
inline constexpr std::string_view trimmed_edges = "trimmed", whole_edges = "whole";
bool has_whole_edges(const Case&);

/// Tiles of C in one product, of so many rows and columns.
std::uint64_t matmul_tiles(MatmulSize, std::uint64_t tile = matmul_tile);
/// Rounds of tiles in which so many cores (SMs) compute C: each gets an equal share of whole tiles.
std::uint64_t matmul_waves(MatmulSize, int cores, std::uint64_t tile = matmul_tile);

/// The most by which a sum of k products can differ from the exact one, as a share of the sum of
/// their magnitudes: (k + 2) u / (1 - (k + 2) u), u the error of one addition (unit_roundoff;
/// Higham, Accuracy and Stability of Numerical Algorithms, chapter 3: k roundings in any order; one
/// more each for a library that scales by 1 and adds to C). 0 for integers, which wrap. A bias is
/// one more product.
double matmul_tolerance(Dtype, std::uint64_t k, Units = Units::vector);

}  // namespace kernels
