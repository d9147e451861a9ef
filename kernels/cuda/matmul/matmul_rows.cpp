#include "kernels/cuda/matmul/matmul_rows.hpp"

#include <fmt/format.h>

#include "kernels/cuda/bodies/mma_layout.hpp"
#include "kernels/cuda/matmul/gemm_shape.hpp"
#include "kernels/cuda/matmul/matmul_tables.hpp"
#include "kernels/cuda/trials/rows.hpp"
#include "kernels/families/family.hpp"

namespace kernels::cuda {
namespace {

Kernel own_row(Dtype dtype, Units units, Architecture architecture) {
  Kernel row = tile_row(Family::matmul, dtype, units, architecture);
  if (row.runs) row.note += fmt::format(", tiles of {0} x {0}", product_tile);
  return row;
}

Kernel library_row(Dtype dtype, Units units, int gpu, const std::string& why_not,
                   const std::string& library) {
  std::string why = gemm_refusal(dtype, gpu);
  if (const Units theirs = library_units(dtype, gpu); why.empty() && units != theirs)
    why = fmt::format("cuBLASLt multiplies {} on {} units", name_of(dtype), name_of(theirs));
  if (why.empty()) why = why_not;
  return answered(
      {.family = Family::matmul, .op = Op::mma, .dtype = dtype, .units = units, .by = By::library},
      why, library);
}

}  // namespace

Units library_units(Dtype dtype, int gpu) {
  if (dtype == Dtype::fp64) return mma_shape(dtype, gpu).native() ? Units::matrix : Units::vector;
  return dtype == Dtype::fp32 ? Units::vector : Units::matrix;
}

// "Using the cuBLASLt API", cublasLtMatmul(): what the kernels of these types ask of m, which is
// our n, as the library counts by columns. k is a multiple of 16 bytes in memory.
std::string columns_refusal(Dtype dtype, std::uint64_t n) {
  const std::uint64_t multiple = dtype == Dtype::fp8 ? 16 : dtype == Dtype::int8 ? 4 : 1;
  if (n % multiple == 0) return "";
  return fmt::format("cuBLASLt multiplies {} where n is a multiple of {}; here it is {}",
                     name_of(dtype), multiple, n);
}

std::vector<Kernel> matmul_rows(Architecture architecture, const std::string& why_not,
                                const std::string& library) {
  std::vector<Kernel> rows;
  for (const Units units : Family::matmul->units) {
    for (const DtypeInfo& info : dtypes) {
      rows.push_back(own_row(info.dtype, units, architecture));
      rows.push_back(library_row(info.dtype, units, architecture.gpu, why_not, library));
    }
  }
  return rows;
}

}  // namespace kernels::cuda
