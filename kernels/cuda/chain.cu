// Chain and peak kernels of fp32, fp64 and int32.
#include "kernels/cuda/chain.cuh"
#include "kernels/cuda/peak.cuh"

namespace kernels::cuda {

VectorKernels fp32_kernels() { return {chain_rows<float>(ChainOps{}), peak_rows<float>()}; }
VectorKernels fp64_kernels() { return {chain_rows<double>(ChainOps{}), peak_rows<double>()}; }
VectorKernels int32_kernels() { return {chain_rows<Wrapping>(ChainOps{}), peak_rows<Wrapping>()}; }

}  // namespace kernels::cuda
