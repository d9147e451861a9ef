#include "engine/measure/run_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "engine/roofs/roofs.hpp"
#include "engine/watch/rates.hpp"
#include "kernels/counted.hpp"
#include "kernels/families/family.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

using kernels::Case;

// Systems count stolen time in ticks of 10 ms: one tick alone can be rounding.
constexpr double least_stolen_seconds = 0.02;

double stolen_share(double stolen, double core_seconds) {
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

/// What a point keeps of the conditions: clocks and power right after the load; throttled when it
/// was so at either end, or in every sample.
kernels::Conditions conditions_of(const Around& around, const Measurement& measurement) {
  kernels::Conditions after = around.after;
  if (!measurement.last.remark.empty()) add_note(after, measurement.last.remark);
  if (around.before.throttled.value_or(false) && !after.throttled.value_or(false)) {
    after.throttled = true;
    after.note = around.before.note;
  }
  if (measurement.clock_hz) after.clock_hz = measurement.clock_hz;
  const std::string settled = units::hertz(measurement.settled_clock);
  const bool power_limited = after.power_limited.value_or(false);
  if (!power_limited && (measurement.throttled || measurement.slowed_down)) after.throttled = true;
  if (!power_limited && measurement.throttled)
    add_note(after, fmt::format("the clock stayed below 75 % of the settled {}", settled));
  if (!power_limited && measurement.slowed_down)
    add_note(after,
             fmt::format("the clock settled at {}, far below that of an earlier visit", settled));
  if (measurement.contended_throughout)
    add_note(after, "SMT contention throughout: other work shared the cores");
  return after;
}

/// Null where it cannot run, for want of memory or of a kernel: then no roof runs beside the case.
std::unique_ptr<kernels::Trial> prepared_or_none(kernels::Device& device, const Case& what,
                                                 const std::stop_token& stop) {
  try {
    return device.prepare(what, stop);
  } catch (const kernels::Unsupported&) {
  } catch (const std::bad_alloc&) {
  }
  return nullptr;
}

Policy policy_on(const kernels::Device& device, Policy policy) {
  policy.stated_clock = device.info().clock_hz;
  policy.pace = device.pace();
  return policy;
}

// ---- beside the counters of the device

/// Null where the device counts nothing, or nothing that this user may read.
std::unique_ptr<kernels::ActivityReader> counters_of(kernels::Device& device) {
  try {
    auto reader = device.activity(kernels::Counters::at_once);
    return reader->why_not().empty() ? std::move(reader) : nullptr;
  } catch (const kernels::Unsupported&) {
    return nullptr;
  }
}

/// Since it was made; nothing where that is refused.
std::optional<kernels::Activity> counted_by(kernels::ActivityReader& reader) {
  try {
    return reader.read();
  } catch (const kernels::Unsupported&) {
    return std::nullopt;
  }
}

/// s of the same load before the counters are read: they lag behind by up to a window of 0.1 s.
constexpr double counters_lag = 0.25;

/// Byte/s of DRAM that the device counted while a trial ran; nothing where it does not count them,
/// or its multiprocessors had work for less than 97 % of the time, or so little was moved that
/// others' traffic would matter.
std::optional<double> counted_bandwidth(const kernels::DeviceInfo& device,
                                        const kernels::Activity& activity) {
  // Else the time between runs, or multiprocessors without work, would count as a lower bandwidth.
  constexpr double least_busy = 0.97;
  if (engine::share_of(activity, kernels::counted::busy) < least_busy) return std::nullopt;
  const double share = engine::share_of(activity, kernels::counted::dram);
  const double bandwidth = counted_rates(datasheet_roofs(device), kernels::Dtype::bf16).bandwidth;
  constexpr double least_share = 0.1;
  return share >= least_share && bandwidth > 0 ? std::optional(share * bandwidth) : std::nullopt;
}

}  // namespace

CountedRun run_counted(kernels::Device& device, kernels::Trial& trial, double seconds,
                       const std::stop_token& stop) {
  auto reader = counters_of(device);
  if (reader) static_cast<void>(trial.run_for(counters_lag, stop));
  reader = counters_of(device);
  CountedRun run{trial.run_for(seconds, stop), {}};
  if (reader) run.counted = counted_by(*reader);
  return run;
}

std::string why_not(const kernels::Device& device, const Case& what) {
  if (what.family->prepare_on_host != nullptr) return "";
  const kernels::Kernel* kernel = kernels::find_kernel(device.kernels(), what);
  if (kernel != nullptr) return kernel->runs ? "" : kernel->why_not;
  return fmt::format("{} has no kernel {} {} {} on {} units", device.info().id,
                     name_of(what.family), name_of(what.op()), name_of(what.dtype),
                     name_of(what.units));
}

Point point_without_time(const kernels::Device& device, const Case& what, Status status,
                         std::string why) {
  Point point;
  point.what = what;
  point.work = kernels::work_of(what, device.info().kind);
  point.status = status;
  point.why = std::move(why);
  return point;
}

std::string Around::disturbance() const {
  if (taken <= most_taken) return "";
  if (held_by_quota(after))
    return fmt::format("the quota of this control group took {} of the device",
                       units::percent(*after.quota));
  return fmt::format("other work took {} of the device{}", units::percent(taken),
                     after.others.empty() ? "" : ": " + after.others);
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
                 stolen_share(around.stolen, around.core_seconds);
  return around;
}

CaseRun::CaseRun(kernels::Device& device, const Case& what, const Policy& policy, double begin)
    : device_(&device), sampler_(policy_on(device, policy), begin) {
  facts_.what = what;
  if (std::string why = engine::why_not(device, what); !why.empty()) skip(std::move(why));
}

void CaseRun::fail(Status status, std::string why) {
  if (visited_) {
    add_note(facts_.conditions, fmt::format("not measured further: {}", why));
    return sampler_.end(Limit::stopped);
  }
  facts_.status = status;
  facts_.why = std::move(why);
}

void CaseRun::prepare(Trials& trials, const std::stop_token& stop) const {
  if (!trials.roofs.empty()) trials.own = prepared_or_none(*device_, facts_.what, stop);
  if (trials.own != nullptr) return;
  trials.roofs.clear();  // where not all have room, the case goes alone
  trials.own = device_->prepare(facts_.what, stop);
}

bool CaseRun::verify(Trials& trials, const std::stop_token& stop) {
  if (facts_.checked) return true;
  if (!trials.check) trials.check = trials.own->verify(stop);
  error_ = trials.check->error;
  facts_.checked = trials.check->ok;
  if (!facts_.checked) fail(Status::failed, "wrong result: " + trials.check->why);
  return facts_.checked;
}

void CaseRun::run(const VisitPlan& plan, std::span<const ControlCase> beside,
                  const std::stop_token& stop, const Timing& timing, Trials* kept) {
  Trials of_this_visit;
  Trials& trials = kept != nullptr ? *kept : of_this_visit;
  const bool fresh = trials.own == nullptr;
  timing.enter("allocate, fill");
  // First: trials of a CPU share their memory, and the inputs of the case must lie there at the
  // end.
  for (std::size_t i = 0; fresh && i < beside.size(); ++i)
    trials.roofs.push_back(prepared_or_none(*device_, beside[i].what, stop));
  const double begin = timing.now(), compiled = device_->seconds_compiling();
  if (fresh) prepare(trials, stop);
  timing.enter("verify");
  if (plan.verified && !verify(trials, stop)) return;
  // The limit is for the whole point: filling and checking a large tensor count, too. Compiling its
  // kernel does not.
  if (kept == nullptr) {
    const double spent = timing.now() - begin - (device_->seconds_compiling() - compiled);
    sampler_.add_time(std::max(0.0, spent));
  }
  std::vector<Control> controls;
  for (std::size_t i = 0; i < trials.roofs.size(); ++i) {
    const ControlCase& one = beside[i];
    kernels::Trial* roof = trials.roofs[i].get();
    if (roof != nullptr)
      controls.push_back({*roof, one.roof, roof->work().*one.amount, one.of_case});
  }
  summarize(watch(*device_, facts_.what.units, timing,
                  [&](bool warm) {
                    VisitPlan here = plan;
                    here.warm = warm;
                    sampler_.visit(*trials.own, controls, here, stop, timing);
                  }),
            *trials.own);
  if (plan.counted && sampler_.done() && !counted_) count(*trials.own, stop, timing);
}

void CaseRun::count(kernels::Trial& trial, const std::stop_token& stop, const Timing& timing) {
  // What lies in a cache moves other bytes than its work says, and so do families whose work is the
  // least traffic that a perfect cache would need; a brief point is not worth the time.
  constexpr double least_spent = 0.2;
  const bool exact =
      facts_.what.family == kernels::Family::chain || facts_.what.family == kernels::Family::stream;
  if (!exact || !facts_.cold || facts_.work.bytes <= 0 || sampler_.spent() < least_spent) return;
  counted_ = true;
  if (counters_of(*device_) == nullptr) return;
  try {
    CountedRun run;
    const Around around = watch(*device_, facts_.what.units, timing, [&](bool) {
      timing.enter("counted by the device");
      run = run_counted(*device_, trial, time_to_count - counters_lag, stop);
    });
    if (!run.counted || !around.disturbance().empty()) return;
    if (const auto counted = counted_bandwidth(device_->info(), *run.counted))
      counted_bytes_ = *counted * run.last.seconds;
  } catch (const kernels::DeviceLost&) {
    throw;
  } catch (const std::exception&) {
    // The point is measured: nothing is lost but a look at it.
  }
}

void CaseRun::summarize(const Around& around, const kernels::Trial& trial) {
  const std::string disturbance = around.disturbance();
  if (!disturbance.empty()) sampler_.set_aside(disturbance);
  sampler_.enough();
  const Measurement measured = sampler_.result();
  if (!visited_) facts_.before = around.before;
  kernels::Conditions& after = facts_.conditions;
  after = conditions_of(around, measured);
  if (after.quota) quota_ = std::max(quota_.value_or(0), *after.quota);
  after.quota = quota_;
  if (disturbance.empty()) {
    stolen_ += around.stolen;
    core_seconds_ += around.core_seconds;
    throttled_ = throttled_ || after.throttled.value_or(false);
  }
  if (throttled_) after.throttled = true;
  facts_.work = trial.work();
  facts_.cold = trial.cold();
  facts_.note = measured.last.note;
  facts_.launched = measured.last.launched;
  facts_.values = measured.last.values;
  facts_.spans = measured.last.spans;
  if (error_ > 0) facts_.values.push_back({"error", error_});
  visited_ = true;
}

void CaseRun::visit(const VisitPlan& plan, std::span<const ControlCase> beside,
                    const std::stop_token& stop, const Timing& timing, Trials* kept) {
  try {
    run(plan, beside, stop, timing, kept);
  } catch (const kernels::Cancelled&) {
    throw;
  } catch (const kernels::DeviceLost&) {
    throw;
  } catch (const kernels::Unsupported& reason) {
    fail(Status::skipped, reason.what());
  } catch (const std::bad_alloc&) {
    fail(Status::failed, fmt::format("not enough memory for {}; choose smaller sizes",
                                     units::bytes(kernels::footprint_of(facts_.what))));
  } catch (const std::exception& error) {
    fail(Status::failed, error.what());
  }
}

Point CaseRun::point() const {
  const kernels::Kernel* kernel = kernels::find_kernel(device_->kernels(), facts_.what);
  if (!facts_.why.empty()) {
    Point point = point_without_time(*device_, facts_.what, facts_.status, facts_.why);
    if (kernel != nullptr && kernel->runs) point.note = kernel->note;
    return point;
  }
  Measurement point = sampler_.result(facts_);
  point.disturbed = point.disturbed || point.contended_throughout;
  // One visit may be too brief to show what the hypervisor took: systems count that in ticks.
  const double stolen = stolen_share(stolen_, core_seconds_);
  if (stolen > most_taken && !point.disturbed) {
    point.disturbed = true;
    add_note(point.conditions,
             fmt::format("the hypervisor took {} of the cores", units::percent(stolen)));
  }
  if (counted_bytes_)
    point.values.push_back(
        {std::string(kernels::counted::own_bandwidth), *counted_bytes_ / point.seconds.median});
  if (point.note.empty()) point.note = kernel->note;
  return point;
}

Point run_case(kernels::Device& device, const Case& what, const Policy& policy,
               const VisitPlan& plan, const std::stop_token& stop, const Timing& timing,
               Trials* kept) {
  CaseRun run(device, what, policy, timing.now());
  if (!run.done()) run.visit(plan, {}, stop, timing, kept);
  return run.point();
}

}  // namespace engine
