#include "engine/precision.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/statistics.hpp"
#include "engine/units.hpp"

namespace engine {

double reach_of(const Seconds& seconds) {
  return std::max(seconds.high - seconds.median, seconds.median - seconds.low) / seconds.median;
}

std::string precision_in_words(const Seconds& seconds) {
  const std::size_t count = seconds.samples.size();
  if (count == 1) return "1 sample";
  if (count > 1 && count < least_for_interval) {
    const auto [low, high] = std::ranges::minmax(seconds.samples);
    return fmt::format("{} samples, {} to {}", count, units::seconds(low), units::seconds(high));
  }
  return fmt::format("95 % interval ±{} %", units::number(100 * reach_of(seconds), 2));
}

double reach_of(const Roof& roof) {
  if (!(roof.rate > 0 && roof.rate_low > 0 && roof.rate_high > roof.rate_low)) return 0;
  // A launch is told as a time, the inverse of its rate.
  if (roof.kind == RoofKind::overhead)
    return std::max(roof.rate / roof.rate_low - 1, 1 - roof.rate / roof.rate_high);
  return std::max(roof.rate_high - roof.rate, roof.rate - roof.rate_low) / roof.rate;
}

std::string spread_in_words(double reach) {
  return reach > 1 ? "over ±100 %" : "±" + units::percent(reach);
}

std::string doubt_of(const Roof& roof) {
  constexpr double too_wide = 0.3;
  if (!roof.flaws.empty()) return roof.flaws;
  const double reach = reach_of(roof);
  if (reach <= too_wide) return "";
  return "its rounds scatter, the 95 % interval is " + spread_in_words(reach);
}

std::string limit_in_words(const Point& point) {
  const std::string known = precision_in_words(point.seconds);
  if (point.stop == Stop::noise_goal) {
    const std::size_t count = point.seconds.samples.size();
    const bool few = count > 0 && count < least_for_interval;
    return few ? fmt::format("Few samples were needed to agree: {}.", known) : "";
  }
  switch (point.limit) {
    case Limit::time:
      return fmt::format("Measuring ended at the time limit: {}.", known);
    case Limit::samples:
      return fmt::format("Measuring ended after {} samples, as many as are kept: {}.",
                         point.seconds.samples.size(), known);
    case Limit::spread:
      return fmt::format(
          "Measuring ended early, since the samples scatter too much for the noise goal: {}.",
          known);
    case Limit::others:
      return fmt::format("Measuring ended early, since others did not leave the cores: {}.", known);
  }
  return "";
}

}  // namespace engine
