// The part of a GPU that a process can use, in words: a MIG slice, or a share under MPS. Plain C++:
// knows numbers, not CUDA.
#pragma once

#include <string>

namespace kernels::cuda {

/// What CUDA says of the device at hand, and NVML of the whole GPU; 0 = unknown. How much memory
/// MPS lets a process have (set_default_device_pinned_mem_limit) neither of them tells: properties
/// show all of it (NVIDIA/k8s-device-plugin, issue 764). So of memory only the share of a slice is
/// named.
struct Partition {
  bool slice = false;   ///< a MIG device, whose name says so
  bool shared = false;  ///< MPS runs kernels of other processes at the same time
  int multiprocessors = 0, all_multiprocessors = 0;
  double memory_bytes = 0, all_memory_bytes = 0;
};

/// "MIG slice: 60 of 132 SMs, 70 GiB of 140 GiB"; "MPS: 66 of 132 SMs, shared with other
/// processes". Empty for a GPU that belongs to this process as a whole.
std::string partition_text(const Partition&);

/// Whether the name that CUDA gives belongs to a slice: "NVIDIA H200 MIG 3g.71gb".
bool is_slice(const std::string& name);

/// Cores of a multiprocessor, as NVML counts them: fp32 lanes (CUDA C++ Programming Guide, "Compute
/// Capabilities").
int cores_per_multiprocessor(int major, int minor);

}  // namespace kernels::cuda
