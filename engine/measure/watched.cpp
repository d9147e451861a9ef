#include "engine/measure/watched.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernels/units.hpp"

namespace engine {
namespace {

// Systems count stolen time in ticks of 10 ms: one tick alone can be rounding.
constexpr double least_stolen_seconds = 0.02;

double share_of_theft(double stolen, double core_seconds) {
  return stolen > least_stolen_seconds ? stolen / core_seconds : 0;
}

void add_note(kernels::Conditions& conditions, const std::string& note) {
  conditions.note += (conditions.note.empty() ? "" : "; ") + note;
}

/// The state of the device right before a load. What conditions() reports since watch() covers
/// no load yet.
kernels::Conditions state_of(kernels::Device& device) {
  kernels::Conditions state = device.conditions();
  state.power_w.reset();
  state.stolen.reset();
  state.other_load.reset();
  state.quota.reset();
  return state;
}

bool is_warm(const kernels::Device& device, kernels::Units units, const Timing& timing) {
  const LastLoad* last = timing.last_load;
  return last != nullptr && last->end && last->units == units &&
         timing.now() - *last->end < device.pace().stays_warm;
}

}  // namespace

std::string Around::disturbance() const {
  if (taken <= most_taken) return "";
  if (held_by_quota(after))
    return fmt::format("the quota of this control group took {} of the device",
                       units::percent(*after.quota));
  return fmt::format("other work took {} of the device{}", units::percent(taken),
                     after.others.empty() ? "" : ": " + after.others);
}

std::string theft(double stolen, double core_seconds) {
  const double share = share_of_theft(stolen, core_seconds);
  if (share <= most_taken) return "";
  return fmt::format("the hypervisor took {} of the cores", units::percent(share));
}

Policy policy_on(const kernels::Device& device, Policy policy) {
  policy.stated_clock = device.info().clock_hz;
  policy.pace = device.pace();
  return policy;
}

Around watch(kernels::Device& device, kernels::Units units, const Timing& timing,
             const std::function<void(bool warm)>& load) {
  Around around;
  timing.enter("clock, load of others");
  device.watch();  // first: `before` must not cover earlier measurements
  around.before = state_of(device);
  const double begin = timing.now();
  load(is_warm(device, units, timing));
  const double wall = timing.now() - begin;
  if (timing.last_load != nullptr) *timing.last_load = {units, timing.now()};
  timing.enter("clock, load of others");
  around.after = device.conditions();
  around.core_seconds = wall * std::max(device.info().multiprocessors, 1);
  around.stolen = around.after.stolen.value_or(0) * around.core_seconds;
  around.taken = around.after.other_load.value_or(0) + around.after.quota.value_or(0) +
                 share_of_theft(around.stolen, around.core_seconds);
  return around;
}

kernels::Conditions conditions_of(const Around& around, const Measurement& measurement) {
  kernels::Conditions after = around.after;
  if (!measurement.last.remark.empty()) add_note(after, measurement.last.remark);
  if (around.before.throttled.value_or(false) && !after.throttled.value_or(false)) {
    after.throttled = true;
    after.note = around.before.note;
  }
  const bool power_limited = after.power_limited.value_or(false);
  if (measurement.clock_hz) after.clock_hz = measurement.clock_hz;
  if (measurement.throttled && !power_limited) {
    after.throttled = true;
    add_note(after, fmt::format("the clock stayed below 75 % of the settled {}",
                                units::hertz(measurement.settled_clock)));
  }
  if (measurement.slowed_down && !power_limited) {
    after.throttled = true;
    add_note(after, fmt::format("the clock settled at {}, far below that of an earlier visit",
                                units::hertz(measurement.settled_clock)));
  }
  if (measurement.contended_throughout)
    add_note(after, "SMT contention throughout: other work shared the cores");
  return after;
}

Watched measure_watched(kernels::Device& device, kernels::Units units, kernels::Trial& trial,
                        const Policy& policy, VisitPlan plan, const std::stop_token& stop,
                        const Timing& timing) {
  Watched watched;
  const Around around = watch(device, units, timing, [&](bool warm) {
    plan.warm = warm;
    watched.measurement = measure(trial, policy_on(device, policy), plan, stop, timing);
  });
  watched.before = around.before;
  watched.after = conditions_of(around, watched.measurement);
  watched.disturbed = watched.measurement.contended_throughout || !around.disturbance().empty();
  return watched;
}

void store(Measurement measurement, Point& point) {
  point.seconds = std::move(measurement.seconds);
  point.share = std::move(measurement.share);
  point.visits = std::move(measurement.visits);
  point.stop = measurement.stop;
  point.limit = measurement.limit;
  point.discarded = measurement.discarded;
  point.contended = measurement.contended;
  point.disturbed = measurement.disturbed || measurement.contended_throughout;
}

}  // namespace engine
