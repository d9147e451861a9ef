#include "kernels/cpu/machine/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "kernels/cpu/machine/pinned_caller.hpp"
#include "kernels/cpu/machine/topology.hpp"
#include "kernels/device.hpp"
#include "kernels/units.hpp"

namespace kernels::cpu {
namespace {

constexpr double unknown_cache = 32.0 * 1024 * 1024;

Unsupported too_large(const Case& c, double free) {
  return Unsupported(fmt::format("{} needs {}, and {} of memory are free: choose fewer elements",
                                 describe(c), units::bytes(footprint_of(c)), units::bytes(free)));
}

}  // namespace

CacheBorders cache_borders(double last_level_cache, bool virtual_machine) {
  const double cache = last_level_cache > 0 ? last_level_cache : unknown_cache;
  return {.beyond_caches = virtual_machine ? std::min(cache, surely_dram) : cache,
          .in_dram = dram_working_set(cache, virtual_machine)};
}

Machine::Machine(std::filesystem::path root, std::vector<int> processors, CacheBorders borders,
                 Pace pace)
    : root_(std::move(root)),
      borders_(borders),
      seed_((std::uint64_t{std::random_device{}()} << 32) | std::random_device{}()),
      contention_(static_cast<int>(processors.size()), std::move(pace)),
      pool_(std::move(processors)) {}

double Machine::free_bytes() const {
  double free = available_memory(root_);
  for (const Buffer& buffer : buffers_) free += buffer.touched_bytes();
  return free;
}

void Machine::check_fits(const Case& c) const {
  const double free = free_bytes();
  if (footprint_of(c) > free) throw too_large(c, free);
}

std::uint64_t Machine::next_seed() { return ++seed_; }

Buffer& Machine::reserve(Slot slot, std::uint64_t bytes, const Case& c) {
  const auto index = static_cast<std::size_t>(slot);
  // Those that this trial does not use again go back only when it does not fit otherwise.
  if (available_memory(root_) + buffers_[index].touched_bytes() < static_cast<double>(bytes)) {
    for (std::size_t later = index; later < buffers_.size(); ++later) buffers_[later].release();
  }
  if (!buffers_[index].reserve(bytes)) throw too_large(c, free_bytes());
  return buffers_[index];
}

}  // namespace kernels::cpu
