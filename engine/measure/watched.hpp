// Measuring while watching the device: its state before and after, and its steal time.
// Private to the engine.
#pragma once

#include <stop_token>

#include "engine/measure/measure.hpp"
#include "kernels/device.hpp"

namespace engine {

struct Watched {
  Measurement measurement;
  kernels::Conditions before;
  kernels::Conditions after;  ///< clock under load where the trial can tell
  bool disturbed = false;     ///< in every try
};

/// s that all tries of a measurement together may take: twice the policy's time, and half a second
/// more than it, at most.
double most_time(const Policy&);

/// measure(), again when other work took a share of the device that shows in the result, at most
/// three times in all; the least disturbed try counts. Not again where others never left the cores:
/// measure() has waited for that. All tries together take most_time().
Watched measure_watched(kernels::Device&, kernels::Trial&, Policy, std::stop_token, const Timing&);

/// Takes over what a point keeps of it.
void store(Watched, Point&);

}  // namespace engine
