// The operators of a layer of `eager`, as kernels of every device know them, and what one of a CPU
// is given.
#pragma once

#include <cstdint>

namespace kernels {

/// In this order: t = x W; t += bias; t = relu(t); t *= scale; x += t.
enum class LayerOp : std::uint8_t { matmul, bias, relu, scale, residual };
inline constexpr std::uint64_t ops_of_layer = 5;
/// Columns come in multiples of this: whole blocks of registers.
inline constexpr std::uint64_t width_granule = 64;

/// Floats of a layer: weights of width x width, row major, and the bias behind them.
constexpr std::uint64_t layer_weights(std::uint64_t width) { return width * width + width; }
/// What `scale` multiplies by: it keeps sums of `width` products small.
constexpr float layer_scale(std::uint64_t width) { return 1.0F / static_cast<float>(width); }

namespace cpu {

/// A thread's share of an operator of a layer of `eager`, or of all of them: rows of a matrix,
/// fp32.
struct LayerSlice {
  const float* x;
  const float* weights;  ///< width x width, row major, and the bias behind them
  float* t;              ///< what lies between operators
  float* out;
  std::uint64_t first, rows;
  std::uint64_t width;  ///< a multiple of width_granule
  float scale;
};
using LayerFunction = void (*)(const LayerSlice&);
struct LayerFunctions {
  LayerFunction ops[ops_of_layer] = {};  ///< in the order of LayerOp
  LayerFunction fused = nullptr;
};

}  // namespace cpu

}  // namespace kernels
