// The rows of `rowwise`: operators and their gradients, in fp64 and fp32.
#pragma once

#include "kernels/cpu/simd/rows.hpp"
#include "kernels/families/rowwise/rowwise_forward.hpp"
#include "kernels/families/rowwise/rowwise_gradients.hpp"

namespace kernels::cpu {
namespace {

template <class Simd, class Operator>
consteval Row rowwise_row(Dtype dtype) {
  return {.family = Family::rowwise,
          .op = Operator::op,
          .dtype = dtype,
          .arithmetic = dtype,
          .rowwise = rowwise_slice<Simd, Operator>};
}

/// Every operator on rows.
template <class Simd>
consteval void add_row_operators(Rows& rows, Dtype dtype) {
  rows.add(rowwise_row<Simd, LayerNorm>(dtype));
  rows.add(rowwise_row<Simd, RmsNorm>(dtype));
  rows.add(rowwise_row<Simd, Softmax>(dtype));
  rows.add(rowwise_row<Simd, RowSum>(dtype));
  rows.add(rowwise_row<Simd, Transpose>(dtype));
  rows.add(rowwise_row<Simd, Bias>(dtype));
  rows.add(rowwise_row<Simd, BiasGelu>(dtype));
  rows.add(rowwise_row<Simd, Dropout>(dtype));
  rows.add(rowwise_row<Simd, Drop>(dtype));
  rows.add(rowwise_row<Simd, Residual>(dtype));
  rows.add(rowwise_row<Simd, GeluGradient>(dtype));
  rows.add(rowwise_row<Simd, SoftmaxGradient>(dtype));
  rows.add(rowwise_row<Simd, LayerNormGradient>(dtype));
  rows.add(rowwise_row<Simd, ColumnSum>(dtype));
  rows.add(rowwise_row<Simd, ScaledSoftmaxDropout>(dtype));
  rows.add(rowwise_row<Simd, ScaledSoftmaxDropoutGradient>(dtype));
}

template <class Registers>
consteval void add_rowwise(Rows& rows) {
  add_row_operators<typename Registers::Fp64>(rows, Dtype::fp64);
  add_row_operators<typename Registers::Fp32>(rows, Dtype::fp32);
}

}  // namespace
}  // namespace kernels::cpu
