// The report of a tour: every lab's question, claim, verdict and charts on one page of HTML that
// needs nothing beside it. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/labs/lab.hpp"

namespace app {

/// A lab of a tour and what came of it.
struct TourStop {
  const engine::Lab* lab = nullptr;
  std::string why_not{};                ///< why it did not run, in a sentence; empty: it did
  std::vector<std::string> warnings{};  ///< sentences, in the order in which they came
};

/// The page. `ended_early`: why labs are missing at its end, in a sentence; empty: none are. Throws
/// std::runtime_error where charts cannot be drawn.
std::string tour_report(const engine::Session&, std::span<const TourStop>,
                        const std::string& ended_early);

}  // namespace app
