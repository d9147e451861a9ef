// Peak kernels of fp16.
#include "kernels/families/peak/peak.cuh"

namespace kernels::cuda {

std::vector<PeakKernel> fp16_peaks() { return peak_rows<Dtype::fp16, Fp16Pair>(); }

}  // namespace kernels::cuda
