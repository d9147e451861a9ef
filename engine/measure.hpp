// How often to run a trial, how good is good enough, and when to stop. Knows trials, not devices'
// kinds.
#pragma once

#include <functional>
#include <stop_token>

#include "engine/session.hpp"
#include "kernels/device.hpp"

namespace engine {

/// Seconds since some fixed moment, never going back.
using Clock = std::function<double()>;
double steady_seconds();

/// More samples: narrower interval, longer. Every default is method.md's.
struct Policy {
  double noise = 0.01;     ///< stop when (high - low) / median is below; smaller is slower
  double max_time = 2.0;   ///< s for one point, warm-up included; then it stops and says so,
                           ///< earlier when the spread puts the noise goal out of its reach
  int min_samples = 7;     ///< below, no 95 % interval of a median is narrower than the range;
                           ///< fewer only at the time limit
  int max_samples = 1000;  ///< bounds the file; ends a point short of its goal
  double warm_up = 0.02;   ///< s under the same load before samples count
};

struct Measurement {
  Seconds seconds;
  Stop stop = Stop::noise_goal;
  Limit limit = Limit::time;
};

/// Warm-up, samples, stop. At least one sample, however long it takes; after that no run is begun
/// that would pass the time limit. A run that takes a large part of the limit is its own warm-up.
/// Reads time only from the trial and `now`. Throws Cancelled, DeviceLost, and runtime_error when
/// the trial's clock returns no time.
Measurement measure(kernels::Trial&, const Policy&, std::stop_token,
                    const Clock& now = steady_seconds);

}  // namespace engine
