// One matrix product of the library: what it multiplies, and the algorithm that was chosen.
#pragma once

#include <memory>

#include "kernels/cuda/libraries/cublaslt.hpp"
#include "kernels/cuda/matmul/gemm_shape.hpp"

namespace kernels::cuda {

/// A and B lie with k side by side (A by rows, B by columns: what every dtype has algorithms for),
/// D by columns.
class GemmProduct {
 public:
  /// Asks for the algorithm of this rank; D is of dtype `result`. With a bias of m numbers of that
  /// dtype on the device, D is max(A B + bias, 0). Throws Unsupported where the library offers fewer.
  GemmProduct(CublasLt&, Dtype, Dtype result, GemmSize, int rank, const void* bias = nullptr);

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

  Owned operation(Dtype, const void* bias);
  Owned layout(cublaslt::Type, std::uint64_t rows, std::uint64_t columns);
  void choose(Dtype, int rank);

  CublasLt& library_;
  Dtype dtype_;
  Owned operation_, a_, b_, d_;
  cublaslt::Heuristic heuristic_{};
  int offered_ = 0;
};

}  // namespace kernels::cuda
