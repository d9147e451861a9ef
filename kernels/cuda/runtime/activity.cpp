#include "kernels/cuda/runtime/activity.hpp"

#include "kernels/counted.hpp"
#include "kernels/cuda/runtime/host_time.hpp"

namespace kernels::cuda {

GpuActivity::GpuActivity(const Nvml& nvml, Sensors& sensors) : nvml_(nvml), sensors_(sensors) {
  sensors_.keep_on();
  try {
    counters_ = nvml.counters();
  } catch (const Unsupported& none) {
    why_not_ = none.what();
    if (!nvml.any_kernel()) throw;
  }
  last_ = host_seconds();
}

std::optional<Activity> GpuActivity::read() {
  const double now = host_seconds();
  if (now - last_ < least_window()) return std::nullopt;
  sensors_.keep_on();
  Activity activity{.seconds = now - last_};
  if (counters_) activity.counted = counters_->read();
  if (const auto share = nvml_.any_kernel())
    activity.counted.push_back({std::string(counted::any_kernel), *share});
  activity.conditions = sensors_.latest();
  last_ = now;
  return activity;
}

}  // namespace kernels::cuda
