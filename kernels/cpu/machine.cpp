#include "kernels/cpu/machine.hpp"

#include <random>

#include "kernels/cpu/enlisted.hpp"
#include "kernels/cpu/topology.hpp"
#include "kernels/device.hpp"

namespace kernels::cpu {
namespace {

// method.md: a working set of half a gibibyte behaves like DRAM, whatever L3 a virtual machine
// shows.
constexpr double surely_dram = 512.0 * 1024 * 1024;
constexpr double caches_over = 4;
constexpr double unknown_cache = 32.0 * 1024 * 1024;

}  // namespace

Machine::Machine(std::filesystem::path root, std::vector<int> processors, double last_level_cache)
    : root_(std::move(root)),
      last_level_cache_(last_level_cache > 0 ? last_level_cache : unknown_cache),
      seed_((std::uint64_t{std::random_device{}()} << 32) | std::random_device{}()),
      pool_(std::move(processors)) {}

double Machine::free_bytes() const {
  double free = available_memory(root_);
  for (const Buffer& buffer : buffers_) free += static_cast<double>(buffer.capacity());
  return free;
}

std::uint64_t Machine::next_seed() { return ++seed_; }

Buffer& Machine::reserve(Slot slot, std::uint64_t bytes, const Case& c) {
  const auto index = static_cast<std::size_t>(slot);
  // Those that this trial does not use again go back only when it does not fit otherwise.
  if (available_memory(root_) + static_cast<double>(buffers_[index].capacity()) <
      static_cast<double>(bytes)) {
    for (std::size_t later = index; later < buffers_.size(); ++later) buffers_[later].release();
  }
  buffers_[index].reserve(bytes, available_memory(root_), describe(c));
  return buffers_[index];
}

bool Machine::beyond_caches(double bytes) const {
  return bytes > std::min(last_level_cache_, surely_dram);
}

bool Machine::in_dram(double bytes) const {
  return bytes >= std::min(caches_over * last_level_cache_, surely_dram);
}

}  // namespace kernels::cpu
