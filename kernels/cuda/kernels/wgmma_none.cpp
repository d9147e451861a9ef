// No code for compute capability 9.0: no wgmma.
#include "kernels/cuda/trials/tables.hpp"

namespace kernels::cuda {

std::vector<WgmmaKernel> wgmma_kernels() { return {}; }

}  // namespace kernels::cuda
