#include "engine/levels.hpp"

namespace engine {

std::vector<CacheLevel> cache_levels(const kernels::DeviceInfo& device) {
  const double cores = device.multiprocessors > 0 ? device.multiprocessors : 1;
  const bool cpu = device.kind == "cpu";
  std::vector<CacheLevel> levels;
  const auto add = [&](const char* name, double bytes) {
    // An outer level that is no larger than the one before it has nothing of its own to show.
    if (bytes > 0 && (levels.empty() || bytes > levels.back().bytes))
      levels.push_back({name, bytes});
  };
  add("L1", device.l1_bytes * cores);
  add("L2", cpu ? device.l2_bytes * cores : device.l2_bytes);
  add("L3", device.l3_bytes);
  return levels;
}

std::optional<CacheLevel> level_of(const kernels::DeviceInfo& device, const kernels::Case& what) {
  const double touched = kernels::footprint_of(what);
  for (const CacheLevel& level : cache_levels(device)) {
    if (touched <= level.bytes) return level;
  }
  return std::nullopt;
}

}  // namespace engine
