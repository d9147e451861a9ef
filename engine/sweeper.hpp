// The worker: one thread that opens devices, measures roofs and points, and reports events. start() replaces, never
// waits. Knows nothing of windows.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "engine/roofs.hpp"
#include "engine/session.hpp"
#include "engine/spec.hpp"

namespace engine {

/// What the user interface may know of a device without touching it.
struct DeviceSummary {
  kernels::DeviceInfo info;
  std::vector<kernels::Kernel> kernels;
  double free_bytes = 0;
};

struct DevicesOpened {
  std::vector<DeviceSummary> usable;
  std::vector<kernels::Unavailable> unavailable;
};
struct SweepStarted {
  std::uint64_t sweep;
  std::string device;  ///< id
  std::size_t cases;
};
struct RoofMeasured {
  std::uint64_t sweep;
  std::string device;
  Roof roof;
};
struct PointMeasured {
  std::uint64_t sweep;
  std::string device;
  Point point;
};
struct Progress {
  std::uint64_t sweep;
  std::size_t done, total;
  double seconds_left;  ///< estimate
  std::string now;      ///< what runs, in words
};
struct Warning {
  std::uint64_t sweep;
  std::string text;  ///< one sentence with a remedy
};
enum class End { complete, stopped, replaced, failed };
struct SweepFinished {
  std::uint64_t sweep;
  End end;
  std::string why;  ///< when failed
  bool probe = false;
};
using Event = std::variant<DevicesOpened, SweepStarted, RoofMeasured, PointMeasured, Progress, Warning, SweepFinished>;

/// A sweep to run. `known_roofs` of the session are not measured again.
struct SweepRequest {
  Spec spec;
  std::vector<Roof> known_roofs;
};
/// One point at once, between the trials of a running sweep.
struct ProbeRequest {
  Spec spec;             ///< device, noise, max_time
  kernels::Case what;    ///< elements 0: the default of the device
  std::vector<Roof> known_roofs;
  std::uint64_t run = 0;
};

class Sweeper {
 public:
  using OpenDevices = std::function<kernels::Devices()>;
  using Wake = std::function<void()>;

  /// Starts the worker, which opens the devices first. `wake` is called from the worker after each event.
  Sweeper(OpenDevices open, Wake wake);
  /// Stops what runs and joins.
  ~Sweeper();
  Sweeper(const Sweeper&) = delete;
  Sweeper& operator=(const Sweeper&) = delete;

  /// Replaces the running sweep; returns its number. Never waits.
  std::uint64_t start(SweepRequest);
  /// Replaces a waiting probe; the running sweep goes on afterwards. Returns its number.
  std::uint64_t probe(ProbeRequest);
  /// Ends the running sweep (and a waiting probe) within one trial.
  void stop();
  /// All events since the last call. Events of replaced sweeps are dropped, except their SweepFinished.
  std::vector<Event> drain();
  /// Waits until an event is there or `timeout` is over (headless use); true when one is.
  bool wait(std::chrono::milliseconds timeout);

 private:
  struct Running;
  void work(std::stop_token);
  void open_devices();
  void run_sweep(std::uint64_t number, const SweepRequest&, std::stop_token);
  void run_probe(std::uint64_t number, const ProbeRequest&, std::stop_token);
  void take_waiting_probe(std::stop_token);
  void send(Event);
  kernels::Device* device_named(const std::string& id);

  OpenDevices open_;
  Wake wake_;
  kernels::Devices devices_;  // worker only

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<Event> events_;
  std::optional<std::pair<std::uint64_t, SweepRequest>> next_sweep_;
  std::optional<std::pair<std::uint64_t, ProbeRequest>> next_probe_;
  std::uint64_t last_number_ = 0;
  std::uint64_t current_ = 0;  // number of the sweep whose events count
  std::stop_source cancel_;    // of what runs now
  std::jthread worker_;        // last member: joined before the rest is destroyed
};

/// Applies an event to a session of the same device; true when something visible changed.
bool apply(Session&, const Event&);

}  // namespace engine
