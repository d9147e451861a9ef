// The worker: one thread that opens devices, measures roofs and points, and reports events. start()
// replaces, never waits. Knows nothing of windows.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "engine/measure.hpp"
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
using Event = std::variant<DevicesOpened, SweepStarted, RoofMeasured, PointMeasured, Progress,
                           Warning, SweepFinished>;

/// A sweep to run. `known_roofs` of the session are not measured again.
struct SweepRequest {
  Spec spec;
  std::vector<Roof> known_roofs;
};
/// One point at once, between the trials of a running sweep.
struct ProbeRequest {
  Spec spec;           ///< device, noise, max_time
  kernels::Case what;  ///< elements 0: the default of the device
  std::vector<Roof> known_roofs;
  std::uint64_t run = 0;
};

class Sweeper {
 public:
  using OpenDevices = std::function<kernels::Devices()>;
  using Wake = std::function<void()>;

  /// Starts the worker, which opens the devices first. `wake` is called from the worker after each
  /// event. Kernel shapes that searches found are kept in the folder `cache`; empty: only as long
  /// as the sweeper lives.
  Sweeper(OpenDevices open, Wake wake, Timing timing = {},
          std::filesystem::path cache = roof_cache_folder());
  /// Stops what runs and joins.
  ~Sweeper();
  Sweeper(const Sweeper&) = delete;
  Sweeper& operator=(const Sweeper&) = delete;

  /// Replaces the running sweep; returns its number. Never waits.
  std::uint64_t start(SweepRequest);
  /// Replaces an earlier probe; the running sweep goes on afterwards. Returns its number. Never
  /// waits.
  std::uint64_t probe(ProbeRequest);
  /// Ends the running sweep and every probe within one run of a trial. Never waits.
  void stop();
  /// Roofs measured on this device so far are measured again by the next request that needs them.
  /// Never waits.
  void forget_roofs(const std::string& device);
  /// All events since the last call. Events of replaced sweeps are dropped, except their
  /// SweepFinished; roofs among them come again with the next sweep that needs them.
  std::vector<Event> drain();
  /// Waits until an event is there or `timeout` is over (headless use); true when one is.
  bool wait(std::chrono::milliseconds timeout);

 private:
  /// Requests of one kind. Why one is to end before its time is decided when that happens, by
  /// start() or stop().
  template <typename Request>
  struct Queue {
    struct Waiting {
      std::uint64_t number;
      Request request;
      std::optional<End> ended;
    };
    std::deque<Waiting> waiting;
    std::stop_source cancel{std::nostopstate};  // of the one that runs
    std::optional<End> ended;                   // the same for the one that runs
    std::uint64_t newest = 0;

    /// Marks all that there is as ended; what it returns stops the one that runs.
    std::stop_source end_all(End);
  };
  template <typename Request>
  std::uint64_t push(Queue<Request>&, Request);
  template <typename Request>
  bool run_next(Queue<Request>&, bool is_probe);
  template <typename Request>
  SweepFinished outcome_of(Queue<Request>&, typename Queue<Request>::Waiting&, std::stop_token);

  void work(std::stop_token quit);
  void open_devices();
  void run(std::uint64_t number, const SweepRequest&, std::stop_token);
  void run(std::uint64_t number, const ProbeRequest&, std::stop_token);
  void send(Event);
  std::vector<Roof>& roofs_of(const std::string& device);
  RoofCache& cache_of(const kernels::DeviceInfo&);
  kernels::Device& device_named(const std::string& id);

  OpenDevices open_;
  Wake wake_;
  Timing timing_;
  std::filesystem::path cache_folder_;
  kernels::Devices devices_;                        // worker only
  std::map<std::string, std::vector<Roof>> roofs_;  // worker only: measured so far, by device
  std::map<std::string, RoofCache> caches_;         // worker only: by device

  std::mutex mutex_;  // of all below but the worker
  std::condition_variable_any changed_;
  std::vector<Event> events_;
  Queue<SweepRequest> sweeps_;
  Queue<ProbeRequest> probes_;
  std::vector<std::string> forgotten_;  // ids of devices
  std::uint64_t last_number_ = 0;
  std::jthread worker_;  // last member: joined before the rest is destroyed
};

/// Applies an event to a session of the same device; true when something visible changed. See
/// full_warning() for a session that has no room for a point.
bool apply(Session&, const Event&);

}  // namespace engine
