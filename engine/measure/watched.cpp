#include "engine/measure/watched.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "kernels/units.hpp"

namespace engine {
namespace {

constexpr int most_tries = 3;
// Threads wait for the slowest, so what one core loses is lost twice on two: 3 % of the device is
// several times a noise goal of 1 %; less touches so few samples that a median does not move.
constexpr double most_taken = 0.03;
// Systems count stolen time in ticks of 10 ms: one tick alone can be rounding.
constexpr double least_stolen_seconds = 0.02;

struct Try {
  Watched result;
  double taken = 0;  // share of the device
  double wall = 0;   // s

  /// What is worse comes later: half of the cores' units weighs more than any share of their time
  /// that lets a try count.
  std::pair<bool, double> badness() const {
    return {result.measurement.contended_throughout, taken};
  }
};

/// `core_seconds`: of all cores together.
double share_of_others(const kernels::Conditions& conditions, double core_seconds) {
  const double stolen = conditions.stolen.value_or(0);
  const bool counts = stolen * core_seconds > least_stolen_seconds;
  return conditions.other_load.value_or(0) + (counts ? stolen : 0);
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
  return state;
}

/// Clocks and power as they are right after the load; throttled when it was so at either end, or in
/// every sample.
kernels::Conditions around(const kernels::Conditions& before, kernels::Conditions after,
                           const Measurement& measurement) {
  if (before.throttled.value_or(false) && !after.throttled.value_or(false)) {
    after.throttled = true;
    after.note = before.note;
  }
  if (measurement.clock_hz) after.clock_hz = measurement.clock_hz;
  if (measurement.throttled) {
    after.throttled = true;
    add_note(after, fmt::format("the clock stayed below 75 % of the settled {}",
                                units::hertz(measurement.settled_clock)));
  }
  return after;
}

Try one_try(kernels::Device& device, kernels::Trial& trial, const Policy& policy,
            const std::stop_token& stop, const Timing& timing) {
  Try attempt;
  Watched& result = attempt.result;
  device.watch();  // first: `before` must not cover earlier measurements
  result.before = state_of(device);
  const double begin = timing.now();
  result.measurement = measure(trial, policy, stop, timing);
  attempt.wall = timing.now() - begin;
  const kernels::Conditions after = device.conditions();
  const int cores = std::max(device.info().multiprocessors, 1);
  attempt.taken = share_of_others(after, attempt.wall * cores);
  const bool contended = result.measurement.contended_throughout;
  result.disturbed = contended || attempt.taken > most_taken;
  result.after = around(result.before, after, result.measurement);
  if (contended) add_note(result.after, "SMT contention throughout: other work shared the cores");
  return attempt;
}

}  // namespace

double most_time(const Policy& policy) {
  // Beyond the policy's time, so that a disturbed point is repeated however brief it has to be: as
  // much again, but no longer than anybody would wonder at.
  constexpr double most_extra = 0.5;
  return policy.max_time + std::min(policy.max_time, most_extra);
}

Watched measure_watched(kernels::Device& device, kernels::Trial& trial, Policy policy,
                        std::stop_token stop, const Timing& timing) {
  policy.stated_clock = device.info().clock_hz;
  double left = most_time(policy);
  std::optional<Try> best;
  for (int i = 0; i < most_tries; ++i) {
    if (best && left < best->wall) break;
    policy.max_time = std::min(policy.max_time, left);
    Try attempt = one_try(device, trial, policy, stop, timing);
    left -= attempt.wall;
    const bool contended = attempt.result.measurement.contended_throughout;
    if (!best || attempt.badness() < best->badness()) best = std::move(attempt);
    // For others to leave its cores a measurement has waited itself.
    if (!best->result.disturbed || contended) break;
  }
  return std::move(best->result);
}

void store(Watched watched, Point& point) {
  Measurement& measurement = watched.measurement;
  point.seconds = std::move(measurement.seconds);
  point.stop = measurement.stop;
  point.limit = measurement.limit;
  point.discarded = measurement.discarded;
  point.contended = measurement.contended;
  point.before = std::move(watched.before);
  point.conditions = std::move(watched.after);
  point.disturbed = watched.disturbed;
}

}  // namespace engine
