#include "kernels/cuda/runtime/graph.hpp"

#include "kernels/cuda/runtime/runtime.hpp"

namespace kernels::cuda {

void Graph::record(cudaStream_t stream, const std::function<void()>& queue) {
  drop();
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capturing a graph");
  cudaGraph_t graph = nullptr;
  try {
    queue();
  } catch (...) {
    static_cast<void>(cudaStreamEndCapture(stream, &graph));
    if (graph != nullptr) static_cast<void>(cudaGraphDestroy(graph));
    static_cast<void>(cudaGetLastError());
    throw;
  }
  check(cudaStreamEndCapture(stream, &graph), "capturing a graph");
  const cudaError_t error = cudaGraphInstantiate(&executable_, graph, 0);
  static_cast<void>(cudaGraphDestroy(graph));
  if (error != cudaSuccess) executable_ = nullptr;
  check(error, "instantiating a graph");
  const cudaError_t uploaded = cudaGraphUpload(executable_, stream);
  if (uploaded != cudaSuccess) drop();
  check(uploaded, "uploading a graph");
}

void Graph::launch(cudaStream_t stream) const {
  check(cudaGraphLaunch(executable_, stream), "launching a graph");
}

void Graph::drop() {
  // A failing call means a lost device, which the next call reports.
  if (executable_ != nullptr) static_cast<void>(cudaGraphExecDestroy(executable_));
  executable_ = nullptr;
}

}  // namespace kernels::cuda
