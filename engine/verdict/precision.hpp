// How well a median is known, and why no better, in words. Pure.
#pragma once

#include <string>

#include "engine/session/session.hpp"

namespace engine {

/// How far the 95 % interval reaches from the median, at its farther side, over the median: what
/// stands behind every "±". Requires a median above 0.
double reach_of(const Seconds&);
/// The same of an interval; 0 where there is none.
double reach_of(const Interval&);
/// The same of a roof's rate, of a launch's time; 0 where it has no interval.
double reach_of(const Roof&);
/// "±4 %" of a reach; above 1, where a number says nothing any more, "over ±100 %".
std::string spread_in_words(double reach);
/// "95 % interval ±0.4 %"; "1 sample"; "4 samples, 1.2 ms to 1.4 ms": of fewer than six there
/// is no 95 % interval.
std::string precision_in_words(const Seconds&);

/// A sentence for a point that stopped short of its noise goal; empty for one that did not.
std::string limit_in_words(const Point&);

}  // namespace engine
