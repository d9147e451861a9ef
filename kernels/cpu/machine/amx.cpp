#include "kernels/cpu/machine/amx.hpp"

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

namespace kernels::cpu {
namespace {

// CPUID leaf 7, EDX and EBX (Intel SDM vol. 2A, CPUID).
constexpr unsigned amx_bf16_bit = 1U << 22, amx_tile_bit = 1U << 24, amx_int8_bit = 1U << 25;
constexpr unsigned avx512f_bit = 1U << 16;
constexpr unsigned osxsave_bit = 1U << 27;  // leaf 1, ECX
// XCR0: SSE, AVX, the three parts of AVX-512, tile configuration and tile data.
constexpr std::uint64_t needed_state = 0x2 | 0x4 | 0xe0 | (1U << 17) | (1U << 18);
// Linux, Documentation/arch/x86/xstate.rst.
constexpr long request_permission = 0x1023;  // ARCH_REQ_XCOMP_PERM
constexpr long tile_data = 18;               // XFEATURE_XTILEDATA

std::uint64_t enabled_state() {
  unsigned low = 0;
  unsigned high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (std::uint64_t{high} << 32) | low;
}

/// The reason why not, or empty.
std::string find_obstacle() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (d & amx_tile_bit) == 0) {
    return "this processor has no AMX";
  }
  if ((d & amx_bf16_bit) == 0 || (d & amx_int8_bit) == 0 || (b & avx512f_bit) == 0) {
    return "this processor has AMX tiles, but not all of AMX-BF16, AMX-INT8 and AVX-512";
  }
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & osxsave_bit) == 0 ||
      (enabled_state() & needed_state) != needed_state) {
    return "the operating system (or the virtual machine) does not enable the processor's AMX "
           "state";
  }
  if (syscall(SYS_arch_prctl, request_permission, tile_data) != 0) {
    return std::string("the kernel denies this process AMX (arch_prctl: ") + std::strerror(errno) +
           "); Linux 5.16 or later grants it";
  }
  return {};
}

}  // namespace

bool amx_usable(std::string& why_not) {
  static const std::string obstacle = find_obstacle();
  why_not = obstacle;
  return obstacle.empty();
}

}  // namespace kernels::cpu
