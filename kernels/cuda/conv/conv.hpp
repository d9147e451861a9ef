// Convolutions on one GPU: the family `conv`, by cuDNN.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/cuda/libraries/cudnn.hpp"
#include "kernels/cuda/runtime/gpu.hpp"
#include "kernels/device.hpp"

namespace kernels::cuda {

/// The algorithms that cuDNN can be asked for, by its own names.
std::vector<std::string> cudnn_algorithms();

/// Our own, of which there are none, and the library's.
std::vector<Kernel> conv_rows(const Cudnn&);

/// Throws Unsupported with the reason.
std::unique_ptr<Trial> make_conv(Gpu&, Cudnn&, const Case&);

}  // namespace kernels::cuda
