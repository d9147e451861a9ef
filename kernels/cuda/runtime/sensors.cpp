#include "kernels/cuda/runtime/sensors.hpp"

#include <utility>

namespace kernels::cuda {
namespace {

constexpr double period = 0.1;  // s; sensors of a GPU change every 20 to 100 ms

}  // namespace

Sensors::Sensors(Nvml& nvml) : nvml_(nvml), background_([this] { read(); }, period) {}

void Sensors::read() {
  Conditions now = nvml_.conditions();
  {
    const std::lock_guard lock(mutex_);
    newest_ = std::move(now);
  }
  changed_.notify_all();
}

Conditions Sensors::latest() {
  keep_on();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return newest_.has_value(); });
  return *newest_;
}

}  // namespace kernels::cuda
