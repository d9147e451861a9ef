#include "kernels/cuda/libraries/cublaslt.hpp"

#include <fmt/format.h>

#include "kernels/cuda/libraries/library_folders.hpp"

namespace kernels::cuda {
namespace {

bool find_all(const SharedLibrary& l, cublaslt::Calls& c) {
  return l.find("cublasLtCreate", c.create) && l.find("cublasLtDestroy", c.destroy) &&
         l.find("cublasLtGetVersion", c.get_version) &&
         l.find("cublasLtGetStatusString", c.words_of) &&
         l.find("cublasLtMatmulDescCreate", c.matmul_desc_create) &&
         l.find("cublasLtMatmulDescDestroy", c.matmul_desc_destroy) &&
         l.find("cublasLtMatmulDescSetAttribute", c.matmul_desc_set_attribute) &&
         l.find("cublasLtMatrixLayoutCreate", c.matrix_layout_create) &&
         l.find("cublasLtMatrixLayoutDestroy", c.matrix_layout_destroy) &&
         l.find("cublasLtMatrixLayoutSetAttribute", c.matrix_layout_set_attribute) &&
         l.find("cublasLtMatmulPreferenceCreate", c.preference_create) &&
         l.find("cublasLtMatmulPreferenceDestroy", c.preference_destroy) &&
         l.find("cublasLtMatmulPreferenceSetAttribute", c.preference_set_attribute) &&
         l.find("cublasLtMatmulAlgoGetHeuristic", c.get_heuristic) &&
         l.find("cublasLtMatmul", c.matmul);
}

}  // namespace

// No unversioned name: our enums and structs are those of 12 and 13, it may be of any version.
CublasLt::CublasLt(int driver_version)
    : LibraryHandle(names_for_driver("libcublasLt", driver_version)) {
  if (!library_.is_open()) {
    why_not_ = fmt::format(
        "cuBLASLt (libcublasLt.so.13 or .12) was not found; install the CUDA Toolkit, `pip install "
        "nvidia-cublas`, or name its folder in {}{}",
        library_variable, library_.passed_over());
  } else if (!find_all(library_, calls_)) {
    why_not_ =
        fmt::format("{} lacks required functions; install cuBLASLt 12 or 13", library_.name());
  } else {
    const std::size_t version = calls_.get_version();  // 130100 is 13.1.0
    name_ = fmt::format("cuBLASLt {}.{}.{}", version / 10000, version / 100 % 100, version % 100);
  }
}

}  // namespace kernels::cuda
