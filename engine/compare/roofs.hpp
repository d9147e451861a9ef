// The measured roofs of two sessions side by side. Pure; the result refers to no session.
#pragma once

#include <string>
#include <vector>

#include "engine/compare/compare.hpp"

namespace engine {

/// A roof that both sessions measured.
struct RoofPair {
  std::string name;  ///< "DRAM copy"
  std::string a, b;  ///< the rates in words: "4.25 TB/s"
  Interval rate;     ///< rate of B over that of A
  Outcome outcome = Outcome::undecided;
  std::string why{};  ///< why it is undecided
};

/// Those of the same name, in the order of A. One that was disturbed, or has no interval, decides
/// nothing.
std::vector<RoofPair> compare_roofs(const Session& a, const Session& b);

/// A head and a row for each roof.
std::vector<std::vector<std::string>> table_of(const std::vector<RoofPair>&);
/// "B is faster at 9 of 11 roofs (1.4x to 1.9x) ...": as summary_of() says of points. Empty without
/// roofs.
std::string summary_of(const std::vector<RoofPair>&);

}  // namespace engine
