// What an instruction that ncu counts stands for, by case and architecture. cuda_gpu_work prints it
// for scripts/gpu-check-table.awk; cuda_instructions_test proves it on the machine code.
#pragma once

#include <fmt/format.h>

#include <string>

#include "kernels/case.hpp"
#include "kernels/cuda/trials/rows.hpp"

namespace tests {

/// "ffma:2,fadd:1": FLOP per instruction of a thread, by the name in ncu's counter
/// smsp__sass_thread_inst_executed_op_NAME_pred_on; "tensor_bf16:1" for operations of matrix units;
/// "none" where no counter tells them apart. `architecture`: __CUDA_ARCH__ of the code.
inline std::string counters_of(const kernels::Case& c, int architecture) {
  using namespace kernels;
  const std::string fp32 = "fadd:1,fmul:1,ffma:2", fp64 = "dadd:1,dmul:1,dfma:2";
  if (c.units == Units::matrix) {
    const std::string tensor = fmt::format("tensor_{}:1", name_of(c.dtype));
    if (c.op() == Op::gemm && c.dtype == Dtype::fp32) return fp32;
    return c.op() == Op::gemm && c.dtype == Dtype::fp64 ? tensor + "," + fp64 : tensor;
  }
  if (c.family == Family::stream) return c.op() == Op::triad ? fp32 : "none";
  // No counter sees a comparison; and what nvcc makes of cos for Blackwell is not the table's.
  if (c.op() == Op::relu || (c.op() == Op::cos && architecture >= 1000)) return "none";
  if (c.family == Family::rowwise || c.family == Family::pointwise)
    return c.dtype == Dtype::fp64 ? fp64 : fp32;
  // A root is looked up, and refined by products and sums that are not counted as work.
  if (info_of(c.dtype).integer || c.op() == Op::sqrt) return "none";
  const Dtype arithmetic =
      (c.family == Family::tile || c.family == Family::matmul) && size_of(c.dtype) == 2
          ? Dtype::fp32
          : cuda::chain_arithmetic(c.dtype, architecture).dtype;
  if (arithmetic == Dtype::fp64) return fp64;
  if (size_of(arithmetic) != 2) return fp32;
  // An instruction works on a pair. A product alone is also x a - 0, and a sum x 1 + b: the second
  // pipe of some architectures has HFMA2 only.
  return c.op() == Op::fma ? "hfma:4" : "hadd:2,hmul:2,hfma:2";
}

/// Instructions that such a counter counts as `hfma` and that are no work of the case, for each
/// thread at most: ptxas moves constants by HFMA2, for consumer Blackwell (12.0) most of all. None
/// where the counters are others. `architecture`: 900 is 9.0.
inline int constant_moves_of(const std::string& counters, int architecture) {
  if (counters.find("hfma") == std::string::npos) return 0;
  return architecture < 1200 ? 4 : 16;
}

}  // namespace tests
