// What several rounds of one roof amount to. Pure. Private to the engine.
#pragma once

#include <string>
#include <vector>

#include "engine/roof_tasks.hpp"
#include "engine/watched.hpp"

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

/// What a roof's citation tells of its trial.
struct TrialFacts {
  kernels::Work work{};
  std::string note;   ///< the kernel's name
  bool cold = false;  ///< nothing of the working set is in a cache
};

/// Sorts the rounds, the one that counts first (the fastest undisturbed one; of launches the
/// typical one), and makes the roof of them. Its interval is that of the first or, where that is
/// wider, of the scatter between them. `task` is at its shape.
Roof roof_of(const RoofTask&, const TrialFacts&, std::vector<Round>& rounds);

/// What a round suffered from, for a roof that nobody should rely on; else empty.
std::string flaws_of(const Watched&);

}  // namespace engine
