// The factors of a matrix product on the device, and the same elements on the host; how a product
// of them is checked.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kernels/cuda/matmul/factor.hpp"
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

/// D (q x p, row major) = of each of q lines and each of p lines the product; or a batch of these.
class ProductInputs {
 public:
  /// Allocates both factors, which agree in dtype, k and batch. Behind k p holds zeros, q numbers,
  /// so that a product may be taken over all of it. Throws Unsupported, DeviceLost.
  ProductInputs(Gpu&, const Factor& p, const Factor& q);

  const Factor& factor_p() const { return factor_p_; }
  const Factor& factor_q() const { return factor_q_; }
  const void* p() const { return p_.data(); }
  const void* q() const { return q_.data(); }

  /// Fills both with what a case asks for: random elements, or zeros.
  void fill(Data);
  /// Fills both so that every product is exact in every accumulator (gemm_shape.hpp).
  void fill_exact();

  /// An element of D and the lines that it is the product of.
  struct Crossing {
    std::uint64_t product, row, column;
    std::span<const double> of_q, of_p;
    double got;
  };
  /// Looks at D at the crossings of sampled rows and columns of sampled products, up to the first
  /// that is not ok.
  Check compare(const Buffer& d, Dtype result, const std::function<Check(const Crossing&)>&) const;
  /// Compares with the exact product, after fill_exact(), and with the bias and relu behind it
  /// where there is one. `transposed`: D's columns are called rows.
  Check compare_exact(const Buffer& d, Dtype result, bool transposed,
                      const ProductBias* bias = nullptr) const;

 private:
  enum class Holds { random, zeros, exact };
  std::vector<double> line(bool of_p, std::uint64_t product, std::uint64_t i) const;
  Check compare(std::uint64_t product, const Buffer& d, Dtype result,
                const std::function<Check(const Crossing&)>&) const;
  void clear_behind();

  Gpu& gpu_;
  Factor factor_p_, factor_q_;
  std::uint64_t seed_p_, seed_q_;
  Holds holds_ = Holds::random;
  Buffer p_, q_;
};

}  // namespace kernels::cuda
