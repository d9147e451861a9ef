// What one thread of a vector peak launch does. Plain C++, so that tests run it on the host.
#pragma once

#include "kernels/families/chain/chain_body.hpp"
#include "kernels/families/peak/peak_ops.hpp"

namespace kernels::cuda {

/// The operands of a thread, by form.
template <class Chain, PeakForm form>
struct PeakOperands {
  Chain a, b;

  RIDGEPOINT_BOTH PeakOperands(const PeakArguments& args, std::uint32_t thread) {
    if constexpr (form == PeakForm::immediate) {
      a = static_cast<Chain>(immediate_a);
      b = static_cast<Chain>(immediate_b);
    } else if constexpr (form == PeakForm::uniform) {
      a = operand<Chain>(args.a);
      b = operand<Chain>(args.b);
    } else {
      // Loaded by every thread, so that they sit in ordinary registers.
      const std::uint64_t* const operands = args.operands + thread * args.operand_stride;
      a = operand<Chain>(operands[0]);
      b = operand<Chain>(operands[1]);
    }
  }
};

template <class Lanes, class Op, PeakForm form, int chains, int unroll>
RIDGEPOINT_BOTH inline void peak_thread(const PeakArguments& args, Place place) {
  using Chain = typename Lanes::Chain;
  constexpr int vectors = (chains + Lanes::chains - 1) / Lanes::chains;
  const std::uint64_t thread = (args.first_block + place.block) * place.threads + place.thread;
  Chain x[vectors * Lanes::chains];
#pragma unroll
  for (int v = 0; v < vectors; ++v) {
    Lanes::unpack(args.input[(thread * vectors + v) & args.input_mask], x + v * Lanes::chains);
  }
  Chain chain[chains];
#pragma unroll
  for (int c = 0; c < chains; ++c) chain[c] = x[c];
  const PeakOperands<Chain, form> operands(args, place.thread);
  repeat_ops<Op, unroll / chains>(chain, operands.a, operands.b, args.repeat);
  // A run-time choice keeps every chain alive at the price of one store. Each chain has a store of
  // its own: of one value chosen among them ptxas (CUDA 13.0) computed one chain behind all others,
  // at the end of each trip, in 13 % more time.
#pragma unroll
  for (int c = 0; c < chains; ++c) {
    if (c == static_cast<int>(args.pick)) static_cast<Chain*>(args.out)[thread] = chain[c];
  }
}

}  // namespace kernels::cuda
