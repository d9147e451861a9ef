#include "engine/worker/sweep_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <tuple>
#include <utility>

#include "engine/measure/statistics.hpp"
#include "engine/measure/watched.hpp"
#include "engine/roofs/roof_rounds.hpp"
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

constexpr std::ptrdiff_t most_rounds = 500;  // of a roof

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
                   RoofCache& cache, const Timing& timing, std::stop_token stop, Send send,
                   double opening)
    : number_(number),
      device_(device),
      spec_(spec),
      policy_(policy_of(spec)),
      cache_(cache),
      phases_(timing.now, opening),
      timing_{timing.now, timing.rest, &phases_, &last_load_},
      stop_(std::move(stop)),
      send_(std::move(send)),
      forecast_(policy_, device.info()),
      begin_(timing.now()) {
  spend("devices");
}

void SweepRun::spend(std::string_view whom) {
  std::ranges::move(phases_.take(whom), std::back_inserter(spent_));
}

void SweepRun::report(Point point) {
  send_(PointMeasured{number_, device_.info().id, std::move(point)});
}

Point SweepRun::named(Point point, const std::string& label) const {
  point.lab = spec_.lab;
  point.label = label;
  point.run = number_;
  point.id = id_of(point);
  return point;
}

void SweepRun::report_progress(std::string now) {
  std::size_t done = 0;
  double left = 0;
  for (const Asked& one : asked_) {
    if (one.run.done()) ++done;
    if (one.run.done()) continue;
    left += one.run.seconds_left(one.run.visits() > 0 ? 0 : forecast_.run_seconds(one.ask.what));
  }
  if (end_by_) left = std::clamp(*end_by_ - timing_.now(), 0.0, left);
  send_(Progress{number_, done, asked_.size(), left, std::move(now), pass_});
}

std::vector<Case> SweepRun::take(const Plan& plan) {
  std::vector<Case> fresh;
  for (const Ask& ask : plan.asks) {
    if (std::ranges::find(asked_, ask, &Asked::ask) != asked_.end()) continue;
    asked_.push_back({ask, fresh_run(ask)});
    fresh.push_back(ask.what);
  }
  return fresh;
}

CaseRun SweepRun::fresh_run(const Ask& ask) const {
  Policy policy = policy_;
  policy.max_time *= ask.patience;
  return CaseRun(device_, ask.what, policy, begin_);
}

void SweepRun::run(const Lab& lab, const Place& place, const SweepNeeds& needs) {
  spec_ = suited(spec_, place);
  for (const Roof& roof : needs.known) forecast_.learn(roof);
  const auto results = [&] { return results_of(spec_, forecast_.known(), number_, false); };
  const Plan first = lab.plan(spec_, place, results());
  std::vector<Case> fresh = take(first);
  time_ = time_of(lab, spec_, fresh.size());
  send_(SweepStarted{number_, device_.info().id, fresh.size()});
  if (first.every_roof) {
    find_all_roofs(needs);
    find_sustained(needs, true);
  }
  const auto asked_again = [&] {
    if (spec_.time > 0 && time_is_over()) return std::vector<Case>();
    return take(lab.plan(spec_, place, results()));
  };
  while (!fresh.empty()) {
    report_progress("measuring the roofs");
    find_roofs(fresh, needs);
    if (time_ > 0 && !end_by_) end_by_ = timing_.now() + time_;
    run_pass(0, needs);
    // What stands in for a point that could not run joins the first pass.
    fresh = asked_again();
    if (!fresh.empty()) continue;
    run_passes(needs);
    while (doubt_roofs(needs)) {
      run_pass(0, needs);
      run_passes(needs);
      report_again();
    }
    fresh = asked_again();
  }
  if (asked_.empty()) return;
  find_sustained(needs, false);
  report_progress("");
  warn_of_conditions();
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

void SweepRun::visit(std::size_t index, std::size_t pass) {
  Asked& one = asked_[index];
  if (!one.run.done() && pass == 0) {
    if (std::string why = forecast_.too_slow(one.ask.what); !why.empty()) one.run.skip(why);
  }
  const std::size_t visits = one.run.visits();
  const double compiled = device_.seconds_compiling();
  if (!one.run.done()) {
    const bool alone = visits == 0 && is_brief(one.ask.what);
    if (!one.beside && !alone) one.beside = controls_of(device_, forecast_.known(), one.ask.what);
    one.run.visit(
        visits == 0 ? quick_visit : usual_visit,
        one.beside ? std::span<const ControlCase>(*one.beside) : std::span<const ControlCase>(),
        stop_, timing_);
  }
  if (end_by_) *end_by_ += device_.seconds_compiling() - compiled;
  Point point = named(one.run.point(), one.ask.label);
  spend(series_name(point));
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

void SweepRun::keep_looks(const Visit& visit, std::optional<double> clock_hz) {
  for (const Look& look : visit.looks) {
    Looks& looks = looks_[look.roof];
    if (visit.set_aside.empty())
      looks.highest_clock = std::max(looks.highest_clock, clock_hz.value_or(0));
    (visit.set_aside.empty() ? looks.alone : looks.disturbed).push_back(look.rate);
  }
}

void SweepRun::publish_looks(std::vector<Roof>& measured) {
  for (const auto& [name, looks] : looks_) {
    const auto roof = std::ranges::find_if(measured, [&](const Roof& one) {
      return one.name == name && one.source == RoofSource::measured;
    });
    if (roof == measured.end()) continue;
    const auto [before, fresh] = rounds_before_.try_emplace(name, roof->rounds);
    std::vector<double> rounds = before->second;
    if (roof->disturbed && !looks.alone.empty()) {  // these say what the rounds before could not
      rounds.resize(1);
      before->second = rounds;
      roof->disturbed = false;
    }
    rounds.insert(rounds.end(), looks.counting().begin(), looks.counting().end());
    // Enough for any interval; a file need not hold more.
    // The first one stays: by it a session knows the measurement again.
    if (rounds.size() > most_rounds)
      rounds.erase(rounds.begin() + 1, rounds.end() - (most_rounds - 1));
    set_rounds(*roof, std::move(rounds));
    roof->highest_clock = std::max(roof->highest_clock, looks.highest_clock);
    report_roof(*roof);
  }
}

void SweepRun::find_sustained(const SweepNeeds& needs, bool every) {
  const double seconds = device_.pace().sustained;
  if (seconds <= 0) return;
  timing_.enter("measure roofs");
  for (const ControlCase& one : matrix_roofs(device_, needs.measured)) {
    if (spec_.time > 0 && time_is_over()) break;
    const auto roof = std::ranges::find(needs.measured, one.roof, &Roof::name);
    const bool needed = every || looks_.contains(one.roof);
    if (!needed || roof->sustained > 0) continue;
    needs.between();
    or_warn([&] {
      const auto trial = device_.prepare(one.what, stop_);
      kernels::Sample last;
      const Around around = watch(device_, one.what.units, timing_,
                                  [&](bool) { last = trial->run_for(seconds, stop_); });
      if (!around.disturbance().empty()) return;
      roof->sustained = trial->work().*one.amount / last.seconds;
      roof->sustained_conditions = around.after;
      if (last.clock_hz) roof->sustained_conditions.clock_hz = last.clock_hz;
      report_roof(*roof);
    });
  }
  spend("roofs");
}

bool SweepRun::may_end() const { return pass_ > 0 || spec_.time > 0; }

bool SweepRun::time_is_over() const { return end_by_ && timing_.now() >= *end_by_; }

void SweepRun::end_early() {
  for (Asked& one : asked_) {
    if (one.reported) continue;
    one.run.skip(fmt::format("the sweep reached its time limit of {}; raise it (--time)",
                             units::seconds(time_, 2)));
    one.reported = true;
    report(named(one.run.point(), one.ask.label));
  }
}

bool SweepRun::run_pass(std::size_t pass, const SweepNeeds& needs) {
  pass_ = pass;
  const std::vector<std::size_t> order = order_of(pass_);
  for (const std::size_t index : order) {
    needs.between();
    if (stop_.stop_requested()) throw kernels::Cancelled();
    if (may_end() && time_is_over()) break;
    report_progress(kernels::describe(asked_[index].ask.what));
    visit(index, pass_);
  }
  if (!order.empty()) publish_looks(needs.measured);
  if (time_is_over()) end_early();
  return !order.empty() && !time_is_over();
}

void SweepRun::run_passes(const SweepNeeds& needs) {
  for (std::size_t pass = 1; !time_is_over() && run_pass(pass, needs);) ++pass;
}

void SweepRun::fail_rest(const std::string& why) {
  for (Asked& one : asked_) {
    if (one.reported || one.again) continue;
    report(named(point_without_time(device_, one.ask.what, Status::failed, why), one.ask.label));
  }
}

void SweepRun::run_probe(const Case& what, std::uint64_t run, const SweepNeeds& needs) {
  for (const Roof& roof : needs.known) forecast_.learn(roof);
  find_roofs({what}, needs);
  CaseRun probe(device_, what, policy_, begin_);
  if (std::string why = forecast_.too_slow(what); !probe.done() && !why.empty()) probe.skip(why);
  const std::vector<ControlCase> beside = controls_of(device_, forecast_.known(), what);
  for (bool first = true; first || !probe.done(); first = false) {
    if (!probe.done()) {
      const bool alone = first && is_brief(what);
      probe.visit(first ? quick_visit : usual_visit,
                  alone ? std::span<const ControlCase>() : beside, stop_, timing_);
    }
    Point point = probe.point();
    point.lab = spec_.lab;
    point.probe = true;
    point.run = run;
    point.id = id_of(point);
    spend(series_name(point));
    if (point.status == Status::ok) point.phases = spent_;
    report(std::move(point));
  }
}

}  // namespace engine
