// Two sessions of the lab that watches, side by side. Pure.
#pragma once

#include <string>
#include <vector>

#include "engine/session/session.hpp"

namespace engine {

/// A head and a row for each share of the time and of the roofs that a verdict tells, but phases:
/// of A, of B, and B less A in percentage points. Empty where either watched nothing.
std::vector<std::vector<std::string>> table_of_watched(const Session& a, const Session& b);

}  // namespace engine
