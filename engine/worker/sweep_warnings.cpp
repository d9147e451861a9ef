// What a sweep says at its end of the conditions under which it measured.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/watch/windows.hpp"
#include "engine/worker/sweep_run.hpp"
#include "kernels/counted.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

/// Why points stopped short of their noise goal, and what to do.
std::string remedy_for(Limit limit, const Policy& policy, bool over_quota) {
  const std::string_view first = over_quota ? "raise the processor quota" : "close other programs";
  switch (limit) {
    case Limit::stopped:
      return "the sweep ended first; raise its time limit";
    case Limit::time:
      return fmt::format(
          "{} per point were too short; {}, or raise the noise goal or the time limit of a point",
          units::seconds(policy.max_time, 2), first);
    case Limit::samples:
      return fmt::format("{} samples were not enough; {}, or raise the noise goal",
                         policy.max_samples, first);
    case Limit::others:
      return "other work shared the cores all the time; close other programs, or measure when the "
             "host is less busy";
  }
  return "";
}

/// A sentence where the device counted other traffic of DRAM than the formula says.
std::string miscounted(std::vector<double> ratios) {
  constexpr double within = 0.03;
  const std::size_t counted = ratios.size();
  std::erase_if(ratios, [](double ratio) { return std::abs(ratio - 1) <= within; });
  if (ratios.empty()) return "";
  const auto [least, most] = std::ranges::minmax(ratios);
  return fmt::format(
      "the device counted other traffic of DRAM than the formula says at {} of {} points for which "
      "it was asked: {} to {} of it; do not rely on the bandwidth of these points",
      ratios.size(), counted, units::percent(least), units::percent(most));
}

}  // namespace

void SweepRun::warn_of_conditions() {
  struct Short {
    int points = 0, over_quota = 0;
  };
  std::map<Limit, Short> stopped_at;  // short of their noise goal
  int measured = 0, throttled = 0, disturbed = 0, over_quota = 0;
  std::vector<double> counted_ratios;  // bandwidth as counted over that by the formula
  std::string others;
  for (const Asked& one : asked_) {
    const Point point = one.run.point();
    if (point.status != Status::ok) continue;
    ++measured;
    const bool quota_took = point.conditions.quota.value_or(0) > most_taken;
    if (point.stop == Stop::time_limit) {
      Short& at = stopped_at[point.limit];
      ++at.points;
      if (quota_took) ++at.over_quota;
    }
    if (point.conditions.throttled.value_or(false)) ++throttled;
    if (const auto counted = told(point, kernels::counted::own_bandwidth)) {
      counted_ratios.push_back(*counted / point.bytes_per_second());
    }
    if (!point.disturbed) continue;
    // Both can hold a point back.
    if (quota_took) ++over_quota;
    if (!held_by_quota(point.conditions)) ++disturbed;
    if (others.empty()) others = point.conditions.others;
  }
  for (const auto& [limit, at] : stopped_at) {
    warn(fmt::format("{} of {} points missed the noise goal of {} (width of the interval): {}",
                     at.points, measured, units::percent(policy_.noise),
                     remedy_for(limit, policy_, 2 * at.over_quota > at.points)));
  }
  if (std::string why = miscounted(std::move(counted_ratios)); !why.empty()) warn(std::move(why));
  if (throttled > 0) {
    warn(
        fmt::format("the clocks of {} were throttled during {} of {} points; let it cool down, or "
                    "compare only points at the same clock",
                    device_.info().id, throttled, measured));
  }
  if (over_quota > 0) {
    const std::string& which = device_.info().partition;
    warn(fmt::format(
        "the processor quota of this control group held back {} of {} points{}; raise it (docker "
        "--cpus, or cpu.max; in version 1 cpu.cfs_quota_us)",
        over_quota, measured, which.empty() ? "" : fmt::format(" ({})", which)));
  }
  if (disturbed > 0) {
    warn(
        fmt::format("other work used {} in every visit of {} of {} points{}; close other programs, "
                    "or measure when the machine is idle",
                    device_.info().id, disturbed, measured, others.empty() ? "" : ": " + others));
  }
}

}  // namespace engine
