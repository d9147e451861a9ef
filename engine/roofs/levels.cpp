#include "engine/roofs/levels.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/families/family.hpp"

namespace engine {

std::vector<CacheLevel> cache_levels(const kernels::DeviceInfo& device) {
  const int cores = std::max(device.multiprocessors, 1);
  const bool cpu = device.kind == "cpu";
  std::vector<CacheLevel> levels;
  const auto add = [&](const char* name, double bytes_of_one, int parts) {
    const double bytes = bytes_of_one * parts;
    // An outer level that is no larger than the one before it has nothing of its own to show, but
    // for the L2 of a GPU, which can be read past the L1s.
    if (bytes > 0 && (!cpu || levels.empty() || bytes > levels.back().bytes))
      levels.push_back({name, bytes, parts});
  };
  add("L1", device.l1_bytes, cores);
  add("L2", device.l2_bytes, cpu ? cores : 1);
  add("L3", device.l3_bytes, 1);
  return levels;
}

std::optional<CacheLevel> level_of(const kernels::DeviceInfo& device, const kernels::Case& what) {
  // Nobody told what it touches; what is told of its bytes is traffic of DRAM.
  if (what.family->role == kernels::Role::outside) return std::nullopt;
  const double touched = kernels::footprint_of(what);
  const bool past_l1 = what.op() == kernels::Op::l2 || what.op() == kernels::Op::l2_slices;
  const bool reads_again = what.family == kernels::Family::stream && what.repeat > 1 && !past_l1;
  for (const CacheLevel& level : cache_levels(device)) {
    if (device.kind == "cuda" && level.name == "L1" && !reads_again) continue;
    if (touched <= level.bytes) return level;
  }
  return std::nullopt;
}

std::string roof_name_of(const kernels::DeviceInfo& device, const CacheLevel& level,
                         const kernels::Case& what) {
  using kernels::Family;
  const bool shared =
      what.family == Family::matmul || what.family == Family::conv || what.op() == kernels::Op::l2;
  const bool slices = device.kind == "cuda" && level.name == "L2" && !shared;
  return slices ? slices_of_l2 : level.name;
}

double roof_set_of(const kernels::DeviceInfo& device, const CacheLevel& level) {
  const bool l2_of_gpu = device.kind == "cuda" && level.name == "L2";
  return level.bytes * (l2_of_gpu ? 2.0 / 3 : 0.5);
}

std::vector<double> curve_sizes(const kernels::DeviceInfo& device) {
  constexpr double page = 4096;
  const std::vector<CacheLevel> levels = cache_levels(device);
  std::vector<double> sizes;
  if (levels.empty()) return sizes;
  const double last = 4 * std::ranges::max(levels, {}, &CacheLevel::bytes).bytes;
  for (double size = levels.front().bytes / 4; size <= last * 1.01; size *= std::numbers::sqrt2) {
    const double whole = std::max(1.0, std::round(size / page)) * page;
    if (sizes.empty() || whole > sizes.back()) sizes.push_back(whole);
  }
  return sizes;
}

}  // namespace engine
