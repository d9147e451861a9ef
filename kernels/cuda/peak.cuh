// Vector peak: independent chains that never leave registers. The form of the operands and the
// number of chains that run fastest differ from device to device, so there are several.
#pragma once

#include <array>
#include <tuple>

#include "kernels/cuda/arguments.hpp"
#include "kernels/cuda/chain.cuh"
#include "kernels/cuda/tables.hpp"

namespace kernels::cuda {

template <class Memory, class Op, PeakForm form, int chains>
__global__ void __launch_bounds__(block_threads) peak_kernel(PeakArguments args) {
  using Lanes = typename LanesOf<Memory>::Lanes;
  using Chain = typename Lanes::Chain;
  constexpr int vectors = (chains + Lanes::chains - 1) / Lanes::chains;
  const std::uint64_t thread = (args.first_block + blockIdx.x) * block_threads + threadIdx.x;
  Chain x[vectors * Lanes::chains];
#pragma unroll
  for (int v = 0; v < vectors; ++v) {
    Lanes::unpack(args.input[(thread * vectors + v) & args.input_mask], x + v * Lanes::chains);
  }
  Chain chain[chains];
#pragma unroll
  for (int c = 0; c < chains; ++c) chain[c] = x[c];
  // Loaded by every thread, so that they sit in ordinary registers.
  const std::uint64_t* const operands = args.operands + threadIdx.x * args.operand_stride;
  const Chain a = operand<Chain>(operands[0]);
  const Chain b = form == PeakForm::registers ? operand<Chain>(operands[1]) : a;
  repeat_ops<Op, ops_per_trip / chains>(chain, a, b, args.repeat);
  // A run-time choice keeps every chain alive at the price of one store.
  Chain picked = chain[0];
#pragma unroll
  for (int c = 1; c < chains; ++c) {
    if (c == static_cast<int>(args.pick)) picked = chain[c];
  }
  static_cast<Chain*>(args.out)[thread] = picked;
}

template <class Memory, class Op, PeakForm form, int chains>
PeakKernel peak_row() {
  return {Op::op, form, chains,
          reinterpret_cast<const void*>(&peak_kernel<Memory, Op, form, chains>)};
}

/// Every shape of every op; `x * c + c` exists for fma only.
template <class Memory>
std::array<PeakKernel, 8> peak_rows() {
  return {peak_row<Memory, Mul, PeakForm::registers, 4>(),
          peak_row<Memory, Mul, PeakForm::registers, 8>(),
          peak_row<Memory, Add, PeakForm::registers, 4>(),
          peak_row<Memory, Add, PeakForm::registers, 8>(),
          peak_row<Memory, Fma, PeakForm::registers, 4>(),
          peak_row<Memory, Fma, PeakForm::registers, 8>(),
          peak_row<Memory, Fma, PeakForm::same_operand, 4>(),
          peak_row<Memory, Fma, PeakForm::same_operand, 8>()};
}

}  // namespace kernels::cuda
