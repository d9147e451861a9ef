// The loops behind the rows of `eager`: the operators of a layer one by one, and all of them on
// registers. See op_loop.hpp for the rules.
#pragma once

#include <cstdint>

#include "kernels/cpu/simd/rows.hpp"
#include "kernels/families/eager/layer_ops.hpp"

namespace kernels::cpu {
namespace {

template <class Simd>
struct Layer {
  using Vector = typename Simd::Vector;
  /// Registers that hold a part of a row.
  static constexpr int count = 4;
  static constexpr std::uint64_t block = static_cast<std::uint64_t>(count * Simd::lanes);

  /// x a + b as an op of a chain rounds it.
  [[gnu::always_inline]] static Vector multiply_add(Vector x, Vector a, Vector b) {
    if constexpr (Simd::fma_is_apart)
      return Simd::add(Simd::mul(x, a), b);
    else
      return Simd::fma(x, a, b);
  }
  [[gnu::always_inline]] static Vector positive(Vector x) {
    const Vector zero = Simd::set(0);
    return x > zero ? x : zero;
  }

  /// Columns j to j + block of a row of the product.
  [[gnu::always_inline]] static void product(const LayerSlice& s, const float* x, std::uint64_t j,
                                             Vector (&sum)[count]) {
#pragma GCC unroll 4
    for (int i = 0; i < count; ++i) sum[i] = Simd::set(0);
    for (std::uint64_t k = 0; k < s.width; ++k) {
      const Vector factor = Simd::set(x[k]);
      const float* const weights = s.weights + k * s.width + j;
#pragma GCC unroll 4
      for (int i = 0; i < count; ++i)
        sum[i] = multiply_add(factor, Simd::load(weights + i * Simd::lanes), sum[i]);
    }
  }

  /// `columns(row, j)` for each row and each block of columns: an element is row * width + j.
  template <class Columns>
  [[gnu::always_inline]] static void each_block(const LayerSlice& s, Columns columns) {
    for (std::uint64_t row = s.first; row < s.first + s.rows; ++row)
      for (std::uint64_t j = 0; j < s.width; j += block) columns(row * s.width, j);
  }
  /// t = change(t, j) for each register.
  template <class Change>
  [[gnu::always_inline]] static void each_of_t(const LayerSlice& s, Change change) {
    each_block(s, [&](std::uint64_t row, std::uint64_t j) {
#pragma GCC unroll 4
      for (int i = 0; i < count; ++i) {
        const std::uint64_t at = j + static_cast<std::uint64_t>(i * Simd::lanes);
        Simd::store(s.t + row + at, change(Simd::load(s.t + row + at), at));
      }
    });
  }

  static void matmul(const LayerSlice& s) {
    each_block(s, [&](std::uint64_t row, std::uint64_t j) {
      Vector sum[count];
      product(s, s.x + row, j, sum);
#pragma GCC unroll 4
      for (int i = 0; i < count; ++i) Simd::store(s.t + row + j + i * Simd::lanes, sum[i]);
    });
  }
  static void bias(const LayerSlice& s) {
    const float* const biases = s.weights + s.width * s.width;
    each_of_t(s, [&](Vector t, std::uint64_t j) { return Simd::add(t, Simd::load(biases + j)); });
  }
  static void relu(const LayerSlice& s) {
    each_of_t(s, [](Vector t, std::uint64_t) { return positive(t); });
  }
  static void scale(const LayerSlice& s) {
    const Vector factor = Simd::set(s.scale);
    each_of_t(s, [&](Vector t, std::uint64_t) { return Simd::mul(t, factor); });
  }
  static void residual(const LayerSlice& s) {
    each_block(s, [&](std::uint64_t row, std::uint64_t j) {
#pragma GCC unroll 4
      for (int i = 0; i < count; ++i) {
        const std::uint64_t at = row + j + static_cast<std::uint64_t>(i * Simd::lanes);
        Simd::store(s.out + at, Simd::add(Simd::load(s.x + at), Simd::load(s.t + at)));
      }
    });
  }
  static void fused(const LayerSlice& s) {
    const float* const biases = s.weights + s.width * s.width;
    const Vector factor = Simd::set(s.scale);
    each_block(s, [&](std::uint64_t row, std::uint64_t j) {
      Vector sum[count];
      product(s, s.x + row, j, sum);
#pragma GCC unroll 4
      for (int i = 0; i < count; ++i) {
        const std::uint64_t at = j + static_cast<std::uint64_t>(i * Simd::lanes);
        const Vector t = positive(Simd::add(sum[i], Simd::load(biases + at)));
        Simd::store(s.out + row + at, multiply_add(t, factor, Simd::load(s.x + row + at)));
      }
    });
  }

  static constexpr LayerFunctions functions{{matmul, bias, relu, scale, residual}, fused};
};

template <class Registers>
consteval void add_eager(Rows& rows) {
  rows.add(
      {.family = Family::eager, .op = Op::fma, .own = &Layer<typename Registers::Fp32>::functions});
}

}  // namespace
}  // namespace kernels::cpu
