// Peak kernels of fp64.
#include "kernels/families/peak/peak.cuh"

namespace kernels::cuda {

std::vector<PeakKernel> fp64_peaks() { return peak_rows<Dtype::fp64, double>(); }

}  // namespace kernels::cuda
