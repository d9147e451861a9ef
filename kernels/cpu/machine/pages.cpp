#include "kernels/cpu/machine/pages.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <new>

namespace kernels::cpu {
namespace {

/// Huge pages lie at multiples of their size.
constexpr std::size_t huge_page = 2 << 20;

}  // namespace

Pages::Pages(std::size_t bytes, bool huge) : bytes_(bytes), all_(huge ? bytes + huge_page : bytes) {
  void* const got = mmap(nullptr, all_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (got == MAP_FAILED) throw std::bad_alloc();
  mapped_ = static_cast<char*>(got);
  const auto at = reinterpret_cast<std::uintptr_t>(got);
  data_ = huge ? mapped_ + ((huge_page - at % huge_page) % huge_page) : mapped_;
  madvise(data_, bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
}

Pages::~Pages() { munmap(mapped_, all_); }

}  // namespace kernels::cpu
