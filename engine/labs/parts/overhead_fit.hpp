// The overhead of a kernel and the bandwidth behind it, from runtimes over sizes. Pure.
#pragma once

#include <optional>
#include <span>

#include "engine/session/session.hpp"

namespace engine {

/// What a run moved, in byte, and how long it took.
struct TimedBytes {
  double bytes = 0;
  Interval seconds{};
};

/// time = overhead + bytes / bandwidth.
struct OverheadFit {
  Interval overhead;   ///< s
  Interval bandwidth;  ///< byte/s
};

/// The line with the least squares, each point weighted by its interval; both values with their 95
/// % intervals, which are wider where the points lie farther from the line than their own intervals
/// say (Birge, "The Calculation of Errors by the Method of Least Squares", 1932). Nothing of fewer
/// than three points with an interval, or where the line has no positive overhead and bandwidth.
std::optional<OverheadFit> fit_overhead(std::span<const TimedBytes>);

/// What a size and its double say of where the time goes: of `overhead + bytes / bandwidth` the
/// quotient of both times, less one, is the share that grows with the data.
enum class Doubling : std::uint8_t { overhead, memory, undecided };
Doubling doubling_test(const Interval& times_as_long);

}  // namespace engine
