#include "engine/verdict/doubts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/verdict/precision.hpp"
#include "engine/verdict/predict.hpp"
#include "kernels/families/family.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

constexpr const char* when_idle = "measure again when the machine is idle";

/// Others took the cores in every visit.
Doubt disturbance_of(const Point& point) {
  const kernels::Conditions& now = point.conditions;
  if (held_by_quota(now))
    return {"held back",
            fmt::format("a processor quota took {} of the device", units::percent(*now.quota)),
            "raise the quota of the control group, and measure again"};
  if (!now.others.empty())
    return {"disturbed", fmt::format("{} computes on the device", now.others),
            "wait until it has ended, and measure again"};
  const double taken = std::max(now.other_load.value_or(0), now.stolen.value_or(0));
  if (taken < most_taken) return {"disturbed", "other work used the device", when_idle};
  const bool stolen = now.stolen.value_or(0) > now.other_load.value_or(0);
  return {"disturbed",
          fmt::format("{} took {} of the device", stolen ? "the hypervisor" : "other work",
                      units::percent(taken)),
          when_idle};
}

/// The clock that the device holds where nothing lowers it, as its roofs saw it; 0: not known.
double full_clock(const Session& session) {
  double highest = 0;
  for (const Roof& roof : session.roofs) highest = std::max(highest, roof.highest_clock);
  return highest;
}

/// Libraries have convolutions that do fewer operations than the plain sum; and without the roof of
/// its cache nothing is known of what lies in one.
bool can_exceed(const Session& session, const Point& point) {
  const bool fewer_operations = point.what.family == kernels::Family::conv;
  return fewer_operations || !missing_roof(session, point.what).empty();
}

std::optional<Doubt> excess_of(const Session& session, const Point& point) {
  double share = 0;
  std::string roof = "its roofs";
  if (point.share) {
    share = point.share->of.low.value_or(point.share->of.median);
    roof = fmt::format("the {} roof beside it", point.share->roof);
  } else if (const Prediction roofs = predict(session, point); roofs.complete()) {
    share = roofs.seconds() / std::max(point.seconds.median, point.seconds.high);
  }
  if (share <= far_above_roof || can_exceed(session, point)) return std::nullopt;
  return Doubt{"above its roof", fmt::format("it reaches {} of {}", units::percent(share), roof),
               "measure the roofs again"};
}

}  // namespace

std::optional<Doubt> throttling_of(const Session& session, const Point& point) {
  if (!was_throttled(point)) return std::nullopt;
  const double full = full_clock(session);
  const double clock = point.conditions.clock_hz.value_or(0);
  std::string reason = "heat or the power supply held the clock back";
  if (full > 0 && clock > 0) {
    const double less = 1 - clock / full;
    if (less <= std::max(little_slower, reach_of(point.seconds))) return std::nullopt;
    reason = fmt::format("heat or the power supply held the clock at {}, {} below {}",
                         units::hertz(clock), units::percent(less), units::hertz(full));
  }
  if (const auto temperature = point.conditions.temperature_c)
    reason += fmt::format(", at {:.0f} °C", *temperature);
  return Doubt{"throttled", reason, "let the device cool down, and measure again"};
}

std::vector<Doubt> doubts_of(const Session& session, const Point& point) {
  std::vector<Doubt> doubts;
  if (point.status != Status::ok) return doubts;
  if (point.disturbed) doubts.push_back(disturbance_of(point));
  if (auto throttling = throttling_of(session, point)) doubts.push_back(std::move(*throttling));
  if (point.seconds.has_interval() && reach_of(point.seconds) > far_too_wide)
    doubts.push_back(
        {"noisy", fmt::format("its 95 % interval is {}", spread_in_words(reach_of(point.seconds))),
         "measure again with more time for each point, or when the machine is idle"});
  if (point.disturbed) return doubts;  // so were its roofs
  if (auto excess = excess_of(session, point)) doubts.push_back(std::move(*excess));
  return doubts;
}

}  // namespace engine
