// What kernels may count on: a GPU, and the code that runs on it. Plain C++.
#pragma once

namespace kernels::cuda {

/// Both as __CUDA_ARCH__ spells them: 900 is 9.0. The code can be older than the GPU: machine code
/// of the same major version, or PTX, which the driver translated. What instructions kernels use
/// was decided when their code was built; what only machine code of one GPU has, that GPU alone
/// runs.
struct Architecture {
  int code;
  int gpu;

  /// A GPU that runs code of its own.
  constexpr Architecture(int own) : code(own), gpu(own) {}
  constexpr Architecture(int of_code, int of_gpu) : code(of_code), gpu(of_gpu) {}
  bool operator==(const Architecture&) const = default;
};

}  // namespace kernels::cuda
