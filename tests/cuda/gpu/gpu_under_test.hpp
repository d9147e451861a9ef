// The GPU that the tests run on, or why there is none.
#pragma once

#include <string>

#include "kernels/device.hpp"

namespace gpu_under_test {

/// The first CUDA device, or nullptr: then the test counts as skipped.
kernels::Device* device();
int skipped();
std::string why_none();

}  // namespace gpu_under_test
