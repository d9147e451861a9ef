#include "kernels/cpu/machine/memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace kernels::cpu {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

}  // namespace

bool Buffer::reserve(std::size_t bytes) {
  const std::size_t rounded = (bytes + huge_page - 1) / huge_page * huge_page;
  if (rounded <= capacity_) return true;
  release();
  void* pages = mmap(nullptr, rounded + huge_page, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) return false;
  // Give back what lies before and after the aligned part.
  auto* first = static_cast<char*>(pages);
  const std::size_t before =
      (huge_page - reinterpret_cast<std::uintptr_t>(first) % huge_page) % huge_page;
  if (before > 0) munmap(first, before);
  munmap(first + before + rounded, huge_page - before);
  data_ = first + before;
  capacity_ = rounded;
  madvise(data_, capacity_, MADV_HUGEPAGE);  // a wish; without it the buffer works all the same
  return true;
}

double Buffer::touched_bytes() const {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> pages(capacity_ / page);
  if (capacity_ == 0 || mincore(data_, capacity_, pages.data()) != 0) return 0;
  const auto present = std::ranges::count_if(pages, [](unsigned char p) { return (p & 1) != 0; });
  return static_cast<double>(present) * static_cast<double>(page);
}

void Buffer::release() {
  if (data_ != nullptr) munmap(data_, capacity_);
  data_ = nullptr;
  capacity_ = 0;
}

}  // namespace kernels::cpu
