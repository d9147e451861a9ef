#include "kernels/cpu/memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cstdint>

#include "engine/units.hpp"
#include "kernels/device.hpp"

namespace kernels::cpu {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;
// A buffer this much larger than asked for goes back to the system.
constexpr std::size_t most_slack = 4;
constexpr std::size_t small_buffer = std::size_t{64} << 20;

}  // namespace

void Buffer::reserve(std::size_t bytes, double free, const std::string& what) {
  const std::size_t rounded = (bytes + huge_page - 1) / huge_page * huge_page;
  if (rounded <= capacity_ && (capacity_ <= small_buffer || capacity_ / most_slack <= rounded))
    return;
  const double held = static_cast<double>(capacity_);
  release();
  const auto too_large = [&](double left) {
    return Unsupported(fmt::format("{} needs {}, and {} of memory are free: choose fewer elements",
                                   what, units::bytes(static_cast<double>(bytes)),
                                   units::bytes(left)));
  };
  // Linux promises more than it has and ends processes that take it: ask before.
  if (static_cast<double>(rounded) > free + held) throw too_large(free + held);
  void* pages = mmap(nullptr, rounded + huge_page, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) throw too_large(free + held);
  // Give back what lies before and after the aligned part.
  auto* first = static_cast<char*>(pages);
  const std::size_t before =
      (huge_page - reinterpret_cast<std::uintptr_t>(first) % huge_page) % huge_page;
  if (before > 0) munmap(first, before);
  munmap(first + before + rounded, huge_page - before);
  data_ = first + before;
  capacity_ = rounded;
  madvise(data_, capacity_, MADV_HUGEPAGE);  // a wish; without it the buffer works all the same
}

void Buffer::release() {
  if (data_ != nullptr) munmap(data_, capacity_);
  data_ = nullptr;
  capacity_ = 0;
}

}  // namespace kernels::cpu
