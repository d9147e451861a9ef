// Operators on the rows of a matrix: sizes, and the reference in double precision. Host code
// without any device.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "kernels/case.hpp"
#include "kernels/families/pointwise/pointwise_reference.hpp"
#include "kernels/families/reference.hpp"

namespace kernels {

/// Rows and columns come in multiples of this: whole cache lines of every element type.
inline constexpr std::uint64_t row_block = 64;
/// Elements in a row where nobody says: the width of BERT-large.
inline constexpr std::uint64_t usual_columns = 1024;

std::uint64_t columns_of(const Case&);
std::uint64_t rows_of(const Case&);
/// Whether the operator looks at columns: each has one result.
bool is_on_columns(Op);
/// Whether there is a second tensor beside the first, element for element.
bool has_tensor_beside(Op);
/// Elements of the second input: a row of a bias, a whole tensor, or none.
std::uint64_t second_elements(const Case&);
/// Elements of the result.
std::uint64_t result_elements(const Case&);

/// The result of a row `x` with the second input beside it (or nothing): as many as the row, or the
/// one sum; of an operator on columns, of a column. `first` is the index of its first element. Of
/// gradients, x is what the operator read (of softmax: wrote), and the second input the gradient.
///
/// Errors, u as for expected_pointwise(): a sum of n terms is within n u times the sum of their
/// magnitudes, in any order; what is divided by such a sum is relatively as wrong. Beside that each
/// element has a few roundings of its own. A gradient is a polynomial of such sums: its error adds
/// those of each, times what it is multiplied with.
std::vector<Expected> expected_row(const Case&, std::span<const double> x,
                                   std::span<const double> second, std::uint64_t first,
                                   double functions = sleef_error);

/// Elements of the tensors of a case by their index.
struct RowTensors {
  std::function<double(std::uint64_t)> input, second, result;
};
/// Compares the results of one row with expected_row(). `row` is below rows_of().
Check check_row(const Case&, std::uint64_t row, const RowTensors&, double functions, Deviation&);

}  // namespace kernels
