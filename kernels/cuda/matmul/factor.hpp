// How the matrices of a product lie in the memory of a GPU. Plain C++.
#pragma once

#include <cstdint>

#include "kernels/cuda/matmul/matmul_tables.hpp"
#include "kernels/families/matmul/matmul.hpp"

namespace kernels::cuda {

/// A factor of a product, or of a batch of them: the rows of A or the columns of B as lines of k
/// elements. Zeros or numbers fill k, and what lies side by side, to multiples of 16 bytes.
struct Factor {
  Dtype dtype = Dtype::fp32;
  std::uint64_t lines = 0, k = 0;
  Layout layout = Layout::lines;
  std::uint64_t batch = 1;

  /// k in memory.
  std::uint64_t depth() const { return to_whole_pieces(k); }
  /// Elements from line to line, or from one k to the next.
  std::uint64_t pitch() const { return layout == Layout::lines ? depth() : to_whole_pieces(lines); }
  /// Elements from product to product.
  std::uint64_t step() const { return pitch() * (layout == Layout::lines ? lines : depth()); }
  std::uint64_t elements() const { return batch * step(); }
  /// Where element `l` of a line lies.
  std::uint64_t at(std::uint64_t product, std::uint64_t line, std::uint64_t l) const {
    return product * step() + (layout == Layout::lines ? line * pitch() + l : l * pitch() + line);
  }

 private:
  std::uint64_t to_whole_pieces(std::uint64_t elements) const {
    const std::uint64_t piece = sizeof(Vector) / size_of(dtype);
    return (elements + piece - 1) / piece * piece;
  }
};

/// A and B as a case has them (families/matmul/matmul.hpp).
inline Factor factor_a(Dtype dtype, MatmulSize size) {
  return {dtype, size.m, size.k, size.a_transposed() ? Layout::across : Layout::lines, size.batch};
}
inline Factor factor_b(Dtype dtype, MatmulSize size) {
  const bool by_columns = size.b_transposed() || size.is_plain();
  return {dtype, size.n, size.k, by_columns ? Layout::lines : Layout::across, size.batch};
}

}  // namespace kernels::cuda
