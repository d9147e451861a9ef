// What the operators of neural networks run in, and why not the rest. Plain C++.
#pragma once

#include <vector>

#include "kernels/device.hpp"

namespace kernels::cuda {

/// One row per op and dtype of `pointwise` or `rowwise`.
std::vector<Kernel> operator_rows(Family);

/// Whether an operator calls a function of the library.
bool calls_function(Op);

}  // namespace kernels::cuda
