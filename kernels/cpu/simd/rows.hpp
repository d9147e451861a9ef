// Which kernels there are: the one list from which the table of every instruction set is made.
#pragma once

#include <cstddef>

#include "kernels/cpu/simd/chain_loop.hpp"
#include "kernels/cpu/simd/conv_loop.hpp"
#include "kernels/cpu/simd/decode_loop.hpp"
#include "kernels/cpu/simd/divergence_loop.hpp"
#include "kernels/cpu/simd/isa.hpp"
#include "kernels/cpu/simd/layer_loop.hpp"
#include "kernels/cpu/simd/matmul_loop.hpp"
#include "kernels/cpu/simd/peak_loop.hpp"
#include "kernels/cpu/simd/pointwise_loop.hpp"
#include "kernels/cpu/simd/rowwise_gradients.hpp"
#include "kernels/cpu/simd/rowwise_loop.hpp"
#include "kernels/cpu/simd/stream_loop.hpp"
#include "kernels/cpu/simd/tile_loop.hpp"
#include "kernels/cpu/simd/tile_storage.hpp"

namespace kernels::cpu {
namespace {

/// The rows of one instruction set, as they are collected.
struct Rows {
  Row list[132] = {};
  std::size_t count = 0;

  consteval void add(const Row& row) { list[count++] = row; }
};

/// The table as it leaves the file.
consteval Isa isa_of(const char* name, const Rows& rows, bool fused_multiply_add = true,
                     int register_bytes = 16) {
  return {name, rows.list, rows.count, fused_multiply_add, register_bytes};
}

/// `arithmetic`: the dtype to which every op rounds.
template <class Simd, class Operation>
consteval Row chain_row(Dtype dtype, Dtype arithmetic) {
  return {.family = Family::chain,
          .op = Operation::op,
          .dtype = dtype,
          .units = Units::vector,
          .arithmetic = arithmetic,
          .chain = chain_slice<Simd, Operation>};
}

template <class Simd, class Operation>
consteval Row peak_row(Dtype dtype, Dtype arithmetic) {
  return {.family = Family::peak,
          .op = Operation::op,
          .dtype = dtype,
          .units = Units::vector,
          .arithmetic = arithmetic,
          .peak = peak_function<Simd, Operation>(),
          .peaks = peak_variants<Simd, Operation>(),
          .summing = Simd::summing};
}

/// Peak kernel of products that are summed: no op of a chain, so it goes by the op of tiles.
template <class Simd>
consteval Row dots_row(Dtype dtype, Dtype arithmetic) {
  Row row = peak_row<Simd, Fma>(dtype, arithmetic);
  row.op = Op::mma;
  return row;
}

/// Tile kernel with vector units.
template <class Simd, class Storage>
consteval Row tile_row(Dtype dtype, Dtype arithmetic) {
  return {.family = Family::tile,
          .op = Op::mma,
          .dtype = dtype,
          .units = Units::vector,
          .arithmetic = arithmetic,
          .tile = tile_slice<Simd, Storage>,
          .summing = Simd::summing};
}

/// Matrix product with vector units.
template <class Simd, class Factors>
consteval Row matmul_row(Dtype dtype, Dtype arithmetic) {
  return {.family = Family::matmul,
          .op = Op::mma,
          .dtype = dtype,
          .units = Units::vector,
          .arithmetic = arithmetic,
          .summing = Simd::summing,
          .matmul = Matmul<Simd, Factors>::function()};
}

template <class Kernel>
consteval Row stream_row(Variants<StreamVariant> shapes) {
  return {.family = Family::stream,
          .op = Kernel::op,
          .dtype = Dtype::fp32,
          .units = Units::vector,
          .arithmetic = Dtype::fp32,
          .streams = shapes};
}

/// Every op of a chain.
template <class Simd>
consteval void add_chains(Rows& rows, Dtype dtype, Dtype arithmetic) {
  rows.add(chain_row<Simd, Mul>(dtype, arithmetic));
  rows.add(chain_row<Simd, Add>(dtype, arithmetic));
  rows.add(chain_row<Simd, Fma>(dtype, arithmetic));
}

/// Every pointwise operator.
template <class Simd>
consteval void add_pointwise(Rows& rows, Dtype dtype) {
#define RIDGEPOINT_ROW(name, expression) \
  rows.add({.family = Family::pointwise, \
            .op = Op::name,              \
            .dtype = dtype,              \
            .units = Units::vector,      \
            .arithmetic = dtype,         \
            .pointwise = pointwise_slice<Simd, pointwise::name>});
  RIDGEPOINT_OPERATORS(RIDGEPOINT_ROW)
#undef RIDGEPOINT_ROW
}

template <class Simd, class Operator>
consteval Row rowwise_row(Dtype dtype) {
  return {.family = Family::rowwise,
          .op = Operator::op,
          .dtype = dtype,
          .units = Units::vector,
          .arithmetic = dtype,
          .rowwise = rowwise_slice<Simd, Operator>};
}

/// Every operator on rows.
template <class Simd>
consteval void add_rowwise(Rows& rows, Dtype dtype) {
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

consteval Row divergence_row(Op op, DivergenceFunction function) {
  return {.family = Family::divergence,
          .op = op,
          .dtype = Dtype::fp32,
          .units = Units::vector,
          .arithmetic = Dtype::fp32,
          .divergence = function};
}

template <class Simd>
consteval Row layer_row() {
  return {.family = Family::eager,
          .op = Op::fma,
          .dtype = Dtype::fp32,
          .units = Units::vector,
          .arithmetic = Dtype::fp32,
          .layer = Layer<Simd>::functions};
}

template <class Simd>
consteval Row conv_row() {
  return {.family = Family::conv,
          .op = Op::mma,
          .dtype = Dtype::fp32,
          .units = Units::vector,
          .arithmetic = Dtype::fp32,
          .convs = ConvTable<Simd>::all()};
}

template <class Simd>
consteval Row decode_row() {
  return {.family = Family::decode,
          .op = Op::fma,
          .dtype = Dtype::fp32,
          .units = Units::vector,
          .arithmetic = Dtype::fp32,
          .decode = decode_slice<Simd>};
}

/// Every op of a peak.
template <class Simd>
consteval void add_peaks(Rows& rows, Dtype dtype, Dtype arithmetic) {
  rows.add(peak_row<Simd, Mul>(dtype, arithmetic));
  rows.add(peak_row<Simd, Add>(dtype, arithmetic));
  rows.add(peak_row<Simd, Fma>(dtype, arithmetic));
  rows.add(peak_row<Simd, MulAdd>(dtype, arithmetic));
}

/// Every kernel of an instruction set that computes in fp64, fp32 and int32. `Half` and `Brain`:
/// fp16 and bf16 in memory, fp32 in registers.
template <class Fp64, class Fp32, class Half, class Brain, class Int32, class Int16Pairs>
consteval Rows full_table() {
  Rows rows;
  add_chains<Fp64>(rows, Dtype::fp64, Dtype::fp64);
  add_chains<Fp32>(rows, Dtype::fp32, Dtype::fp32);
  rows.add(chain_row<Fp64, Sqrt>(Dtype::fp64, Dtype::fp64));
  rows.add(chain_row<Fp32, Sqrt>(Dtype::fp32, Dtype::fp32));
  add_chains<Half>(rows, Dtype::fp16, Dtype::fp32);
  add_chains<Brain>(rows, Dtype::bf16, Dtype::fp32);
  add_chains<Int32>(rows, Dtype::int32, Dtype::int32);
  add_pointwise<Fp64>(rows, Dtype::fp64);
  add_pointwise<Fp32>(rows, Dtype::fp32);
  add_rowwise<Fp64>(rows, Dtype::fp64);
  add_rowwise<Fp32>(rows, Dtype::fp32);
  rows.add(divergence_row(Op::branches, branches_slice));
  rows.add(divergence_row(Op::masked, masked_slice<Fp32>));
  rows.add(layer_row<Fp32>());
  rows.add(conv_row<Fp32>());
  rows.add(decode_row<Fp32>());
  add_peaks<Fp64>(rows, Dtype::fp64, Dtype::fp64);
  add_peaks<Fp32>(rows, Dtype::fp32, Dtype::fp32);
  add_peaks<Fp32>(rows, Dtype::fp16, Dtype::fp32);
  add_peaks<Fp32>(rows, Dtype::bf16, Dtype::fp32);
  add_peaks<Int32>(rows, Dtype::int32, Dtype::int32);
  rows.add(peak_row<Int16Pairs, Fma>(Dtype::int8, Dtype::int32));
  rows.add(stream_row<StreamRead>(stream_variants<StreamRead, Int32>()));
  rows.add(stream_row<StreamWrite>(stream_variants<StreamWrite, Fp32>()));
  rows.add(stream_row<StreamCopy>(stream_variants<StreamCopy, Fp32>()));
  rows.add(stream_row<StreamTriad>(stream_variants<StreamTriad, Fp32>()));
  rows.add(tile_row<Fp64, DirectStorage<double>>(Dtype::fp64, Dtype::fp64));
  rows.add(tile_row<Fp32, DirectStorage<float>>(Dtype::fp32, Dtype::fp32));
  rows.add(tile_row<Fp32, WidenedStorage<Fp32, Half>>(Dtype::fp16, Dtype::fp32));
  rows.add(tile_row<Fp32, WidenedStorage<Fp32, Brain>>(Dtype::bf16, Dtype::fp32));
  rows.add(tile_row<Int16Pairs, PairedStorage>(Dtype::int8, Dtype::int32));
  rows.add(matmul_row<Fp64, DirectFactors<double>>(Dtype::fp64, Dtype::fp64));
  rows.add(matmul_row<Fp32, DirectFactors<float>>(Dtype::fp32, Dtype::fp32));
  rows.add(matmul_row<Fp32, WidenedFactors<Fp32, Half>>(Dtype::fp16, Dtype::fp32));
  rows.add(matmul_row<Fp32, WidenedFactors<Fp32, Brain>>(Dtype::bf16, Dtype::fp32));
  rows.add(
      matmul_row<Int16Pairs, GroupedFactors<std::int8_t, std::int16_t>>(Dtype::int8, Dtype::int32));
  return rows;
}

}  // namespace
}  // namespace kernels::cpu
