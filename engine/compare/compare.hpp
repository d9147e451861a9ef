// Two sides compared point by point, and roof by roof: how long each takes, what it reaches of its
// roof, and what may be concluded from that. Pure; the result refers to no session.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/compare/sides.hpp"

namespace engine {

/// Durations that differ by less are called equal; a difference counts where it is larger.
inline constexpr double equal_within = 0.03;

/// What a comparison says of B.
enum class Outcome : std::uint8_t { faster, slower, equal, undecided };
/// "faster", "slower", "equal within 3 %", "undecided".
std::string_view word_of(Outcome);
/// Of the duration of B over that of A. Faster or slower where the whole interval lies beyond 3 %,
/// equal where it lies within, undecided where it does neither, and without an interval. It says
/// the opposite where A and B change places.
Outcome outcome_of(const Interval& ratio);

/// One side of a pair.
struct Measured {
  Interval seconds;
  std::optional<Interval> share{};  ///< of the roof
  std::string unsure{};             ///< why nothing may rest on it: "disturbed"; mostly empty
  std::string doubts{};             ///< what else may be wrong with it: "throttled"; mostly empty
};

/// A size that both points of a pair have.
struct SizeOfPair {
  std::string axis;
  std::uint64_t value = 0;
  std::string text;  ///< "64 Mi"; of an axis of words, the word
  bool operator==(const SizeOfPair&) const = default;
};

/// Two points that are alike in all that is not compared.
struct Pair {
  std::string name;  ///< what they have in common: "fp32 fused"
  std::vector<SizeOfPair> sizes;
  Measured a, b;
  Interval time;                    ///< duration of B over that of A
  std::optional<Interval> share{};  ///< share of B over that of A
  bool per_element = false;         ///< A and B have other elements: durations are of one element
  Outcome outcome = Outcome::undecided;
  std::string why{};  ///< why it is undecided
};

/// What tells A from B: "dtype", "fp32", "fp16".
struct Difference {
  std::string what, a, b;
};

struct Comparison {
  std::string a, b;  ///< what each side is called: "fp32", "NVIDIA H200"
  std::vector<Difference> differences{};
  std::vector<Pair> pairs{};                   ///< by name, then by sizes
  std::size_t alone_in_a = 0, alone_in_b = 0;  ///< points without a partner
  std::string why_none{};                      ///< one sentence where there are no pairs
};

/// A label is compared where all points of A have one word and all of B another. Points are a pair
/// where lab, kernel, sizes and all other labels are the same; with other elements, where each side
/// has one such point. Throws BadInput where both sides hold the same point.
Comparison compare(const Side& a, const Side& b);

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

}  // namespace engine
