#include "engine/worker/sweep_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/measure/run_case.hpp"
#include "kernels/families/family.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

using kernels::Case;

Policy policy_of(const Spec& spec) {
  Policy policy;
  policy.noise = spec.noise;
  policy.max_time = spec.max_time;
  return policy;
}

/// Why points stopped short of their noise goal, and what to do.
std::string remedy_for(Limit limit, const Policy& policy) {
  switch (limit) {
    case Limit::time:
      return fmt::format(
          "{} was too short; close other programs, or raise the time limit (--max-time)",
          units::seconds(policy.max_time, 2));
    case Limit::samples:
      return fmt::format(
          "{} samples were not enough; close other programs, or raise the noise goal (--noise)",
          policy.max_samples);
    case Limit::spread:
      return fmt::format(
          "their samples scatter too much for it within {}; close other programs, or raise the "
          "noise goal (--noise) or the time limit (--max-time)",
          units::seconds(policy.max_time, 2));
    case Limit::others:
      return "other work shared the cores all the time; close other programs, or measure when the "
             "host is less busy";
  }
  return "";
}

}  // namespace

Case case_of_probe(const ProbeRequest& request, const kernels::Device& device) {
  Case what = request.what;
  Spec spec = request.spec;
  spec.kernel = what.family;
  spec.op = what.family->chooses_op ? what.op() : Spec{}.op;
  spec.units = what.units == kernels::Units::vector ? UnitsChoice::vector : UnitsChoice::matrix;
  spec.elements = what.elements;
  spec.repeats = {what.repeat};
  refuse_contradictions(spec);
  what.elements = elements_of(spec, what.family, what.dtype, device.info(), device.free_bytes());
  return what;
}

SweepRun::SweepRun(std::uint64_t number, kernels::Device& device, const Spec& spec,
                   RoofCache& cache, const Timing& timing, std::stop_token stop, Send send,
                   double opening)
    : number_(number),
      device_(device),
      spec_(spec),
      policy_(policy_of(spec)),
      cache_(cache),
      phases_(timing.now, opening),
      timing_{timing.now, timing.rest, &phases_},
      stop_(std::move(stop)),
      send_(std::move(send)),
      forecast_(policy_) {
  spend("devices");
}

void SweepRun::spend(std::string_view whom) {
  std::ranges::move(phases_.take(whom), std::back_inserter(spent_));
}

Point SweepRun::measured_point(const Ask& ask) {
  const double begin = timing_.now();
  Point point = run_case(device_, ask.what, policy_, forecast_.too_slow(ask.what), stop_, timing_);
  point.lab = spec_.lab;
  point.label = ask.label;
  point.run = number_;
  forecast_.learn(point, timing_.now() - begin);
  return point;
}

void SweepRun::report(Point point) {
  point.id = id_of(point);
  spend(series_name(point));
  if (point.status == Status::ok) {
    point.phases = std::exchange(spent_, {});
    ++measured_;
    if (point.stop == Stop::time_limit) ++stopped_at_[point.limit];
    if (point.conditions.throttled.value_or(false)) ++throttled_;
    if (point.disturbed) ++disturbed_;
  }
  send_(PointMeasured{number_, device_.info().id, std::move(point)});
}

void SweepRun::report_progress(std::string now) {
  std::vector<Case> to_run;
  for (const Ask& ask : std::span(asks_).subspan(done_)) {
    if (why_not(device_, ask.what).empty()) to_run.push_back(ask.what);
  }
  const double left = forecast_.seconds_for(to_run);
  send_(Progress{number_, done_, asks_.size(), left, std::move(now)});
}

std::vector<Case> SweepRun::take(const Plan& plan) {
  std::vector<Case> fresh;
  for (const Ask& ask : plan.asks) {
    if (std::ranges::find(asks_, ask) != asks_.end()) continue;
    asks_.push_back(ask);
    fresh.push_back(ask.what);
  }
  return fresh;
}

void SweepRun::run(const Lab& lab, const Place& place, const SweepNeeds& needs) {
  const auto results = [&] { return results_of(spec_, forecast_.known(), number_, false); };
  const Plan first = lab.plan(spec_, place, results());
  std::vector<Case> fresh = take(first);
  send_(SweepStarted{number_, device_.info().id, fresh.size()});
  if (first.every_roof) find_all_roofs(needs);
  while (!fresh.empty()) {
    report_progress("measuring the roofs");
    find_roofs(fresh, needs);
    run_asks(needs);
    fresh = take(lab.plan(spec_, place, results()));
  }
  if (asks_.empty()) return;
  report_progress("");
  warn_of_conditions();
}

void SweepRun::run_asks(const SweepNeeds& needs) {
  while (done_ < asks_.size()) {
    needs.between();
    if (stop_.stop_requested()) throw kernels::Cancelled();
    report_progress(kernels::describe(asks_[done_].what));
    report(measured_point(asks_[done_]));
    ++done_;
  }
}

void SweepRun::fail_rest(const std::string& why) {
  for (; done_ < asks_.size(); ++done_) {
    Point point = point_without_time(asks_[done_].what, Status::failed, why);
    point.lab = spec_.lab;
    point.label = asks_[done_].label;
    point.run = number_;
    report(std::move(point));
  }
}

void SweepRun::warn_of_conditions() {
  for (const auto& [limit, points] : stopped_at_) {
    warn(fmt::format("{} of {} points missed the noise goal of ±{}: {}", points, measured_,
                     units::percent(policy_.noise), remedy_for(limit, policy_)));
  }
  if (throttled_ > 0) {
    warn(
        fmt::format("the clocks of {} were throttled during {} of {} points (power or heat); let "
                    "it cool down, or compare only points at the same clock",
                    device_.info().id, throttled_, measured_));
  }
  warn_of_disturbance();
}

void SweepRun::warn_of_disturbance() {
  if (disturbed_ == 0) return;
  warn(
      fmt::format("other work used {} in every try of {} of {} points; close other programs, or "
                  "measure when the machine is idle",
                  device_.info().id, disturbed_, measured_));
}

void SweepRun::run_probe(const Case& what, std::uint64_t run, const SweepNeeds& needs) {
  find_roofs({what}, needs);
  Point point = measured_point({what});
  point.probe = true;
  point.run = run;
  report(std::move(point));
}

}  // namespace engine
