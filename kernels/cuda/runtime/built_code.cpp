// What the build was told. On its own, so that no other file depends on that.
#include "kernels/cuda/runtime/open_reason.hpp"

namespace kernels::cuda {

std::vector<BuiltCode> built_code() { return built_code_of(RIDGEPOINT_BUILT_ARCHITECTURES); }

}  // namespace kernels::cuda
