// Peak kernels of fp32.
#include "kernels/families/peak/peak.cuh"

namespace kernels::cuda {

std::vector<PeakKernel> fp32_peaks() { return peak_rows<Dtype::fp32, float>(); }

}  // namespace kernels::cuda
