// What the host hands to the kernels of small layers, and their entry points. Plain C++.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/families/eager/layer_ops.hpp"

namespace kernels::cuda {

/// Arguments of an operator of a layer, or of all of them, a thread per element: x and out are
/// matrices of `width` columns, t lies between the operators, the bias lies behind the weights.
struct LayerArguments {
  const float* x;
  const float* weights;
  float* t;
  float* out;
  std::uint32_t elements;
  std::uint32_t width;
  float scale;
  /// Where the first block leaves when it began, and the last one when it ended, ns of the GPU's
  /// timer; null: nobody asks.
  unsigned long long* begin;
  unsigned long long* end;
};

/// The operators of a layer in the order of LayerOp, and all of them in one: take LayerArguments.
struct LayerKernels {
  std::array<const void*, ops_of_layer> ops;
  const void* fused;
};
LayerKernels layer_kernels();

}  // namespace kernels::cuda
