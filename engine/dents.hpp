// Points that lie far below their neighbours: roofs and runtimes change slowly along a series, so
// that something else slowed the device while they were measured. Pure. Private to the engine.
#pragma once

#include <vector>

#include "engine/session.hpp"

namespace engine {

/// The cases of a sweep, with its roofs, whose points reach a much smaller share of the roofs than
/// the points before and behind them in their series do, at most two in a row. Points that are
/// known to be throttled are none.
std::vector<kernels::Case> dents(const Session& sweep);

}  // namespace engine
