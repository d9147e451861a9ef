#include "engine/sweep_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/dents.hpp"
#include "engine/run_case.hpp"
#include "engine/units.hpp"

namespace engine {
namespace {

using kernels::Case;

Policy policy_of(const Spec& spec) {
  Policy policy;
  policy.noise = spec.noise;
  policy.max_time = spec.max_time;
  return policy;
}

// Points far below their neighbours that are measured again: where there are more, the device is
// like that, or nobody knows which of them are sound.
constexpr std::size_t most_dents = 4;

// A runtime below this share of the first one shows that the first one was disturbed.
constexpr double clearly_faster = 0.9;

/// Why points stopped short of their noise goal, and what to do.
std::string remedy_for(Limit limit, const Policy& policy) {
  switch (limit) {
    case Limit::time:
      return fmt::format(
          "{} were too short; close other programs, or raise the time limit (--max-time)",
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
      return "others ran on the same cores all the time; close other programs, or measure when the "
             "host is less busy";
  }
  return "";
}

/// What the memory roof is measured over.
double memory_bytes(const kernels::Device& device) {
  Case copy;
  copy.elements = default_elements(device.info(), device.free_bytes(), copy.family, copy.dtype);
  return kernels::footprint_of(copy);
}

}  // namespace

Case case_of_probe(const ProbeRequest& request, const kernels::Device& device) {
  const Case& what = request.what;
  Spec spec = request.spec;
  spec.experiment = "intensity";
  spec.kernel = what.family;
  spec.op = what.family == kernels::Family::tile ? kernels::Op::fma : what.op;
  spec.dtypes = {what.dtype};
  spec.fusion = what.fusion == kernels::Fusion::fused ? FusionChoice::fused : FusionChoice::unfused;
  spec.units = what.units == kernels::Units::vector ? UnitsChoice::vector : UnitsChoice::matrix;
  spec.repeats = {what.repeat};
  spec.elements = what.elements;
  spec.data = what.data;
  return expand(spec, device.info(), device.free_bytes()).front();
}

SweepRun::SweepRun(std::uint64_t number, kernels::Device& device, const Spec& spec,
                   RoofCache& cache, const Timing& timing, std::stop_token stop, Send send)
    : number_(number),
      device_(device),
      experiment_(spec.experiment),
      remeasure_(spec.remeasure),
      policy_(policy_of(spec)),
      cache_(cache),
      timing_(timing),
      stop_(std::move(stop)),
      send_(std::move(send)),
      forecast_(policy_),
      excess_(memory_bytes(device)) {}

Point SweepRun::measured_point(const Case& what) {
  const double begin = timing_.now();
  Point point = run_case(device_, what, policy_, forecast_.too_slow(what), stop_, timing_);
  point.experiment = experiment_;
  point.run = number_;
  forecast_.learn(point, timing_.now() - begin);
  return point;
}

void SweepRun::count(const Point& point, int times) {
  if (point.status != Status::ok) return;
  measured_ += times;
  if (point.stop == Stop::time_limit) stopped_at_[point.limit] += times;
  if (point.conditions.throttled.value_or(false)) throttled_ += times;
  if (point.disturbed) disturbed_ += times;
}

void SweepRun::report(Point point) {
  count(point, 1);
  send_(PointMeasured{number_, device_.info().id, std::move(point)});
}

void SweepRun::report_progress(const std::vector<Case>& cases, std::string now) {
  std::vector<Case> to_run;
  for (const Case& what : std::span(cases).subspan(done_)) {
    if (why_not(device_, what).empty()) to_run.push_back(what);
  }
  const double left = forecast_.seconds_for(to_run);
  send_(Progress{number_, done_, cases.size(), left, std::move(now)});
}

void SweepRun::run_cases(const std::vector<Case>& cases, const SweepNeeds& needs) {
  while (done_ < cases.size()) {
    needs.between();
    if (stop_.stop_requested()) throw kernels::Cancelled();
    const Case& what = cases[done_];
    report_progress(cases, kernels::describe(what));
    Point point = measured_point(what);
    const bool above = excess_.learn(point);
    report(std::move(point));
    ++done_;
    if (above) raise_roofs(cases, needs.measured);
  }
  measure_dents_again(cases, needs);
  lower_memory_roof(cases, needs.measured);
  report_progress(cases, "");
  warn_of_conditions();
  warn_of_excess();
}

void SweepRun::measure_dents_again(const std::vector<Case>& cases, const SweepNeeds& needs) {
  const std::vector<Case> again = dents(forecast_.known());
  if (again.size() > most_dents) return;
  for (std::size_t i = 0; i < again.size(); ++i) {
    const Case& what = again[i];
    needs.between();
    if (stop_.stop_requested()) throw kernels::Cancelled();
    const double left =
        forecast_.seconds_for({again.begin() + static_cast<std::ptrdiff_t>(i), again.end()});
    send_(Progress{number_, cases.size() + i, cases.size() + again.size(), left,
                   kernels::describe(what) + " once more"});
    const Point older = *std::ranges::find(forecast_.known().points, what, &Point::what);
    Point point = measured_point(what);
    // The slow end of its interval: one lucky sample proves nothing.
    const double seconds = std::max(point.seconds.median, point.seconds.high);
    const bool faster =
        point.status == Status::ok && seconds < clearly_faster * older.seconds.median;
    if (!faster && point.status == Status::ok) continue;
    if (faster) {
      warn(
          fmt::format("{} {}, repeat {} was slower than the points beside it, and measured again: "
                      "{} instead of {}",
                      name_of(what.dtype), name_of(what.fusion), what.repeat,
                      units::seconds(point.seconds.median), units::seconds(older.seconds.median)));
    }
    count(older, -1);
    const bool above = excess_.learn(point);
    report(std::move(point));
    if (above) raise_roofs(cases, needs.measured);
  }
}

void SweepRun::fail_rest(const std::vector<Case>& cases, const std::string& why) {
  for (; done_ < cases.size(); ++done_) {
    Point point = point_without_time(cases[done_], Status::failed, why);
    point.experiment = experiment_;
    point.run = number_;
    report(std::move(point));
  }
}

void SweepRun::warn_of_conditions() {
  for (const auto& [limit, points] : stopped_at_) {
    if (points == 0) continue;
    warn(fmt::format("{} of {} points are less certain than ±{}, the noise goal: {}", points,
                     measured_, units::percent(policy_.noise), remedy_for(limit, policy_)));
  }
  if (throttled_ > 0) {
    warn(
        fmt::format("the clocks of {} were held back during {} of {} points (power or heat); let "
                    "it cool down, or "
                    "compare only points at the same clock",
                    device_.info().id, throttled_, measured_));
  }
  warn_of_disturbance();
}

void SweepRun::warn_of_disturbance() {
  if (disturbed_ == 0) return;
  warn(fmt::format(
      "other work took a share of {} in every try of {} of {} points; close other programs, or "
      "measure when the machine is idle",
      device_.info().id, disturbed_, measured_));
}

void SweepRun::run_probe(const Case& what, std::uint64_t run, std::vector<Roof>& measured) {
  Point point = measured_point(what);
  point.probe = true;
  point.run = run;
  const bool above = excess_.learn(point);
  report(std::move(point));
  if (!above) return;
  raise_roofs({what}, measured);
  warn_of_excess();
}

}  // namespace engine
