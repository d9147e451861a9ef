// How many times as long, or as fast, one point is as another.
#pragma once

#include "engine/session/session.hpp"

namespace engine {

/// The duration of a point with its 95 % interval, where it has one.
Interval time_of(const Point&);

/// One value over another, both intervals at their worst; no interval where one has none.
Interval quotient(const Interval& above, const Interval& below);

/// One value and another, taken together; an end where both have one.
Interval sum(const Interval& a, const Interval& b);

/// The interval of a value that grows with another one.
template <class Grows>
Interval mapped(Interval value, Grows grows) {
  value.median = grows(value.median);
  if (value.low) value.low = grows(*value.low);
  if (value.high) value.high = grows(*value.high);
  return value;
}

/// How many times as long `above` takes as `below`. Both ran in every pass, and what drifted from
/// pass to pass held for both: so it is the median of the quotients of their visits, pass by pass,
/// with its 95 % interval. Where fewer passes than least_for_interval have both, it is the quotient
/// of their times.
Interval times_as_long(const Point& above, const Point& below);

/// How many times as fast `above` is as `below` in FLOP/s or byte/s: `amount` of their work.
Interval times_as_fast(const Point& above, const Point& below, double kernels::Work::*amount);

}  // namespace engine
