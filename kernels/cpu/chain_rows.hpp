// The table of chain and stream kernels that every instruction set offers, from its Simd policies.
#pragma once

#include "kernels/cpu/chain_loop.hpp"
#include "kernels/cpu/stream_rows.hpp"

namespace kernels::cpu {
namespace {

/// `Half` and `Brain`: fp16 and bf16 in memory, fp32 in registers.
template <class Fp64, class Fp32, class Half, class Brain, class Int32>
struct ChainTable {
  static constexpr Row rows[] = {
      chain_row<Fp64, Op::mul>(Dtype::fp64, Dtype::fp64),
      chain_row<Fp64, Op::add>(Dtype::fp64, Dtype::fp64),
      chain_row<Fp64, Op::fma>(Dtype::fp64, Dtype::fp64),
      chain_row<Fp32, Op::mul>(Dtype::fp32, Dtype::fp32),
      chain_row<Fp32, Op::add>(Dtype::fp32, Dtype::fp32),
      chain_row<Fp32, Op::fma>(Dtype::fp32, Dtype::fp32),
      chain_row<Half, Op::mul>(Dtype::fp16, Dtype::fp32),
      chain_row<Half, Op::add>(Dtype::fp16, Dtype::fp32),
      chain_row<Half, Op::fma>(Dtype::fp16, Dtype::fp32),
      chain_row<Brain, Op::mul>(Dtype::bf16, Dtype::fp32),
      chain_row<Brain, Op::add>(Dtype::bf16, Dtype::fp32),
      chain_row<Brain, Op::fma>(Dtype::bf16, Dtype::fp32),
      chain_row<Int32, Op::mul>(Dtype::int32, Dtype::int32),
      chain_row<Int32, Op::add>(Dtype::int32, Dtype::int32),
      chain_row<Int32, Op::fma>(Dtype::int32, Dtype::int32),
      stream_row<Fp32, Op::read>(),
      stream_row<Fp32, Op::write>(),
      stream_row<Fp32, Op::copy>(),
      stream_row<Fp32, Op::triad>(),
  };
  static constexpr std::size_t count = sizeof rows / sizeof rows[0];
};

}  // namespace
}  // namespace kernels::cpu
