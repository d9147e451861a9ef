#include "kernels/cpu/machine/flush.hpp"

namespace kernels::cpu {
namespace {

/// The shortest line of a processor that has the instruction.
constexpr std::size_t line = 64;

}  // namespace

#if defined(__x86_64__)

bool can_flush() { return true; }  // SSE2
void flush(const void* data, std::size_t bytes) {
  const char* const first = static_cast<const char*>(data);
  for (std::size_t at = 0; at < bytes; at += line) __builtin_ia32_clflush(first + at);
  __builtin_ia32_mfence();
}

#elif defined(__aarch64__)

bool can_flush() { return true; }  // Linux lets programs use it
void flush(const void* data, std::size_t bytes) {
  const char* const first = static_cast<const char*>(data);
  for (std::size_t at = 0; at < bytes; at += line)
    asm volatile("dc civac, %0" ::"r"(first + at) : "memory");
  asm volatile("dsb sy" ::: "memory");
}

#else

bool can_flush() { return false; }
void flush(const void*, std::size_t) {}

#endif

}  // namespace kernels::cpu
