// Chain kernels of fp16 and bf16.
#include "kernels/families/chain/chain.cuh"

namespace kernels::cuda {

ChainKernels fp16_kernels() { return chain_rows<Fp16Pair>(ChainOps{}); }
ChainKernels bf16_kernels() { return chain_rows<Bf16Pair>(ChainOps{}); }

}  // namespace kernels::cuda
