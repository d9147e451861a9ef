// Everything that is known of one point, as text and numbers that no longer depend on the session:
// what the inspector shows. Pure, but for inspect(), which reads the source of a generated kernel.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/session/session.hpp"
#include "ui/screen/hover.hpp"

namespace ui {

/// How often samples fall into equal steps from the shortest to the longest.
struct Histogram {
  double low = 0, high = 0;         ///< s
  std::vector<std::size_t> counts;  ///< one for each step; empty without samples
};
/// As many steps as there are samples, `most` at most. Samples that are all alike fill one.
Histogram histogram_of(const std::vector<double>& samples, std::size_t most);

/// What measures the point again; `program` is how a user starts this one.
std::string command_for(const std::string& program, const engine::Session&, const engine::Point&);

/// Runtime, why it stopped, the work formulas with their numbers, rates, kernel and conditions.
std::vector<Reading> facts_of(const engine::Session&, const engine::Point&);

Inspection inspection_of(const std::string& program, const engine::Session&, const engine::Point&);

}  // namespace ui
