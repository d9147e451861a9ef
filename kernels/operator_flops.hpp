// FLOP that the kernels of each kind of device execute for operators of networks, counted in their
// machine code: docs/lab-notes.md, "FLOP of operators".
#pragma once

#include <string_view>

#include "kernels/case.hpp"

namespace kernels {

/// Of an operator of `pointwise`, for one element.
struct PointwiseFlops {
  double forward = 0;
  double gradient = 0;  ///< a gradient times the derivative
  double shared = 0;    ///< of both together, what one kernel with both executes once
};

/// Of one kind of device.
struct OperatorFlops {
  std::string_view kind;                             ///< DeviceInfo::kind
  PointwiseFlops (*pointwise)(Op, Dtype) = nullptr;  ///< 0 for what it does not run
  double (*rowwise)(const Case&) = nullptr;          ///< of the whole case
};

/// One file each, beside the kernels.
extern const OperatorFlops cpu_operator_flops, cuda_operator_flops;

}  // namespace kernels
