// Which matrix products a GPU runs, and why not the rest. Plain C++.
#pragma once

#include <string>
#include <vector>

#include "kernels/cuda/trials/architecture.hpp"
#include "kernels/device.hpp"

namespace kernels::cuda {

/// Our own kernels and the library's, on vector and on matrix units; `why_not` of the library,
/// empty when it is there, and its name.
std::vector<Kernel> matmul_rows(Architecture, const std::string& why_not,
                                const std::string& library);

/// The units on which the library multiplies a dtype on a GPU (900: compute capability 9.0).
Units library_units(Dtype, int gpu);

/// Why the library does not multiply matrices of that many columns; empty: it does.
std::string columns_refusal(Dtype, std::uint64_t n);

}  // namespace kernels::cuda
