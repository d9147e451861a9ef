// What several rounds of one roof amount to. Pure. Private to the engine.
#pragma once

#include <string>
#include <vector>

#include "engine/measure/watched.hpp"
#include "engine/roofs/roof_tasks.hpp"

namespace engine {

/// One round of a roof, and what it moved or computed per second.
struct Round {
  double rate = 0;
  double low = 0;
  double high = 0;
  Watched watched{};
};
/// `amount`: bytes, FLOP or launches of a run. Throws Unsupported when the clock gave no time.
Round round_of(Watched, double amount);

/// What a roof's citation says about its trial.
struct TrialFacts {
  kernels::Work work{};
  std::string note;   ///< the kernel's name
  bool cold = false;  ///< nothing of the working set is in a cache
};

/// Sorts the rounds, the one that counts first (the fastest undisturbed one; of launches the
/// typical one), and makes the roof of them. Its interval is that of the first or, where that is
/// wider, of the scatter between them. `task` is at its shape.
Roof roof_of(const RoofTask&, const TrialFacts&, std::vector<Round>& rounds);

/// What slowed a round, for the citation; mostly empty.
std::string disturbance_of(const Watched&);

}  // namespace engine
