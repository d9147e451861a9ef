// What several rounds of one roof amount to. Pure. Private to the engine.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/measure/watched.hpp"
#include "engine/roofs/roof_tasks.hpp"

namespace engine {

/// One round of a roof, and what it moved or computed per second.
struct Round {
  double rate = 0;
  Watched watched{};
};
/// `amount`: bytes, FLOP or launches of a run. Throws Unsupported when the clock gave no time.
Round round_of(Watched, double amount);

/// What a roof's citation says about its trial.
struct TrialFacts {
  kernels::Work work{};
  std::string note;   ///< the kernel's name
  bool cold = false;  ///< nothing of the working set is in a cache
  std::vector<kernels::Value> values{};  ///< what was measured beside the time
  kernels::Launched launched = kernels::Launched::unknown;
};

/// The rate of a roof: median of its rounds, with its interval where there are enough, and the best.
void set_rounds(Roof&, std::vector<double> rates);

/// The roof of its rounds, which are sorted so that a typical one comes first. Rounds that others
/// disturbed do not count, unless there are no others. `task` is at its shape.
Roof roof_of(const RoofTask&, const TrialFacts&, std::vector<Round>& rounds);

}  // namespace engine
