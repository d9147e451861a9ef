// What a matrix product must be: of integers exactly, all of it; of random data within a bound, at
// sampled rows and columns.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "kernels/device.hpp"
#include "kernels/families/matmul/matmul.hpp"
#include "kernels/families/reference.hpp"

namespace kernels {

/// The product of two matrices of the integers -8 to 7 (random_int8 by seed and index). Sums of up
/// to 2^18 products are exact in fp32, in any order. Of a batch it is the one at `index`.
class IntegerProduct {
 public:
  IntegerProduct(MatmulSize, std::uint64_t seed_a, std::uint64_t seed_b, std::uint64_t index = 0);

  /// Row `row` of B times the vector: odd numbers, so that no element is left out.
  double inner(std::uint64_t row) const;
  /// Row `row` of A times the inner products.
  double outer(std::uint64_t row, std::span<const double> inner) const;
  /// A row that makes all sums positive, or negative: with a bias and relu C is that sum, or zero.
  /// Sums stay exact in fp32 up to k = 2^16.
  std::vector<double> bias(bool positive) const;
  /// A row of n numbers times the vector.
  double times_vector(std::span<const double> row) const;
  /// A row of C in memory times the vector.
  double times_vector(Dtype, const void* row_of_c) const;
  /// The first element of a row of C that is wrong, with what is expected; with a bias after relu.
  Check wrong_element(std::uint64_t row, Dtype, const void* row_of_c,
                      std::span<const double> bias = {}) const;

 private:
  MatmulSize size_;
  std::uint64_t seed_a_, seed_b_;
  std::uint64_t first_a_, first_b_;  ///< indices of its first elements
  std::vector<double> vector_;
};

/// An element of C: the sum of row[l] column[l], and how far a sum in the dtype of C may lie from
/// it. A bias is one more product of that sum, and relu moves no value further from the right one.
Expected matmul_reference(Dtype, std::span<const double> column,
                          const std::function<double(std::uint64_t)>& row, Units = Units::vector,
                          std::optional<double> bias = {});

/// Rows or columns to compare: the first, the last, both sides of the border of a tile, and random
/// ones; at most 16.
std::vector<std::uint64_t> sampled_lines(std::uint64_t lines, std::uint64_t seed,
                                         std::uint64_t tile = matmul_tile);

/// "row 3, column 5 of the product: expected 1.5 within 1e-6, got 2"
Check wrong_at(std::uint64_t row, std::uint64_t column, const Expected& expected, double got);

}  // namespace kernels
