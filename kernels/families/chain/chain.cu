// Chain kernels of fp32, fp64 and int32.
#include "kernels/families/chain/chain.cuh"

namespace kernels::cuda {

ChainKernels fp32_kernels() { return chain_rows<float>(WideChainOps{}); }
ChainKernels fp64_kernels() { return chain_rows<double>(WideChainOps{}); }
ChainKernels int32_kernels() { return chain_rows<Wrapping>(ChainOps{}); }

}  // namespace kernels::cuda
