// Reports what a device counts of all that runs on it, on the worker's thread. Private to the
// engine.
#pragma once

#include <cstdint>

#include "engine/worker/sweep_run.hpp"

namespace engine {

/// Window by window, as points of the lab `watch`, until it is stopped or the time of the spec is
/// over. Launches nothing, and does not open the device. Its roofs are those that are known and the
/// datasheet's. Throws Cancelled, and Unsupported with why the device counts nothing, or nothing
/// more.
void watch_device(std::uint64_t number, kernels::Device&, const Spec&, SweepNeeds);

}  // namespace engine
