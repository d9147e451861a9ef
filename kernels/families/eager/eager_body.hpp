// What one thread does for an operator of a layer, or for a whole layer: one element of the matrix.
// Plain C++, so that tests run it on the host.
#pragma once

#include <cstdint>

#include "kernels/arithmetic.hpp"
#include "kernels/cuda/bodies/arguments.hpp"
#include "kernels/families/eager/eager_arguments.hpp"
#include "kernels/families/eager/layer_ops.hpp"
#include "kernels/host_device.hpp"

namespace kernels::cuda {

inline constexpr int layer_threads = 256;

/// The element's row of x times its column of the weights, from the first product on.
RIDGEPOINT_BOTH inline float layer_product(const LayerArguments& args, std::uint32_t i) {
  const float* const x = args.x + i / args.width * args.width;
  const float* const weights = args.weights + i % args.width;
  float sum = 0;
  for (std::uint32_t k = 0; k < args.width; ++k)
    sum = multiply_add(x[k], weights[k * args.width], sum);
  return sum;
}
RIDGEPOINT_BOTH inline float layer_bias(const LayerArguments& args, std::uint32_t i) {
  return args.weights[args.width * args.width + i % args.width];
}
RIDGEPOINT_BOTH inline float positive(float t) { return t > 0 ? t : 0; }

template <LayerOp op>
RIDGEPOINT_BOTH inline void layer_op_thread(const LayerArguments& args, Place place) {
  const auto i = static_cast<std::uint32_t>(place.block) * place.threads + place.thread;
  if (i >= args.elements) return;
  if constexpr (op == LayerOp::matmul) args.t[i] = layer_product(args, i);
  if constexpr (op == LayerOp::bias) args.t[i] = plus(args.t[i], layer_bias(args, i));
  if constexpr (op == LayerOp::relu) args.t[i] = positive(args.t[i]);
  if constexpr (op == LayerOp::scale) args.t[i] = multiply(args.t[i], args.scale);
  if constexpr (op == LayerOp::residual) args.out[i] = plus(args.x[i], args.t[i]);
}

RIDGEPOINT_BOTH inline void layer_thread(const LayerArguments& args, Place place) {
  const auto i = static_cast<std::uint32_t>(place.block) * place.threads + place.thread;
  if (i >= args.elements) return;
  const float t = positive(plus(layer_product(args, i), layer_bias(args, i)));
  args.out[i] = multiply_add(t, args.scale, args.x[i]);
}

}  // namespace kernels::cuda
