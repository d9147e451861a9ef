// What a mark beside a number means: it may be wrong by more than its interval says. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/session/session.hpp"

namespace engine {

/// Why the number of a point may be wrong, with the values that show it, and what to do.
struct Doubt {
  std::string word;    ///< for a column of a table: "disturbed"
  std::string reason;  ///< "other work took 12 % of the device"
  std::string remedy;  ///< "measure again when the machine is idle"
};

/// An interval of more than this to either side decides nothing.
inline constexpr double far_too_wide = 0.1;
/// A clock lower by less than this, or by less than the interval shows, is no reason for doubt.
inline constexpr double little_slower = 0.02;

/// The clock was held back by so much that it matters: one lower by less is no reason for doubt.
std::optional<Doubt> throttling_of(const Session&, const Point&);

/// Empty for a sound point, and for one that was not measured.
std::vector<Doubt> doubts_of(const Session&, const Point&);

}  // namespace engine
