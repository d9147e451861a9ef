#include "kernels/cpu/machine/memory.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <new>
#include <string>
#include <vector>

namespace kernels::cpu {
namespace {

/// Huge pages lie at multiples of their size.
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

void Buffer::drop() {
  if (data_ != nullptr) madvise(data_, capacity_, MADV_DONTNEED);
}

double Buffer::touched_bytes() const {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> pages(capacity_ / page);
  if (capacity_ == 0 || mincore(data_, capacity_, pages.data()) != 0) return 0;
  const auto present = std::ranges::count_if(pages, [](unsigned char p) { return (p & 1) != 0; });
  return static_cast<double>(present) * static_cast<double>(page);
}

double Buffer::huge_share() const {
  const auto begin = reinterpret_cast<std::uintptr_t>(data_);
  std::ifstream maps("/proc/self/smaps");
  double resident = 0, huge = 0;  // KiB
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    // Each mapping begins with "begin-end ", in hexadecimal.
    const char* const end_of_line = line.data() + line.size();
    std::uintptr_t first = 0, last = 0;
    const auto [dash, error] = std::from_chars(line.data(), end_of_line, first, 16);
    if (error == std::errc() && dash < end_of_line && *dash == '-') {
      std::from_chars(dash + 1, end_of_line, last, 16);
      inside = first < begin + capacity_ && last > begin;
      continue;
    }
    const auto value = [&] { return std::strtod(line.c_str() + line.find(':') + 1, nullptr); };
    if (inside && line.starts_with("Rss:")) resident += value();
    if (inside && line.starts_with("AnonHugePages:")) huge += value();
  }
  return resident > 0 ? huge / resident : 0;
}

void Buffer::release() {
  if (data_ != nullptr) munmap(data_, capacity_);
  data_ = nullptr;
  capacity_ = 0;
}

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
