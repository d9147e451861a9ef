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

/// The roof of a GPU's L2 for what each multiprocessor reads of a part of its own: half of it comes
/// from the far half of the L2. "L2" is what all get that read all of it, again and again: lines
/// that many want lie in both halves.
inline constexpr const char* slices_of_l2 = "L2 slices";

/// The roof that bounds a case in a level: that of the level, or of its slices where each element
/// goes through one multiprocessor of a GPU.
std::string roof_name_of(const kernels::DeviceInfo&, const CacheLevel&, const kernels::Case&);

/// The working set, in byte, over which the roof of a level is measured: half of it, or of a GPU's
/// L2 two thirds. Of less the L2 of an H200 keeps two copies, one in each half, and reads up to 1.7
/// times as fast (docs/lab-notes.md, "Caches of a GPU").
double roof_set_of(const kernels::DeviceInfo&, const CacheLevel&);

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
/// inside it (reads past the L1 need not be, but fill more than half of the L2), at rates that are
/// alike, clearly above what comes after. Where no level is known, one that says so. Pure.
std::vector<Plateau> plateaus_of(const std::vector<CurvePoint>&, const std::vector<CacheLevel>&);

}  // namespace engine
