// One case on one device, from the question whether it can run to the measured point. Private to
// the engine.
#pragma once

#include <stop_token>
#include <string>

#include "engine/measure/measure.hpp"
#include "engine/session/session.hpp"
#include "kernels/device.hpp"

namespace engine {

/// Why the device cannot run a case whatever its size; empty when it can.
std::string why_not(const kernels::Device&, const kernels::Case&);

/// A point without a measurement: skipped or failed, with the reason.
Point point_without_time(const kernels::Case&, Status, std::string why);

/// Looks the kernel up, prepares, verifies, measures. `too_slow`, when not empty, is a reason not
/// to start a case that could run. Whatever goes wrong becomes a skipped or failed point with its
/// reason; only Cancelled and DeviceLost are thrown.
Point run_case(kernels::Device&, const kernels::Case&, const Policy&, std::string too_slow,
               std::stop_token, const Timing&);

}  // namespace engine
