// Launches recorded as a CUDA graph.
#pragma once

#include <cuda_runtime.h>

#include <functional>

namespace kernels::cuda {

class Graph {
 public:
  Graph() = default;
  ~Graph() { drop(); }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// Records what `queue` enqueues on the stream, in place of what was recorded before. Throws like
  /// check(); then nothing is recorded.
  void record(cudaStream_t, const std::function<void()>& queue);
  /// Enqueues all of it. Throws like check().
  void launch(cudaStream_t) const;

 private:
  void drop();

  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace kernels::cuda
