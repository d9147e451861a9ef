// What this processor is, which instruction sets it may use, and how its caches are emptied. One
// file per architecture:
// processor_x86.cpp, processor_arm.cpp, processor_other.cpp.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/device.hpp"

namespace kernels::cpu {

/// CPUID's words for a model; of an Arm core implementer and part, as its MIDR_EL1 has them. All
/// zero where there is neither.
struct ProcessorModel {
  std::string vendor;  ///< "AuthenticAMD", "GenuineIntel", arm_vendor
  int family = 0;
  int model = 0;

  bool operator==(const ProcessorModel&) const = default;
};
inline constexpr std::string_view arm_vendor = "Arm";

/// Instruction sets that processor and operating system support, AMX apart (amx_usable()).
struct Features {
  bool avx2_fma = false;  ///< AVX2, FMA and F16C
  bool avx512 = false;    ///< F, BW, DQ, VL
  bool avx512_fp16 = false;
  bool avx512_bf16 = false;  ///< and its dot products are worth using
  bool avx512_vnni = false;
  bool avx_vnni = false;
  bool sve = false;  ///< Arm; there are no kernels for it
};

/// Of the given processors, of which Linux tells below `root`.
ProcessorModel processor_model(const std::filesystem::path& root,
                               const std::vector<int>& processors);
/// The Arm cores below `root`; nothing where they differ, or it does not tell.
ProcessorModel arm_model(const std::filesystem::path& root, const std::vector<int>& processors);
/// On a hypervisor, as far as the processor tells.
bool on_hypervisor();
Features processor_features();
/// True when processor and operating system support AMX tiles with bf16 and int8, and this process
/// got the permission to use them, which the first call asks for (Linux needs that before the first
/// tile instruction; it then holds for all threads). Otherwise false, and `why_not` is one
/// sentence.
bool amx_usable(std::string& why_not);

/// Theoretical peaks of a known microarchitecture with these features and AMX as told; empty for a
/// model that is not in the table.
std::vector<PeakPerClock> peaks_of(const ProcessorModel&, const Features&, bool amx);

/// Flushes subnormal results and operands to zero in the calling thread (they cost about 100 times
/// a normal op), and puts the old mode back.
class FlushToZero {
 public:
  FlushToZero();
  ~FlushToZero();
  FlushToZero(const FlushToZero&) = delete;
  FlushToZero& operator=(const FlushToZero&) = delete;

 private:
  [[maybe_unused]] unsigned old_ = 0;
};

/// Tells the processor that the thread spins.
void spin_pause();

/// The shortest line of a cache of a processor that has an instruction to empty it.
inline constexpr std::size_t shortest_line = 64;
/// Whether there is such an instruction here.
bool can_flush();
/// Writes back and drops every line of these bytes from every cache; returns when that is done.
void flush(const void* data, std::size_t bytes);

/// The core's clock in Hz now, from a chain of additions that each take one clock. Lasts about
/// `seconds`.
double measure_clock(double seconds);

/// What a core does in one clock now, the clock told by additions that wait for one another: what
/// others leave of its execution units.
struct OpsPerClock {
  double adds = 0;      ///< independent additions of integers
  double products = 0;  ///< independent multiplications of doubles
};
/// Lasts about 15 us.
OpsPerClock ops_per_clock();

}  // namespace kernels::cpu
