#include "kernels/cuda/runtime/activity.hpp"

#include "kernels/counted.hpp"
#include "kernels/cuda/runtime/host_time.hpp"

namespace kernels::cuda {
namespace {

// NVML averages power and GPU-Util over 0.2 to 1 s, and every call costs about half a millisecond
// of a core (an H200).
constexpr double between_slow = 0.5;  // s

}  // namespace

GpuActivity::GpuActivity(const Nvml& nvml) : nvml_(nvml) {
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
  Activity activity{.seconds = now - last_};
  if (counters_) activity.counted = counters_->read();
  if (now - slow_at_ >= between_slow) {
    slow_ = nvml_.slow_conditions();
    any_kernel_ = nvml_.any_kernel();
    slow_at_ = now;
  }
  if (any_kernel_) activity.counted.push_back({std::string(counted::any_kernel), *any_kernel_});
  activity.conditions = slow_;
  activity.conditions.clock_hz = nvml_.clock();
  last_ = now;
  return activity;
}

}  // namespace kernels::cuda
