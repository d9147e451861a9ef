#include "kernels/cpu/machine/pages.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <new>

namespace kernels::cpu {
namespace {

/// Huge pages lie at multiples of their size.
constexpr std::size_t huge_page = 2 << 20;

}  // namespace

Pages::Pages(std::size_t bytes, PageSize size)
    : bytes_(bytes), all_(size == PageSize::huge ? bytes + huge_page : bytes) {
  void* const got = mmap(nullptr, all_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (got == MAP_FAILED) throw std::bad_alloc();
  mapped_ = static_cast<char*>(got);
  const auto at = reinterpret_cast<std::uintptr_t>(got);
  const bool huge = size == PageSize::huge;
  data_ = huge ? mapped_ + ((huge_page - at % huge_page) % huge_page) : mapped_;
  if (size != PageSize::usual) madvise(data_, bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
}

// The C library has no names for these calls and their constants (Linux, mempolicy.h).
bool Pages::prefer(int node) {
  constexpr int preferred = 1;  // MPOL_PREFERRED
  constexpr unsigned long bits = 8 * sizeof(unsigned long);
  std::array<unsigned long, 1024 / bits> nodes{};
  const auto number = static_cast<unsigned long>(node);
  if (number / bits >= nodes.size()) return false;
  nodes[number / bits] = 1UL << number % bits;
  // The kernel looks at one bit less than it is told.
  return syscall(SYS_mbind, data_, bytes_, preferred, nodes.data(), nodes.size() * bits + 1, 0) ==
         0;
}

bool Pages::lie_on(int node) const {
  constexpr unsigned long node_of_address = 1 | 2;  // MPOL_F_NODE, MPOL_F_ADDR
  for (const std::size_t at : {std::size_t{0}, bytes_ / 2, bytes_ - 1}) {
    int found = -1;
    if (syscall(SYS_get_mempolicy, &found, nullptr, 0, data_ + at, node_of_address) != 0 ||
        found != node)
      return false;
  }
  return true;
}

Pages::~Pages() { munmap(mapped_, all_); }

}  // namespace kernels::cpu
