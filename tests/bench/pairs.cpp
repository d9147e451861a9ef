#include "tests/bench/pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace bench {
namespace {

enum class Rounding { down, up };

/// Percent with one decimal below ten, without one from there on.
std::string percent(double share, Rounding rounding) {
  const double percent = 100 * share;
  const double step = percent < 10 ? 0.1 : 1;
  // The quotient of 3 % and 0.1 % is not 30 exactly.
  constexpr double slack = 1e-6;
  const double steps = rounding == Rounding::up ? std::ceil(percent / step - slack)
                                                : std::floor(percent / step + slack);
  // No "-0" from an interval that ends at 1.
  return fmt::format("{:g}", std::round(steps * step * 10) / 10 + 0.0);
}

}  // namespace

std::vector<double> Paired::ratios() const {
  std::vector<double> all;
  for (std::size_t i = 0; i < ours.size(); ++i) all.push_back(ours[i] / theirs[i]);
  return all;
}

Paired compare_in_pairs(const Side& ours, const Side& theirs, const PairLimits& limits,
                        const engine::Clock& now) {
  Paired paired;
  const double begin = now();
  for (std::size_t pair = 0; pair < limits.pairs; ++pair) {
    if (now() - begin >= limits.seconds) {
      paired.ended = fmt::format("{:.0f} s were over", limits.seconds);
      break;
    }
    const bool ours_first = pair % 2 == 0;
    const Turn first = ours_first ? ours() : theirs();
    const Turn second = first.why.empty() ? (ours_first ? theirs() : ours()) : Turn{};
    if (!first.why.empty() || !second.why.empty()) {
      paired.ended = first.why + second.why;
      break;
    }
    paired.ours.push_back(ours_first ? first.rate : second.rate);
    paired.theirs.push_back(ours_first ? second.rate : first.rate);
  }
  return paired;
}

std::string words_of(const engine::Ends& ratio) {
  const double above = ratio.high - 1, below = 1 - ratio.low;
  if (ratio.low > 1) {
    return fmt::format("faster by {} to {} %", percent(ratio.low - 1, Rounding::down),
                       percent(above, Rounding::up));
  }
  if (ratio.high < 1) {
    return fmt::format("slower by {} to {} %", percent(1 - ratio.high, Rounding::down),
                       percent(below, Rounding::up));
  }
  const double off = std::max(above, below);
  constexpr double tells_nothing = 0.1;
  return fmt::format("{} within {} %", off > tells_nothing ? "cannot tell:" : "equal",
                     percent(off, Rounding::up));
}

}  // namespace bench
