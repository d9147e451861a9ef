// Peak kernels of int8: sums of four products.
#include "kernels/families/peak/peak.cuh"

namespace kernels::cuda {

std::vector<PeakKernel> int8_peaks() { return peak_rows<Dtype::int8, Int8Quad>(); }

}  // namespace kernels::cuda
