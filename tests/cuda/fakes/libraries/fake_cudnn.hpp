// NVIDIA's library of convolutions, as far as it is used, for the emulated machine.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <map>
#include <vector>

namespace fake_cudnn {

struct State {
  int create = 0;   ///< cudnnStatus_t of cudnnCreate
  int choose = 0;   ///< of cudnnGetConvolutionForwardAlgorithm_v7
  int forward = 0;  ///< of cudnnConvolutionForward
  /// What it chooses, the first choice first: WINOGRAD, IMPLICIT_PRECOMP_GEMM.
  std::vector<int> choices{6, 1};
  std::vector<int> refused{4};  ///< algorithms that it does not offer: FFT
  /// By algorithm; others need none.
  std::map<int, std::uint64_t> workspace_bytes{{1, 4096}, {6, 65536}};
  double error = 0;             ///< added to each result
  std::uint64_t unwritten = 0;  ///< results at the end that are left out
  bool skips_last_channel = false;
  int open_handles = 0, open_descriptors = 0;
  std::vector<int> algorithms;  ///< that were run
  cudaStream_t stream = nullptr;
};
State& state();

/// Of a launch by the library; -1: it is another one.
int algorithm_of(const void* function, const void* arguments);

/// Puts it on the machine under this name, in the initial state.
void install(const char* name = "libcudnn.so.9");

}  // namespace fake_cudnn
