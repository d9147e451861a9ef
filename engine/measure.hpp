// How often to run a trial, how good is good enough, and when to stop. Knows trials, not devices' kinds.
#pragma once

#include <stop_token>

#include "engine/session.hpp"
#include "kernels/device.hpp"

namespace engine {

/// More samples: narrower interval, longer. Every default is method.md's.
struct Policy {
  double noise = 0.01;        ///< stop when (high - low) / median is below; smaller is slower
  double max_time = 2.0;      ///< s for one point, warm-up included; then it stops and says so
  int min_samples = 7;        ///< below, no 95 % interval of a median exists; fewer only at the time limit
  int max_samples = 1000;     ///< bounds the file
  double warm_up = 0.02;      ///< s under the same load before samples count
};

struct Measurement {
  Seconds seconds;
  Stop stop = Stop::noise_goal;
};

/// Warm-up, samples, stop. Reads time only from the trial and a steady clock. Throws Cancelled, DeviceLost.
Measurement measure(kernels::Trial&, const Policy&, std::stop_token);

}  // namespace engine
