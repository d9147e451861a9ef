// The arithmetic that an architecture has for elements in memory of a type.
#pragma once

#include "kernels/cuda/kernels/half_pairs.cuh"
#include "kernels/families/chain/chain_body.hpp"

namespace kernels::cuda {

template <class Memory>
struct LanesOf {
  using Lanes = Packed<Memory>;
};

template <>
struct LanesOf<Fp16Pair> {
  using Lanes = Packed<Fp16Pair, 2>;
};

// bf16 arithmetic exists from compute capability 8.0; before, bf16 is only how elements are stored.
template <>
struct LanesOf<Bf16Pair> {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  using Lanes = WidenedBf16;
#else
  using Lanes = Packed<Bf16Pair, 2>;
#endif
};

}  // namespace kernels::cuda
