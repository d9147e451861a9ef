#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "kernels/cpu/machine/processor.hpp"

namespace kernels::cpu {
namespace {

struct Registers {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

Registers cpuid(unsigned leaf, unsigned subleaf = 0) {
  Registers r;
  __get_cpuid_count(leaf, subleaf, &r.eax, &r.ebx, &r.ecx, &r.edx);
  return r;
}

bool bit(unsigned word, int index) { return ((word >> index) & 1U) != 0; }

/// Register files that the operating system saves (XCR0); 0 without XSAVE.
unsigned saved_state() {
  if (!bit(cpuid(1).ecx, 27)) return 0;  // OSXSAVE
  unsigned low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

/// Why AMX cannot be used, or empty. Bit numbers: Intel SDM volume 2, CPUID leaf 7.
std::string find_amx_obstacle() {
  // XCR0: SSE, AVX, the three parts of AVX-512, tile configuration and tile data.
  constexpr unsigned needed_state = 0x2 | 0x4 | 0xe0 | (1U << 17) | (1U << 18);
  // Linux, Documentation/arch/x86/xstate.rst.
  constexpr long request_permission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long tile_data = 18;               // XFEATURE_XTILEDATA
  const Registers extended = cpuid(7);
  const bool bf16 = bit(extended.edx, 22), tiles = bit(extended.edx, 24),
             int8 = bit(extended.edx, 25), avx512f = bit(extended.ebx, 16);
  if (!tiles) return "this processor has no AMX";
  if (!bf16 || !int8 || !avx512f)
    return "this processor has AMX tiles, but not all of AMX-BF16, AMX-INT8 and AVX-512";
  if ((saved_state() & needed_state) != needed_state) {
    return "the operating system (or the virtual machine) does not enable the processor's AMX "
           "state";
  }
  if (syscall(SYS_arch_prctl, request_permission, tile_data) != 0) {
    return std::string("the kernel denies this process AMX (arch_prctl: ") + std::strerror(errno) +
           "); Linux 5.16 or later grants it";
  }
  return {};
}

ProcessorModel model_by_cpuid() {
  const Registers vendor = cpuid(0);
  char name[13] = {};
  std::memcpy(name, &vendor.ebx, 4);
  std::memcpy(name + 4, &vendor.edx, 4);
  std::memcpy(name + 8, &vendor.ecx, 4);
  const unsigned signature = cpuid(1).eax;
  int family = static_cast<int>((signature >> 8) & 0xfU);
  int model = static_cast<int>((signature >> 4) & 0xfU);
  if (family == 6 || family == 15) model += static_cast<int>((signature >> 16) & 0xfU) << 4;
  if (family == 15) family += static_cast<int>((signature >> 20) & 0xffU);
  return {name, family, model};
}

}  // namespace

ProcessorModel processor_model(const std::filesystem::path&, const std::vector<int>&) {
  return model_by_cpuid();
}

// Reserved for hypervisors to set, zero on every processor (Intel SDM volume 2, CPUID leaf 1).
bool on_hypervisor() { return bit(cpuid(1).ecx, 31); }

// Bit numbers: Intel SDM volume 2, CPUID leaves 1 and 7.
Features processor_features() {
  constexpr unsigned ymm_state = 0x6, zmm_state = 0xe6;
  const unsigned state = saved_state();
  const Registers basic = cpuid(1), extended = cpuid(7);
  Features features;
  features.avx2_fma = (state & ymm_state) == ymm_state && bit(basic.ecx, 12) &&
                      bit(basic.ecx, 29) && bit(extended.ebx, 5);
  features.avx512 = features.avx2_fma && (state & zmm_state) == zmm_state &&
                    bit(extended.ebx, 16) && bit(extended.ebx, 17) && bit(extended.ebx, 30) &&
                    bit(extended.ebx, 31);
  features.avx512_fp16 = features.avx512 && bit(extended.edx, 23);
  const Registers more = cpuid(7, 1);  // zero where there is no such subleaf
  features.avx512_vnni = features.avx512 && bit(extended.ecx, 11);
  // Intel's cores start a VDPBF16PS only every other cycle: half the rate of fp32 FMAs (118 against
  // 238 GFLOP/s measured, docs/lab-notes.md), so that tiles of bf16 are faster without.
  const bool every_cycle = model_by_cpuid().vendor != "GenuineIntel";
  features.avx512_bf16 = features.avx512 && extended.eax >= 1 && bit(more.eax, 5) && every_cycle;
  features.avx_vnni = features.avx2_fma && extended.eax >= 1 && bit(more.eax, 4);
  return features;
}

bool amx_usable(std::string& why_not) {
  static const std::string obstacle = find_amx_obstacle();
  why_not = obstacle;
  return obstacle.empty();
}

// MXCSR: bit 15 flushes results, bit 6 takes subnormal operands as zero.
FlushToZero::FlushToZero() : old_(_mm_getcsr()) { _mm_setcsr(old_ | 0x8040U); }
FlushToZero::~FlushToZero() { _mm_setcsr(old_); }

void spin_pause() { _mm_pause(); }

bool can_flush() { return true; }  // SSE2
void flush(const void* data, std::size_t bytes) {
  const char* const first = static_cast<const char*>(data);
  for (std::size_t at = 0; at < bytes; at += shortest_line) _mm_clflush(first + at);
  _mm_mfence();
}

}  // namespace kernels::cpu
