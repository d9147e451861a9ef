#include "engine/worker/sweep_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <tuple>
#include <utility>

#include "engine/roofs/roof_tasks.hpp"
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

// Longer runs come last in the first pass, so that the curve stands soon. They may be the only ones
// of their points, so roofs run beside them already then.
constexpr double brief_run = 0.05;  // s

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
                   SweepNeeds needs)
    : number_(number),
      device_(device),
      spec_(spec),
      needs_(std::move(needs)),
      policy_(policy_of(spec)),
      phases_(needs_.timing.now, needs_.opening),
      timing_{needs_.timing.now, needs_.timing.rest, &phases_, &last_load_},
      forecast_(policy_, device.info()),
      begin_(timing_.now()) {
  take_phases("devices");
}

void SweepRun::take_phases(std::string_view whom) {
  std::ranges::move(phases_.take(whom), std::back_inserter(spent_));
}

void SweepRun::report(Point point) {
  needs_.send(PointMeasured{number_, device_.info().id, std::move(point)});
}

Point SweepRun::named(Point point, const std::string& label) const {
  point.lab = spec_.lab;
  point.label = label;
  point.probe = probe_of_.has_value();
  point.run = probe_of_.value_or(number_);
  point.id = id_of(point);
  return point;
}

void SweepRun::report_progress(std::string now) {
  if (probe_of_) return;
  std::size_t done = 0;
  double left = 0;
  for (const Asked& one : asked_) {
    if (one.run.done()) {
      ++done;
      continue;
    }
    left += one.run.seconds_left(one.run.visits() > 0 ? 0 : forecast_.run_seconds(one.ask.what));
  }
  if (end_by_) left = std::clamp(*end_by_ - timing_.now(), 0.0, left);
  needs_.send(Progress{number_, done, asked_.size(), left, std::move(now), pass_});
}

std::vector<Case> SweepRun::take(const Plan& plan) {
  std::vector<Case> fresh;
  for (const Ask& ask : plan.asks) {
    if (ask.once || std::ranges::find(asked_, ask, &Asked::ask) != asked_.end()) continue;
    asked_.push_back({ask, fresh_run(ask)});
    fresh.push_back(ask.what);
  }
  return fresh;
}

CaseRun SweepRun::fresh_run(const Ask& ask) const {
  Policy policy = policy_;
  policy.max_time *= ask.part_of_time;
  return CaseRun(device_, ask.what, policy, begin_);
}

void SweepRun::run(const Lab& lab, const Place& place) {
  lab_ = &lab;
  spec_ = suited(spec_, place);
  run([&] {
    refuse_contradictions(spec_);
    const Session& known = forecast_.known();
    return lab.plan(spec_, place, {spec_, known, points_of(known, number_, spec_.lab), false});
  });
}

void SweepRun::run_probe(const Case& what, std::uint64_t run) {
  probe_of_ = run;
  started_ = true;  // says nothing of itself but its point
  this->run([&] { return Plan{{{what}}}; });
}

void SweepRun::run(const std::function<Plan()>& plan) {
  for (const Roof& roof : needs_.known) forecast_.learn(roof);
  for (std::vector<Case> fresh = ask(plan); !fresh.empty();) {
    report_progress("measuring the roofs");
    find_roofs(fresh);
    if (time_ > 0 && !end_by_) end_by_ = timing_.now() + time_;
    run_pass(0);
    // What stands in for a point that could not run joins the first pass.
    fresh = ask(plan);
    if (!fresh.empty()) continue;
    run_passes();
    while (!probe_of_ && doubt_roofs()) {
      run_pass(0);
      run_passes();
      report_again();
    }
    fresh = ask(plan);
  }
  if (to_find_ > 0) doubt_asked();
  if (probe_of_) return;
  find_sustained(to_find_ > 0);
  if (asked_.empty()) return;
  report_progress("");
  warn_of_conditions();
}

std::vector<Case> SweepRun::ask(const std::function<Plan()>& plan) {
  std::vector<Case> fresh;
  for (bool more = true; more && !(spec_.time > 0 && time_is_over());) {
    Plan next = plan();
    std::ranges::move(take(next), std::back_inserter(fresh));
    if (!started_) {
      time_ = time_of(*lab_, spec_, fresh.size());
      Run asked{number_, spec_, utc_now()};
      asked.spec.device = device_.info().id;
      needs_.send(SweepStarted{number_, asked.spec.device, fresh.size(), asked});
      started_ = true;
    }
    more = find_asked(std::move(next));
  }
  return fresh;
}

bool SweepRun::is_brief(const Case& what) const { return forecast_.run_seconds(what) <= brief_run; }

std::vector<std::size_t> SweepRun::order_of(std::size_t pass) const {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    if (pass == 0 ? !asked_[i].reported : !asked_[i].run.done()) order.push_back(i);
  }
  // Matrix units bring a GPU to its power limit, and its clock comes back after a while.
  const auto inputs = [&](std::size_t i) {
    const Case& what = asked_[i].ask.what;
    return std::tuple(what.units, what.dtype, what.data);
  };
  if (pass == 0) {
    std::ranges::stable_sort(order, {}, [&](std::size_t i) {
      return std::pair(!is_brief(asked_[i].ask.what), asked_[i].ask.what.units);
    });
    return order;
  }
  std::mt19937_64 random(number_ + (pass << 32));
  std::ranges::shuffle(order, random);
  // Blocks of equal inputs, in the random order of their first points.
  std::vector<std::tuple<kernels::Units, kernels::Dtype, kernels::Data>> blocks;
  for (const std::size_t i : order) {
    if (std::ranges::find(blocks, inputs(i)) == blocks.end()) blocks.push_back(inputs(i));
  }
  std::ranges::stable_sort(order, {},
                           [&](std::size_t i) { return std::ranges::find(blocks, inputs(i)); });
  return order;
}

void SweepRun::visit(Asked& one) {
  if (!one.run.done() && pass_ == 0) {
    if (std::string why = forecast_.too_slow(one.ask.what); !why.empty()) one.run.skip(why);
  }
  const std::size_t visits = one.run.visits();
  const double compiled = device_.seconds_compiling();
  if (!one.run.done()) {
    const bool alone = visits == 0 && is_brief(one.ask.what);
    if (!one.beside && !alone) one.beside = controls_of(device_, forecast_.known(), one.ask.what);
    VisitPlan plan = visits == 0 ? quick_visit : usual_visit;
    plan.pass = passes_;
    plan.counted = !end_by_ || timing_.now() + time_to_count < *end_by_;
    one.run.visit(
        plan,
        one.beside ? std::span<const ControlCase>(*one.beside) : std::span<const ControlCase>(),
        needs_.stop, timing_);
  }
  if (end_by_) *end_by_ += device_.seconds_compiling() - compiled;
  Point point = named(one.run.point(), one.ask.label);
  take_phases(series_name(point));
  if (point.status == Status::ok) {
    std::ranges::move(std::exchange(spent_, {}), std::back_inserter(one.phases));
    point.phases = one.phases;
    if (one.run.visits() > visits) keep_looks(point.visits.back(), point.conditions.clock_hz);
  }
  one.reported = true;
  forecast_.learn(point);
  if (one.again && !one.run.done()) return;
  one.again = false;
  report(std::move(point));
}

void SweepRun::report_again() {
  for (Asked& one : asked_) {
    if (std::exchange(one.again, false)) report(named(one.run.point(), one.ask.label));
  }
}

bool SweepRun::time_is_over() const { return end_by_ && timing_.now() >= *end_by_; }

void SweepRun::end_early() {
  for (Asked& one : asked_) {
    if (one.reported) continue;
    one.run.skip(
        fmt::format("the sweep reached its time limit of {}; raise it", units::seconds(time_, 2)));
    one.reported = true;
    report(named(one.run.point(), one.ask.label));
  }
}

bool SweepRun::run_pass(std::size_t pass) {
  pass_ = pass;
  const std::vector<std::size_t> order = order_of(pass_);
  for (const std::size_t index : order) {
    needs_.between();
    if (needs_.stop.stop_requested()) throw kernels::Cancelled();
    // A limit that the user did not set leaves no point unmeasured.
    if ((pass_ > 0 || spec_.time > 0) && time_is_over()) break;
    report_progress(kernels::describe(asked_[index].ask.what));
    visit(asked_[index]);
  }
  ++passes_;
  if (!order.empty()) publish_looks();
  if (time_is_over()) end_early();
  return !order.empty() && !time_is_over();
}

void SweepRun::run_passes() {
  for (std::size_t pass = 1; !time_is_over() && run_pass(pass);) ++pass;
}

void SweepRun::fail_rest(const std::string& why) {
  for (Asked& one : asked_) {
    if (one.reported || one.again) continue;
    report(named(point_without_time(device_, one.ask.what, Status::failed, why), one.ask.label));
  }
}

}  // namespace engine
