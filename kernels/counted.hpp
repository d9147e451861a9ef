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
/// Shares of the multiprocessors that had work, of the cores of a CPU that had, of the warps that
/// multiprocessors can hold, and of the time in which any kernel ran (GPU-Util).
inline constexpr std::string_view busy = "SM busy", cores_busy = "cores busy",
                                  occupancy = "occupancy", any_kernel = "GPU-Util";
/// The share of the time in which the power limit lowered the clock.
inline constexpr std::string_view power_limited = "at the power limit";
/// FLOP/s of vectors and byte/s of DRAM, of devices that count work itself.
inline constexpr std::string_view fp64_rate = "FP64 FLOP/s", fp32_rate = "FP32 FLOP/s",
                                  dram_rate = "DRAM byte/s";
/// Byte/s.
inline constexpr std::string_view pcie_sent = "PCIe sent", pcie_received = "PCIe received",
                                  nvlink_sent = "NVLink sent", nvlink_received = "NVLink received";
/// Byte/s of DRAM of a case: the bytes of a run as counted, over the runtime of the point.
inline constexpr std::string_view own_bandwidth = "counted by the device";
/// Byte of device memory that a process holds, by its name.
inline constexpr std::string_view memory_prefix = "memory of ";
inline std::string memory_of(std::string_view process) {
  return std::string(memory_prefix).append(process);
}

}  // namespace kernels::counted
