// Gradients of operators on rows: `in` is what the operator read (of softmax: wrote), `second` the
// gradient of what it wrote. See rowwise_forward.hpp.
#pragma once

#include <cstdint>

#include "kernels/families/rowwise/rowwise_forward.hpp"

namespace kernels::cpu {
namespace {

/// The sum of f(x, g) over a row, in four sums side by side.
template <class Simd, class F>
[[gnu::always_inline]] inline typename Simd::Scalar pair_sum(const MatrixRow<Simd>& r, F f) {
  typename Simd::Vector sum[4] = {};
  for (std::uint64_t at = 0; at < r.n; at += 4 * Simd::lanes) {
    for (std::uint64_t i = 0; i < 4; ++i) {
      const std::uint64_t here = at + i * Simd::lanes;
      sum[i] += f(Simd::load(r.in + here), Simd::load(r.second + here), here);
    }
  }
  return sum_of_lanes<Simd>(sum[0] + sum[1] + sum[2] + sum[3]);
}

/// g times the derivative of gelu: P(x) + x p(x), the normal distribution and its density.
struct GeluGradient {
  static constexpr Op op = Op::gelu_gradient;
  template <class Simd>
  static void row(const MatrixRow<Simd>& r) {
    using S = typename Simd::Scalar;
    using V = typename Simd::Vector;
    constexpr S over_root_2 = S(0.70710678118654752), over_root_2_pi = S(0.39894228040143268);
    map_row<Simd>(r.in, r.out, r.n, [&](V x, std::uint64_t at) {
      const V below = S(0.5) * r.kit.erf(x * over_root_2) + S(0.5);
      const V density = r.kit.exp(x * x * S(-0.5)) * over_root_2_pi;
      return Simd::load(r.second + at) * (x * density + below);
    });
  }
};

/// scale y (g - the sum of y g), where `factor(index in the row)` times the second input is g.
template <class Simd, class Factor>
[[gnu::always_inline]] inline void softmax_gradient_row(const MatrixRow<Simd>& r,
                                                        typename Simd::Scalar scale,
                                                        Factor factor) {
  using V = typename Simd::Vector;
  const auto sum = pair_sum<Simd>(r, [&](V y, V g, std::uint64_t at) { return y * factor(g, at); });
  map_row<Simd>(r.in, r.out, r.n, [&](V y, std::uint64_t at) {
    return y * scale * (factor(Simd::load(r.second + at), at) - sum);
  });
}

struct SoftmaxGradient {
  static constexpr Op op = Op::softmax_gradient;
  template <class Simd>
  static void row(const MatrixRow<Simd>& r) {
    softmax_gradient_row<Simd>(r, 1, [](typename Simd::Vector g, std::uint64_t) { return g; });
  }
};

struct ScaledSoftmaxDropoutGradient {
  static constexpr Op op = Op::scaled_softmax_dropout_gradient;
  template <class Simd>
  static void row(const MatrixRow<Simd>& r) {
    const Kept<Simd> kept;
    softmax_gradient_row<Simd>(
        r, static_cast<typename Simd::Scalar>(attention_scale),
        [&](typename Simd::Vector g, std::uint64_t at) { return g * kept(r.first + at); });
  }
};

/// over (g - mean g - h mean(g h)), h = (x - mean) over; mean and over are computed again from x.
struct LayerNormGradient {
  static constexpr Op op = Op::layernorm_gradient;
  template <class Simd>
  static void row(const MatrixRow<Simd>& r) {
    using S = typename Simd::Scalar;
    using V = typename Simd::Vector;
    const S n = static_cast<S>(r.n);
    const S mean = row_sum<Simd>(r.in, r.n, [](V x) { return x; }) / n;
    const S variance =
        row_sum<Simd>(r.in, r.n, [mean](V x) { return (x - mean) * (x - mean); }) / n;
    const S over = one_over_root<Simd>(variance + static_cast<S>(small_variance));
    const S of_g = row_sum<Simd>(r.second, r.n, [](V g) { return g; }) / n;
    const S of_gx =
        pair_sum<Simd>(r, [mean](V x, V g, std::uint64_t) { return g * (x - mean); }) / n;
    const S slope = of_gx * over * over;
    map_row<Simd>(r.in, r.out, r.n, [&](V x, std::uint64_t at) {
      return over * (Simd::load(r.second + at) - of_g - (x - mean) * slope);
    });
  }
};

}  // namespace
}  // namespace kernels::cpu
