// One matrix product of the library: what it multiplies, and the algorithm that was chosen.
#pragma once

#include <memory>

#include "kernels/cuda/libraries/cublaslt.hpp"
#include "kernels/cuda/matmul/factor.hpp"
#include "kernels/cuda/matmul/gemm_shape.hpp"

namespace kernels::cuda {

/// D = A B by columns, or a batch of these: A has a row for each line of one factor, B a column for
/// each line of the other. Where k lies side by side in both, every dtype has algorithms.
class GemmProduct {
 public:
  /// Asks for the algorithm of this rank; D is of dtype `result`. With a bias of m numbers of that
  /// dtype on the device, D is max(A B + bias, 0). Throws Unsupported where the library offers
  /// fewer.
  GemmProduct(CublasLt&, const Factor& a, const Factor& b, Dtype result, int rank,
              const void* bias = nullptr);

  /// Bytes that run() needs.
  std::size_t workspace_bytes() const { return heuristic_.workspace_bytes; }
  /// Algorithms that the library offered, the most that were asked for being gemm_algorithms.
  int offered() const { return offered_; }
  /// Enqueues the product. Throws Unsupported.
  void run(const void* a, const void* b, void* d, void* workspace, cudaStream_t) const;

 private:
  using Destroy = cublaslt::Status (*)(cublaslt::Handle);
  struct Closer {
    Destroy destroy;
    void operator()(void* handle) const { static_cast<void>(destroy(handle)); }
  };
  using Owned = std::unique_ptr<void, Closer>;

  /// A matrix by columns, one for each product.
  struct Matrix {
    cublaslt::Type type;
    std::uint64_t rows, columns;
    std::uint64_t pitch, step;  ///< elements from column to column, and from product to product
  };
  static Matrix matrix_of(const Factor&);

  Owned operation(const Factor& a, const Factor& b, const void* bias);
  Owned layout(const Matrix&, std::uint64_t batch);
  void choose(Dtype, int rank);

  CublasLt& library_;
  Dtype dtype_;
  Owned operation_, a_, b_, d_;
  cublaslt::Heuristic heuristic_{};
  int offered_ = 0;
};

}  // namespace kernels::cuda
