// Peak kernels of int32.
#include "kernels/families/peak/peak.cuh"

namespace kernels::cuda {

std::vector<PeakKernel> int32_peaks() { return peak_rows<Dtype::int32, Wrapping>(); }

}  // namespace kernels::cuda
