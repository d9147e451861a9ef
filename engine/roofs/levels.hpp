// The memory levels of a device by name and capacity: what a working set of some size fits in.
#pragma once

#include <string>
#include <vector>

#include "engine/session/session.hpp"

namespace engine {

/// A cache that a whole kernel can use: all cores' (SMs') together. The L2 of some GPUs is smaller
/// than all their L1s.
struct CacheLevel {
  std::string name;  ///< as its roof: "L1", "L2", "L3"
  double bytes = 0;  ///< of all parts
  int parts = 1;     ///< one of each core (SM), unless all share it
};

/// From the innermost to the outermost; levels of unknown size are left out.
std::vector<CacheLevel> cache_levels(const kernels::DeviceInfo&);

/// The innermost level that holds what a case touches, or nothing: then it comes from DRAM. The L1
/// of a GPU is empty when a kernel starts, so that it holds only what the same kernel reads again.
std::optional<CacheLevel> level_of(const kernels::DeviceInfo&, const kernels::Case&);

/// Working sets of the level curve in byte, ascending: from a quarter of the smallest level to four
/// times the largest, two per octave; multiples of 4 KiB.
std::vector<double> curve_sizes(const kernels::DeviceInfo&);

/// A point of the level curve.
struct CurvePoint {
  double bytes = 0;      ///< working set
  double rate = 0;       ///< byte/s
  bool past_l1 = false;  ///< read from the L2 of a GPU, whatever fits its L1s
};

/// What the curve says of one level.
struct Plateau {
  std::string level;
  double bytes = 0;   ///< the working set in its middle; 0 = the level has no plateau of its own
  double rate = 0;    ///< byte/s, median over it
  std::string why{};  ///< when there is none
};

/// One for each level: neighbouring working sets that fit this level and are well beyond the one
/// inside it (reads past the L1 need not be), at rates that are alike, clearly above what comes
/// after. Where no level is known, one that says so. Pure.
std::vector<Plateau> plateaus_of(const std::vector<CurvePoint>&, const std::vector<CacheLevel>&);

}  // namespace engine
