#include "engine/verdict/precision.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/units.hpp"

namespace engine {

double reach_of(const Seconds& seconds) {
  return std::max(seconds.high - seconds.median, seconds.median - seconds.low) / seconds.median;
}

double reach_of(const Interval& interval) {
  if (!interval.low || !interval.high || !(interval.median > 0)) return 0;
  return std::max(*interval.high - interval.median, interval.median - *interval.low) /
         interval.median;
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
  if (reach > 1) return "over ±100 %";
  return reach > 0 && reach < 1e-4 ? "under ±0.01 %" : "±" + units::percent(reach);
}

std::string limit_in_words(const Point& point) {
  const std::string known = precision_in_words(point.seconds);
  if (point.stop == Stop::noise_goal) return "";
  switch (point.limit) {
    case Limit::time:
      return fmt::format("Measuring ended at the time limit: {}.", known);
    case Limit::samples:
      return fmt::format("Measuring ended after {} samples, the maximum: {}.",
                         point.seconds.samples.size(), known);
    case Limit::stopped:
      return fmt::format("The sweep ended while this point was still being measured: {}.", known);
    case Limit::others:
      return fmt::format("Measuring ended early because other work shared the cores: {}.", known);
  }
  return "";
}

}  // namespace engine
