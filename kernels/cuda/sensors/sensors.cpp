#include "kernels/cuda/sensors/sensors.hpp"

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <utility>

#include "kernels/counted.hpp"

namespace kernels::cuda {
namespace {

constexpr double period = 0.1;  // s; sensors of a GPU change every 20 to 100 ms
// An older reading is of another load: the thread slept meanwhile.
constexpr double oldest = 0.25;
constexpr std::chrono::seconds longest_wait{1};

// NVML averages power and GPU-Util over 0.2 to 1 s, and every call costs about half a millisecond
// of a core (an H200).
constexpr double between_slow = 0.5;  // s

}  // namespace

Sensors::Sensors(Nvml& nvml) : nvml_(nvml), background_([this] { read(); }, period) {}

void Sensors::read() {
  Conditions now;
  try {
    now = nvml_.conditions();
  } catch (const std::exception& error) {  // on a thread of its own nobody else would catch it
    now.note = fmt::format("NVML cannot be read: {}", error.what());
  }
  {
    const std::lock_guard lock(mutex_);
    newest_ = std::move(now);
    newest_at_ = host_seconds();
  }
  changed_.notify_all();
}

Conditions Sensors::latest() {
  keep_on();
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, longest_wait, [this] { return host_seconds() - newest_at_ < oldest; });
  return newest_;
}

GpuActivity::GpuActivity(const Nvml& nvml, Counters which) : nvml_(nvml) {
  try {
    counters_ = nvml.counters();
  } catch (const Unsupported& none) {
    why_not_ = none.what();
    if (!nvml.any_kernel()) throw;
    if (which == Counters::any) use_dcgm();
  }
  last_ = host_seconds();
}

void GpuActivity::use_dcgm() {
  const std::optional<int> index = nvml_.index();
  if (!index) return;
  try {
    dcgm_ = std::make_unique<Dcgm>(*index);
    why_not_.clear();
  } catch (const Unsupported& none) {
    why_not_ += fmt::format("; those of DCGM need its host engine: {}", none.what());
  }
}

void GpuActivity::add_clock() {
  const std::optional<double> clock = nvml_.clock();
  if (!clock) return;
  clocks_ += *clock;
  ++looks_;
}

void GpuActivity::look() {
  if (dcgm_) dcgm_->look();
  // Else it stays where it is, and a look costs half a millisecond of a core.
  if (slow_.power_limited.value_or(false)) add_clock();
}

std::optional<Activity> GpuActivity::read() {
  const double now = host_seconds();
  if (now - last_ < least_window()) return std::nullopt;
  Activity activity{.seconds = now - last_};
  if (counters_) activity.counted = counters_->read();
  if (dcgm_) activity.counted = dcgm_->read();
  if (now - slow_at_ >= between_slow) {
    slow_ = nvml_.slow_conditions();
    any_kernel_ = nvml_.any_kernel();
    memory_ = nvml_.memory_of_processes();
    slow_at_ = now;
  }
  if (any_kernel_) activity.counted.push_back({std::string(counted::any_kernel), *any_kernel_});
  activity.counted.insert(activity.counted.end(), memory_.begin(), memory_.end());
  activity.conditions = slow_;
  add_clock();
  if (looks_ > 0) activity.conditions.clock_hz = clocks_ / looks_;
  clocks_ = looks_ = 0;
  last_ = now;
  return activity;
}

}  // namespace kernels::cuda
