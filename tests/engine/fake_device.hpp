// A device whose every answer a test decides: how long a run takes, what fails, when it blocks.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "engine/measure/measure.hpp"
#include "engine/session/session.hpp"
#include "kernels/device.hpp"

namespace fake {

inline constexpr double bandwidth = 100e9;
inline constexpr double peak = 1e12;
inline constexpr double launches_per_second = 1e6;

/// Time that passes only when a fake trial runs.
class Clock {
 public:
  void pass(double seconds) {
    const std::lock_guard lock(mutex_);
    now_ += seconds;
  }
  double now() const {
    const std::lock_guard lock(mutex_);
    return now_;
  }
  engine::Clock reader() const {
    return [this] { return now(); };
  }
  /// Time from this clock; resting only lets it pass.
  engine::Timing timing() {
    return {reader(), [this](double seconds, const std::stop_token&) {
              rested_ = rested_ + 1;
              pass(seconds);
            }};
  }
  int rested() const { return rested_; }

 private:
  mutable std::mutex mutex_;
  double now_ = 1000;
  std::atomic<int> rested_ = 0;
};

/// Holds a run until the test opens it, or the run is cancelled; the test can wait until a run is
/// held.
class Gate {
 public:
  void hold(std::stop_token stop) {
    std::unique_lock lock(mutex_);
    ++held_;
    changed_.notify_all();
    const bool opened = changed_.wait(lock, stop, [this] { return open_; });
    --held_;
    if (!opened) throw kernels::Cancelled();
  }
  void wait_until_held() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return held_ > 0; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool open_ = false;
  int held_ = 0;
};

/// What a perfect device of these roofs would take.
inline double ideal_seconds(const kernels::Case& what) {
  const kernels::Work work = kernels::work_of(what);
  return std::max({work.bytes / bandwidth, work.flops / peak, work.launches / launches_per_second});
}

/// What a test decides; everything may throw. Set before the device is handed over.
struct Script {
  std::function<double(const kernels::Case&)> seconds = ideal_seconds;
  std::function<void(const kernels::Case&)> prepare = [](const kernels::Case&) {};
  std::function<kernels::Check(const kernels::Case&)> verify = [](const kernels::Case&) {
    return kernels::Check{true, ""};
  };
  /// Called at the start of each run.
  std::function<void(const kernels::Case&, std::stop_token)> run = [](const kernels::Case&,
                                                                      std::stop_token) {};
  std::function<kernels::Conditions()> conditions = [] { return kernels::Conditions{}; };
  std::function<void()> watch = [] {};
  /// Clock during a run.
  std::function<std::optional<double>()> clock_hz = [] { return std::optional<double>(); };
  /// Whether others ran on the same cores during a run.
  std::function<bool()> contended = [] { return false; };
  /// Seconds until others have left the cores.
  std::function<double()> settling = [] { return 0.0; };
  /// Of the shape that was chosen.
  std::function<std::string(const kernels::Case&)> note = [](const kernels::Case&) {
    return std::string();
  };
  std::function<kernels::Launched(const kernels::Case&)> launched = [](const kernels::Case&) {
    return kernels::Launched::threads;
  };
  std::vector<kernels::Value> values{};
  std::vector<kernels::Span> spans{};
  std::function<std::vector<kernels::ShapeAxis>(const kernels::Case&)> axes =
      [](const kernels::Case&) { return std::vector<kernels::ShapeAxis>(); };
  /// What is counted of all that runs; nothing: it has no counters.
  std::function<std::unique_ptr<kernels::ActivityReader>()> activity{};
  std::function<void(kernels::DeviceInfo&)> describe = [](kernels::DeviceInfo&) {};
  Clock* clock = nullptr;
  double free_bytes = 16e9;
  kernels::Pace pace{};
  std::vector<kernels::Kernel> more_kernels{};  ///< that the device has
  /// Seconds of preparing so far that went to a compiler.
  std::function<double()> compiling = [] { return 0.0; };
};

class Trial : public kernels::Trial {
 public:
  Trial(const Script& script, const kernels::Case& what) : script_(script), what_(what) {}
  void settle(std::stop_token) override {
    if (script_.clock != nullptr) script_.clock->pass(script_.settling());
  }
  kernels::Sample run(std::stop_token stop) override {
    script_.run(what_, stop);
    if (stop.stop_requested()) throw kernels::Cancelled();
    const double seconds = script_.seconds(what_);
    if (script_.clock != nullptr) script_.clock->pass(seconds);
    return {.seconds = seconds,
            .clock_hz = script_.clock_hz(),
            .contended = script_.contended(),
            .launched = script_.launched(what_),
            .note = script_.note(what_),
            .values = script_.values,
            .spans = script_.spans};
  }
  kernels::Work work() const override { return kernels::work_of(what_); }
  kernels::Check verify(std::stop_token) override { return script_.verify(what_); }
  bool cold() const override { return true; }

 private:
  const Script& script_;
  kernels::Case what_;
};

/// Runs every chain of fp64, fp32 and bf16, and tiles of bf16 on matrix units only; its roofs can
/// be measured.
class Device : public kernels::Device {
 public:
  explicit Device(Script script, std::string id = "cpu") : script_(std::move(script)) {
    info_.id = std::move(id);
    info_.kind = info_.id == "cpu" ? "cpu" : "cuda";
    info_.name = "Fake";
    script_.describe(info_);
    for (const auto op : {kernels::Op::mul, kernels::Op::add, kernels::Op::fma}) {
      for (const auto dtype : {kernels::Dtype::fp64, kernels::Dtype::fp32, kernels::Dtype::bf16}) {
        rows_.push_back(
            {.family = kernels::Family::chain, .op = op, .dtype = dtype, .note = "fake"});
      }
    }
    for (const auto op : {kernels::Op::mul, kernels::Op::add, kernels::Op::fma}) {
      for (const auto dtype : {kernels::Dtype::fp64, kernels::Dtype::fp32, kernels::Dtype::bf16}) {
        rows_.push_back({.family = kernels::Family::peak, .op = op, .dtype = dtype});
      }
    }
    rows_.push_back({.family = kernels::Family::stream, .op = kernels::Op::copy});
    rows_.push_back({.family = kernels::Family::launch, .op = kernels::Op::none});
    rows_.push_back({.family = kernels::Family::tile,
                     .op = kernels::Op::mma,
                     .dtype = kernels::Dtype::bf16,
                     .units = kernels::Units::matrix});
    rows_.push_back({.family = kernels::Family::tile,
                     .op = kernels::Op::mma,
                     .dtype = kernels::Dtype::bf16,
                     .runs = false,
                     .why_not = "the fake has no SIMD tiles"});
    rows_.insert(rows_.end(), script_.more_kernels.begin(), script_.more_kernels.end());
  }
  const kernels::DeviceInfo& info() const override { return info_; }
  std::span<const kernels::Kernel> kernels() const override { return rows_; }
  std::unique_ptr<kernels::Trial> prepare(const kernels::Case& what, std::stop_token) override {
    script_.prepare(what);
    kernels::Case shaped = what;
    if (what.family == kernels::Family::peak && what.elements == 0) shaped.elements = 4096;
    return std::make_unique<Trial>(script_, shaped);
  }
  std::vector<kernels::ShapeAxis> shape_axes(const kernels::Case& what) const override {
    return script_.axes(what);
  }
  void watch() override { script_.watch(); }
  kernels::Conditions conditions() override { return script_.conditions(); }
  kernels::Pace pace() const override { return script_.pace; }
  std::unique_ptr<kernels::ActivityReader> activity(kernels::Counters which) override {
    return script_.activity ? script_.activity() : kernels::Device::activity(which);
  }
  double free_bytes() const override { return script_.free_bytes; }
  double seconds_compiling() const override { return script_.compiling(); }

 private:
  Script script_;
  kernels::DeviceInfo info_;
  std::vector<kernels::Kernel> rows_;
};

/// What open_devices() would give on a machine with only this device.
inline std::function<kernels::Devices()> machine_with(Script script, std::string id = "cpu") {
  return [script = std::move(script), id = std::move(id)] {
    kernels::Devices devices;
    devices.usable.push_back(std::make_unique<Device>(script, id));
    return devices;
  };
}

/// The roofs of the fake for a dtype, as if an earlier sweep had measured them.
inline std::vector<engine::Roof> roofs(kernels::Dtype dtype = kernels::Dtype::fp32,
                                       kernels::Units units = kernels::Units::vector) {
  engine::Roof copy;
  copy.name = "DRAM copy";
  copy.kind = engine::RoofKind::bandwidth;
  copy.rate = bandwidth;
  engine::Roof launch;
  launch.name = "launch";
  launch.kind = engine::RoofKind::overhead;
  launch.rate = launches_per_second;
  engine::Roof compute;
  compute.name = engine::compute_roof_name(dtype, units);
  compute.dtype = dtype;
  compute.units = units;
  compute.rate = peak;
  return {copy, launch, compute};
}

}  // namespace fake
