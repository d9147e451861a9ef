#include "engine/measure/run_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "engine/measure/watched.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

using kernels::Case;

Point measured(kernels::Device& device, const Case& what, const Policy& policy,
               std::stop_token stop, const Timing& timing) {
  const double begin = timing.now();
  timing.enter("allocate, fill");
  const auto trial = device.prepare(what, stop);
  Point point;
  point.what = what;
  point.work = trial->work();
  const double ready = timing.now();
  timing.enter("verify");
  const kernels::Check check = trial->verify(stop);
  const double checked = timing.now() - ready;
  if (!check.ok) return point_without_time(what, Status::failed, "wrong result: " + check.why);
  point.checked = true;
  // The limit is for the whole point: filling and checking a large tensor count, too.
  Policy rest = policy;
  rest.max_time = std::max(0.0, policy.max_time - (timing.now() - begin));
  // Checking has kept the device busy with the same kernel and memory: that much of the warm-up is
  // done. Of long runs, each much longer than a warm-up, the first counts then.
  rest.warm_up = std::max(0.0, policy.warm_up - checked);
  store(measure_watched(device, *trial, rest, stop, timing), point);
  point.cold = trial->cold();
  point.note = trial->note();
  point.values = trial->values();
  point.spans = trial->spans();
  if (check.error > 0) point.values.push_back({"error", check.error});
  return point;
}

Point attempt(kernels::Device& device, const Case& what, const Policy& policy, std::stop_token stop,
              const Timing& timing) {
  try {
    return measured(device, what, policy, std::move(stop), timing);
  } catch (const kernels::Cancelled&) {
    throw;
  } catch (const kernels::DeviceLost&) {
    throw;
  } catch (const kernels::Unsupported& reason) {
    return point_without_time(what, Status::skipped, reason.what());
  } catch (const std::bad_alloc&) {
    return point_without_time(what, Status::failed,
                              fmt::format("not enough memory for {}; choose fewer elements",
                                          units::bytes(kernels::footprint_of(what))));
  } catch (const std::exception& error) {
    return point_without_time(what, Status::failed, error.what());
  }
}

}  // namespace

Point point_without_time(const Case& what, Status status, std::string why) {
  Point point;
  point.what = what;
  point.work = kernels::work_of(what);
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

Point run_case(kernels::Device& device, const Case& what, const Policy& policy,
               std::string too_slow, std::stop_token stop, const Timing& timing) {
  std::string reason = why_not(device, what);
  if (reason.empty()) reason = std::move(too_slow);
  if (!reason.empty()) return point_without_time(what, Status::skipped, std::move(reason));
  Point point = attempt(device, what, policy, std::move(stop), timing);
  if (point.note.empty()) point.note = kernels::find_kernel(device.kernels(), what)->note;
  return point;
}

}  // namespace engine
