// Two measurements of the same work, compared in pairs: ours, theirs, theirs, ours, ... Both halves
// of a pair see the same machine, so their ratio holds still where the machine drifts.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "engine/measure/measure.hpp"
#include "engine/measure/statistics.hpp"

namespace bench {

/// What one side measured in one turn: FLOP/s or byte/s, or why there is no rate.
struct Turn {
  double rate = 0;
  std::string why{};  ///< empty: it was measured
};
using Side = std::function<Turn()>;

struct PairLimits {
  std::size_t pairs = 20;
  double seconds = 120;  ///< of all pairs together; no pair begins later
};

/// The rates of each pair, in the order of measurement.
struct Paired {
  std::vector<double> ours{}, theirs{};
  std::string ended{};  ///< why there are fewer pairs than asked; mostly empty

  std::vector<double> ratios() const;  ///< ours / theirs
};

/// Pairs in ABBA order. It ends at the first turn that gives no rate.
Paired compare_in_pairs(const Side& ours, const Side& theirs, const PairLimits&,
                        const engine::Clock& now);

/// An interval of the ratio ours / theirs: "equal within 2 %", "faster by 3.1 to 4.2 %", "slower by
/// 5 to 8 %". Rounded outwards, so that what it says holds for the whole interval.
std::string words_of(const engine::Ends& ratio);

}  // namespace bench
