// Measuring while watching the device: its state before and after, and what others took of it.
// Private to the engine.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "engine/measure/measure.hpp"
#include "kernels/device.hpp"

namespace engine {

/// The device around a load.
struct Around {
  kernels::Conditions before;
  kernels::Conditions after;
  double core_seconds = 0;  ///< of all cores together
  double stolen = 0;        ///< of these, by the hypervisor
  double taken = 0;         ///< share of the device that others took meanwhile

  /// Why what was measured meanwhile does not count; mostly empty.
  std::string disturbance() const;
};
/// The same of stolen time of a whole point, which one visit may be too brief to show: systems count
/// it in ticks.
std::string theft(double stolen, double core_seconds);
/// `load` is told whether the device is warm from a load of these units a moment ago.
Around watch(kernels::Device&, kernels::Units, const Timing&,
             const std::function<void(bool warm)>& load);

/// The policy with what the device asks for.
Policy policy_on(const kernels::Device&, Policy);

/// What a point keeps of the conditions: clocks and power right after the load; throttled when it was
/// so at either end, or in every sample.
kernels::Conditions conditions_of(const Around&, const Measurement&);

/// measure(), watched.
struct Watched {
  Measurement measurement;
  kernels::Conditions before;
  kernels::Conditions after;  ///< clock under load where the trial can tell
  bool disturbed = false;
};
Watched measure_watched(kernels::Device&, kernels::Units, kernels::Trial&, const Policy&, VisitPlan,
                        const std::stop_token&, const Timing&);

/// Takes over what a point keeps of a measurement.
void store(Measurement, Point&);

}  // namespace engine
