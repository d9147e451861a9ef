#include "engine/measure/run_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "engine/measure/watched.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

using kernels::Case;

/// Null where it cannot run, for want of memory or of a kernel: then no roof runs beside the case.
std::unique_ptr<kernels::Trial> prepared(kernels::Device& device, const Case& what,
                                         const std::stop_token& stop) {
  try {
    return device.prepare(what, stop);
  } catch (const kernels::Unsupported&) {
  } catch (const std::bad_alloc&) {
  }
  return nullptr;
}

}  // namespace

Point point_without_time(const kernels::Device& device, const Case& what, Status status,
                         std::string why) {
  Point point;
  point.what = what;
  point.work = kernels::work_of(what, device.info().kind);
  point.status = status;
  point.why = std::move(why);
  return point;
}

std::string why_not(const kernels::Device& device, const Case& what) {
  const kernels::Kernel* kernel = kernels::find_kernel(device.kernels(), what);
  if (kernel != nullptr) return kernel->runs ? "" : kernel->why_not;
  return fmt::format("{} has no kernel {} {} {} on {} units", device.info().id,
                     name_of(what.family), name_of(what.op()), name_of(what.dtype),
                     name_of(what.units));
}

CaseRun::CaseRun(kernels::Device& device, const Case& what, const Policy& policy, double begin)
    : device_(&device), what_(what), gathering_(policy_on(device, policy), begin) {
  facts_.what = what;
  if (std::string why = engine::why_not(device, what); !why.empty()) skip(std::move(why));
}

void CaseRun::skip(std::string why) {
  status_ = Status::skipped;
  why_ = std::move(why);
}

void CaseRun::fail(Status status, std::string why) {
  if (visited_) {
    after_.note += (after_.note.empty() ? "" : "; ") + fmt::format("not measured further: {}", why);
    return gathering_.end(Limit::stopped);
  }
  status_ = status;
  why_ = std::move(why);
}

bool CaseRun::verify(kernels::Trial& trial, const std::stop_token& stop) {
  if (facts_.checked) return true;
  const kernels::Check check = trial.verify(stop);
  if (!check.ok) {
    fail(Status::failed, "wrong result: " + check.why);
    return false;
  }
  facts_.checked = true;
  error_ = check.error;
  return true;
}

void CaseRun::run(const VisitPlan& plan, std::span<const ControlCase> beside,
                  const std::stop_token& stop, const Timing& timing) {
  timing.enter("allocate, fill");
  // First: trials of a CPU share their memory, and the inputs of the case must lie there at the
  // end.
  std::vector<std::unique_ptr<kernels::Trial>> roofs;
  for (const ControlCase& one : beside) roofs.push_back(prepared(*device_, one.what, stop));
  const double begin = timing.now(), compiled = device_->seconds_compiling();
  auto trial = roofs.empty() ? nullptr : prepared(*device_, what_, stop);
  if (trial == nullptr) {  // where not all have room, the case goes alone
    roofs.clear();
    trial = device_->prepare(what_, stop);
  }
  timing.enter("verify");
  if (plan.verified && !verify(*trial, stop)) return;
  // The limit is for the whole point: filling and checking a large tensor count, too. Compiling its
  // kernel does not.
  gathering_.spend(std::max(0.0, timing.now() - begin - (device_->seconds_compiling() - compiled)));
  std::vector<Control> controls;
  for (std::size_t i = 0; i < roofs.size(); ++i) {
    const ControlCase& one = beside[i];
    if (roofs[i] == nullptr) continue;
    controls.push_back({*roofs[i], one.roof, roofs[i]->work().*one.amount, one.of_case});
  }
  const Around around = watch(*device_, what_.units, timing, [&](bool warm) {
    VisitPlan here = plan;
    here.warm = warm;
    gathering_.visit(*trial, controls, here, stop, timing);
  });
  if (std::string why = around.disturbance(); !why.empty()) gathering_.set_aside(std::move(why));
  gathering_.judge();
  const bool counts = around.disturbance().empty();
  if (counts) {
    stolen_ += around.stolen;
    wall_ += around.core_seconds;
  }
  if (!before_) before_ = around.before;
  const Measurement measured = gathering_.result();
  after_ = conditions_of(around, measured);
  if (after_.quota) quota_ = std::max(quota_.value_or(0), *after_.quota);
  throttled_ = throttled_ || (counts && after_.throttled.value_or(false));
  facts_.work = trial->work();
  facts_.cold = trial->cold();
  facts_.note = measured.last.note;
  facts_.launched = measured.last.launched;
  facts_.values = measured.last.values;
  facts_.spans = measured.last.spans;
  if (error_ > 0) facts_.values.push_back({"error", error_});
  visited_ = true;
}

void CaseRun::visit(const VisitPlan& plan, std::span<const ControlCase> beside,
                    const std::stop_token& stop, const Timing& timing) {
  try {
    run(plan, beside, stop, timing);
  } catch (const kernels::Cancelled&) {
    throw;
  } catch (const kernels::DeviceLost&) {
    throw;
  } catch (const kernels::Unsupported& reason) {
    fail(Status::skipped, reason.what());
  } catch (const std::bad_alloc&) {
    fail(Status::failed, fmt::format("not enough memory for {}; choose smaller sizes",
                                     units::bytes(kernels::footprint_of(what_))));
  } catch (const std::exception& error) {
    fail(Status::failed, error.what());
  }
}

Point CaseRun::point() const {
  if (!why_.empty()) {
    Point point = point_without_time(*device_, what_, status_, why_);
    const kernels::Kernel* kernel = kernels::find_kernel(device_->kernels(), what_);
    if (kernel != nullptr && kernel->runs) point.note = kernel->note;
    return point;
  }
  Point point = facts_;
  store(gathering_.result(), point);
  point.before = before_.value_or(kernels::Conditions());
  point.conditions = after_;
  point.conditions.quota = quota_;
  if (throttled_) point.conditions.throttled = true;
  if (const std::string stolen = theft(stolen_, wall_); !stolen.empty() && !point.disturbed) {
    point.disturbed = true;
    point.conditions.note += (point.conditions.note.empty() ? "" : "; ") + stolen;
  }
  if (point.note.empty()) point.note = kernels::find_kernel(device_->kernels(), what_)->note;
  return point;
}

Point run_case(kernels::Device& device, const Case& what, const Policy& policy,
               const VisitPlan& plan, const std::stop_token& stop, const Timing& timing) {
  CaseRun run(device, what, policy, timing.now());
  if (!run.done()) run.visit(plan, {}, stop, timing);
  return run.point();
}

}  // namespace engine
