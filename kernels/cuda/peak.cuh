// Vector peak: independent chains that never leave registers. The form of the operands and the
// number of chains that run fastest differ from device to device, so there are several.
#pragma once

#include <array>
#include <tuple>

#include "kernels/cuda/chain.cuh"
#include "kernels/cuda/peak_body.hpp"
#include "kernels/cuda/tables.hpp"

namespace kernels::cuda {

template <class Memory, class Op, PeakForm form, int chains>
__global__ void __launch_bounds__(block_threads) peak_kernel(PeakArguments args) {
  peak_thread<typename LanesOf<Memory>::Lanes, Op, form, chains>(
      args, {blockIdx.x, threadIdx.x, static_cast<std::uint32_t>(block_threads)});
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
