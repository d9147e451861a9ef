// How often to run a trial, how good is good enough, and when to stop. Knows trials, not devices'
// kinds.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>

#include "engine/measure/phases.hpp"
#include "engine/session/session.hpp"
#include "kernels/device.hpp"

namespace engine {

/// Seconds since some fixed moment, never going back.
using Clock = std::function<double()>;
double steady_seconds();

/// Leaves the device alone for some seconds, or until the stop token fires.
using Rest = std::function<void(double seconds, const std::stop_token&)>;
void idle(double seconds, const std::stop_token&);

/// Where time comes from, how it is let pass, and who keeps account of it.
struct Timing {
  Clock now = steady_seconds;
  Rest rest = idle;
  Phases* phases = nullptr;  ///< null: nobody

  void enter(std::string_view phase) const {
    if (phases != nullptr) phases->enter(phase);
  }
  void waited(double seconds) const {
    if (phases != nullptr) phases->waited(seconds);
  }
};

/// More samples: narrower interval, longer. The defaults are explained in docs/measuring.md.
struct Policy {
  double noise = 0.01;     ///< stop when (high - low) / median is below; smaller is slower
  double max_time = 2.0;   ///< s for one point, warm-up included; then it stops and says so,
                           ///< earlier when the spread puts the noise goal out of its reach; half
                           ///< as much beside it for others to leave the cores
  int min_samples = 7;     ///< below, no 95 % interval of a median is narrower than the range;
                           ///< fewer only of long runs and at the time limit
  int max_samples = 1000;  ///< bounds the file; ends a point short of its goal
  double warm_up = 0.02;   ///< s under the same load before samples count
  double long_run = 0.03;  ///< s: a run as long averages over what disturbs it, and a few that
                           ///< agree say as much as many short ones; larger is slower
  double stated_clock =
      0;  ///< Hz, the device's highest; a settled clock above it is none. 0 = unknown
};

struct Measurement {
  Seconds seconds;
  Stop stop = Stop::noise_goal;
  Limit limit = Limit::time;
  std::size_t discarded = 0;          ///< samples below 75 % of the settled clock
  std::size_t contended = 0;          ///< samples left out because others ran on the same cores
  bool contended_throughout = false;  ///< no sample was of cores alone: these are the others
  double settled_clock = 0;           ///< Hz, median under load before samples count; 0 = not known
  bool throttled = false;          ///< no sample was at the settled clock: these are the slow ones
  std::optional<double> clock_hz;  ///< median during the samples that count
};

/// Warm-up, samples, stop. At least one sample, however long it takes; after that no run is begun
/// that would pass the time limit. A run that takes a large part of the limit is its own warm-up.
/// A sample that was taken while the clock was held back is discarded and the device left alone for
/// a while; when nothing else can be had, such samples count and `throttled` says so.
/// A sample of cores on which others ran is left out, too; when there is no other,
/// `contended_throughout` says so.
/// Reads time only from the trial and `timing`. Throws Cancelled, DeviceLost, and runtime_error
/// when the trial's clock returns no time.
Measurement measure(kernels::Trial&, const Policy&, std::stop_token, const Timing& = {});

}  // namespace engine
