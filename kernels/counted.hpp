// What devices count of all that runs on them: the names in Activity::counted, and in the values of
// points.
#pragma once

#include <string>
#include <string_view>

namespace kernels::counted {

/// Shares, 0 to 1, of the bandwidth of DRAM, and of the time in which each kind of unit worked.
/// `tensor` is any of the three below it: of fp64; of fp16, bf16, tf32 and fp8; of int8.
inline constexpr std::string_view dram = "DRAM", fp64 = "FP64", fp32 = "FP32", fp16 = "FP16",
                                  integer = "integer", tensor = "tensor", dmma = "DMMA",
                                  hmma = "HMMA", imma = "IMMA";
/// Shares of the multiprocessors that had work, of the warps that they can hold, and of the time in
/// which any kernel ran (GPU-Util).
inline constexpr std::string_view busy = "SM busy", occupancy = "occupancy",
                                  any_kernel = "GPU-Util";
/// Byte/s.
inline constexpr std::string_view pcie_sent = "PCIe sent", pcie_received = "PCIe received",
                                  nvlink_sent = "NVLink sent", nvlink_received = "NVLink received";
/// Byte of device memory that a process holds, by its name.
inline constexpr std::string_view memory_prefix = "memory of ";
inline std::string memory_of(std::string_view process) {
  return std::string(memory_prefix).append(process);
}

}  // namespace kernels::counted
