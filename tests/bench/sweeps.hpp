// Sweeps of the real CPU, as the program runs them, for benchmarks.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/worker/sweeper.hpp"

namespace bench {

/// Runs one sweep of the device that the request names to its end and returns all that it measured.
/// Prints warnings on stderr. Throws std::runtime_error when it fails.
engine::Session sweep(engine::Sweeper&, const engine::SweepRequest&);

/// The chain points of a session that were measured, by ascending repeat. They point into it.
std::vector<const engine::Point*> points_of(const engine::Session&);

/// A measured roof by name. Throws std::runtime_error when there is none.
const engine::Roof& roof_of(const engine::Session&, const std::string& name);

}  // namespace bench
