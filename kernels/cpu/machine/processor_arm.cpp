// 64-bit Arm processors.
#include <sys/auxv.h>

#include <cstdint>

#include "kernels/cpu/machine/processor.hpp"

namespace kernels::cpu {
namespace {

// FPCR, bit 24: subnormal operands and results are zero (Arm Architecture Reference Manual).
constexpr std::uint64_t zeros = std::uint64_t{1} << 24;
// HWCAP_SVE (Linux, arch/arm64/include/uapi/asm/hwcap.h), which other C libraries do not define.
constexpr unsigned long has_sve = 1UL << 22;

std::uint64_t control() {
  std::uint64_t value = 0;
  __asm__ volatile("mrs %0, fpcr" : "=r"(value));
  return value;
}
void set_control(std::uint64_t value) { __asm__ volatile("msr fpcr, %0" : : "r"(value)); }

}  // namespace

ProcessorModel processor_model(const std::filesystem::path& root,
                               const std::vector<int>& processors) {
  return arm_model(root, processors);
}
Features processor_features() { return {.sve = (getauxval(AT_HWCAP) & has_sve) != 0}; }
bool on_hypervisor() { return false; }  // it does not tell

FlushToZero::FlushToZero() : old_(static_cast<unsigned>(control())) { set_control(old_ | zeros); }
FlushToZero::~FlushToZero() { set_control(old_); }

void spin_pause() { __asm__ volatile("yield" ::: "memory"); }

bool can_flush() { return true; }  // Linux lets programs use it
void flush(const void* data, std::size_t bytes) {
  const char* const first = static_cast<const char*>(data);
  for (std::size_t at = 0; at < bytes; at += shortest_line)
    asm volatile("dc civac, %0" ::"r"(first + at) : "memory");
  asm volatile("dsb sy" ::: "memory");
}

}  // namespace kernels::cpu
