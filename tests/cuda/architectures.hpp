// What the machine code is for.
#pragma once

namespace tests {

/// __CUDA_ARCH__ of every architecture that the kernels have code of their own for.
inline constexpr int architectures[] = {750, 800, 860, 890, 900, 1000, 1200};

}  // namespace tests
