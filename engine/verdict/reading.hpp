// A measured point with the roofs that bound it, and the limit that they tell. Pure. Private to
// verdicts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/verdict/predict.hpp"

namespace engine {

/// A point with the roofs that bound it, and what they say of it: the numbers of its verdict and
/// its limit, no words yet.
struct Reading {
  const Point& point;
  Ceiling bandwidth;
  Ceiling compute;
  Prediction predicted;
  Verdict verdict{};

  bool has_memory_roof() const { return predicted.bandwidth_seconds > 0; }
  double share_of(double seconds) const { return seconds / point.seconds.median; }
};

/// Of a runtime, so much is explained by memory and arithmetic in turns.
inline constexpr double together = 0.85;
/// Of a roof: where so much of it is used, the other one does not matter.
inline constexpr double nearly_all = 0.95;

/// In cache the DRAM roof bounds nothing: there the roof of that cache does, where it is known.
Reading reading_of(const Session&, const Point&);

/// Why it lies above its roof; empty where it does not.
std::string above_in_words(const Reading&);
/// What to do about a graph that launched in a time that was not measured, of what takes no longer
/// than launches do; else empty.
std::string unknown_overhead(const Reading&);
/// What else must be known to believe the number.
std::vector<std::string> caveats(const Session&, const Reading&);

}  // namespace engine
