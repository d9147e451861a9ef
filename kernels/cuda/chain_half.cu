// Chain and peak kernels of fp16 and bf16.
#include "kernels/cuda/chain.cuh"
#include "kernels/cuda/half_pairs.cuh"
#include "kernels/cuda/peak.cuh"

namespace kernels::cuda {

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

VectorKernels fp16_kernels() { return {chain_rows<Fp16Pair>(ChainOps{}), peak_rows<Fp16Pair>()}; }
VectorKernels bf16_kernels() { return {chain_rows<Bf16Pair>(ChainOps{}), peak_rows<Bf16Pair>()}; }

}  // namespace kernels::cuda
