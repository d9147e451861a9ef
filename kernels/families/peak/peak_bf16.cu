// Peak kernels of bf16.
#include "kernels/families/peak/peak.cuh"

namespace kernels::cuda {

std::vector<PeakKernel> bf16_peaks() { return peak_rows<Dtype::bf16, Bf16Pair>(); }

}  // namespace kernels::cuda
