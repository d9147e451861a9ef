// What one thread of a vector peak launch does. Plain C++, so that tests run it on the host.
#pragma once

#include "kernels/cuda/chain_body.hpp"

namespace kernels::cuda {

template <class Lanes, class Op, PeakForm form, int chains>
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
  // Loaded by every thread, so that they sit in ordinary registers.
  const std::uint64_t* const operands = args.operands + place.thread * args.operand_stride;
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

}  // namespace kernels::cuda
