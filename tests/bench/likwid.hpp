// The peer: likwid-bench, run as a program, its figures read from its output.
#pragma once

#include <optional>
#include <string>

#include "kernels/device.hpp"

namespace bench {

/// Kernel names of likwid-bench for the widest instruction set of a CPU.
struct LikwidKernels {
  std::string peak_fp32;  ///< "peakflops_sp_avx512_fma"
  std::string copy;       ///< "copy_mem_avx512"
};
LikwidKernels likwid_kernels(const kernels::DeviceInfo&);

/// FLOP/s of a peakflops kernel on `threads` threads, 32 kB each; nothing when likwid-bench is
/// missing or fails.
std::optional<double> likwid_flops(const std::string& kernel, int threads);

/// byte/s of a memory kernel on `threads` threads over 1 GB.
std::optional<double> likwid_bytes(const std::string& kernel, int threads);

}  // namespace bench
