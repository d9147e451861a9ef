// The factors of a matrix product on the device, and the same elements on the host; how a product of
// them is checked.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kernels/cuda/runtime/gpu.hpp"

namespace kernels::cuda {

/// A row of numbers in the dtype of D, which is added to each row of it before relu.
class ProductBias {
 public:
  /// Allocates it. Throws Unsupported, DeviceLost.
  ProductBias(Gpu&, Dtype, std::uint64_t columns);

  const void* data() const { return row_.data(); }
  /// Random numbers, or zeros.
  void fill(Data);
  /// Small integers of both signs.
  void fill_exact();
  /// The same number on the host.
  double at(std::uint64_t column) const;

 private:
  enum class Holds { random, zeros, exact };

  Gpu& gpu_;
  Dtype dtype_;
  std::uint64_t columns_, seed_;
  Holds holds_ = Holds::random;
  Buffer row_;
};

/// D (q x p, row major) = of each of q lines and each of p lines the product: p and q lines of k
/// elements side by side.
class ProductInputs {
 public:
  /// Allocates both. Throws Unsupported, DeviceLost.
  ProductInputs(Gpu&, Dtype, std::uint64_t p_lines, std::uint64_t q_lines, std::uint64_t k);

  /// k, to a multiple of 16 bytes: elements from line to line. Behind k the lines of p hold zeros,
  /// those of q numbers, so that a product may be taken over all of it.
  std::uint64_t depth() const { return depth_; }
  const void* p() const { return p_.data(); }
  const void* q() const { return q_.data(); }

  /// Fills both with what a case asks for: random elements, or zeros.
  void fill(Data);
  /// Fills both so that every product is exact in every accumulator (gemm_shape.hpp).
  void fill_exact();

  /// An element of D and the lines that it is the product of.
  struct Crossing {
    std::uint64_t row, column;
    std::span<const double> of_q, of_p;
    double got;
  };
  /// Looks at D at the crossings of sampled rows and columns, up to the first that is not ok.
  Check compare(const Buffer& d, Dtype result, const std::function<Check(const Crossing&)>&) const;
  /// Compares with the exact product, after fill_exact(), and with the bias and relu behind it where
  /// there is one. `transposed`: D's columns are called rows.
  Check compare_exact(const Buffer& d, Dtype result, bool transposed,
                      const ProductBias* bias = nullptr) const;

 private:
  enum class Holds { random, zeros, exact };
  std::vector<double> line(bool of_p, std::uint64_t i) const;
  void fill_sparse(const Buffer&, std::uint64_t lines, std::uint64_t seed, int bits,
                   std::uint32_t density);
  void clear_behind();

  Gpu& gpu_;
  Dtype dtype_;
  std::uint64_t p_lines_, q_lines_, k_, depth_;
  std::uint64_t seed_p_, seed_q_;
  Holds holds_ = Holds::random;
  Buffer p_, q_;
};

}  // namespace kernels::cuda
