// The memory levels of a device by name and capacity: what a working set of some size fits in.
#pragma once

#include <string>
#include <vector>

#include "engine/session.hpp"

namespace engine {

/// A cache that a whole kernel can use: all cores' (SMs') together.
struct CacheLevel {
  std::string name;  ///< as its roof: "L1", "L2", "L3"
  double bytes = 0;
};

/// From the smallest to the largest; levels of unknown size are left out.
std::vector<CacheLevel> cache_levels(const kernels::DeviceInfo&);

/// The smallest level that holds what a case touches, or nothing: then it comes from DRAM.
std::optional<CacheLevel> level_of(const kernels::DeviceInfo&, const kernels::Case&);

}  // namespace engine
