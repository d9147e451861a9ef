#include "kernels/cuda/sensors/sensors.hpp"

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <utility>

namespace kernels::cuda {
namespace {

constexpr double period = 0.1;  // s; sensors of a GPU change every 20 to 100 ms
// An older reading is of another load: the thread slept meanwhile.
constexpr double oldest = 0.25;
constexpr std::chrono::seconds longest_wait{1};

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

}  // namespace kernels::cuda
