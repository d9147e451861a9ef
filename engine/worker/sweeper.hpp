// The local worker: one thread that opens devices, measures roofs and points, and reports events.
// start() replaces, never waits. Knows nothing of windows.
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
#include <variant>
#include <vector>

#include "engine/measure/measure.hpp"
#include "engine/roofs/roofs.hpp"
#include "engine/worker/worker.hpp"
#include "kernels/kept/own_folder.hpp"

namespace engine {

struct SweepNeeds;

/// Measures, on a thread of its own.
class Sweeper : public Worker {
 public:
  using OpenDevices = std::function<kernels::Devices()>;
  using Wake = std::function<void()>;

  /// Starts the worker, which opens the devices first. `wake` is called from the worker after each
  /// event. Kernel shapes that searches found are kept in the folder `cache`; empty: only as long
  /// as the sweeper lives.
  Sweeper(OpenDevices open, Wake wake, Timing timing = {},
          std::filesystem::path cache = kernels::cache_folder());
  /// Stops what runs and joins.
  ~Sweeper() override;
  Sweeper(const Sweeper&) = delete;
  Sweeper& operator=(const Sweeper&) = delete;

  std::uint64_t start(SweepRequest) override;
  std::uint64_t probe(ProbeRequest) override;
  /// Within one run of a trial.
  void stop() override;
  void forget_roofs(const std::string& device) override;
  std::vector<Event> drain() override;
  bool wait(std::chrono::milliseconds timeout) override;

 private:
  using Request = std::variant<SweepRequest, ProbeRequest>;
  /// Sweeps, or probes. Why one is to end before its time is decided when that happens, by start()
  /// or stop().
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
  std::uint64_t push(Queue&, Request);
  bool run_next(Queue&);
  SweepFinished outcome_of(Queue&, const Queue::Waiting&, std::stop_token);

  void work(std::stop_token quit);
  void open_devices();
  /// Ready, and the time that took told with the next sweep.
  kernels::Device& opened(const std::string& id);
  void run(std::uint64_t number, const SweepRequest&, std::stop_token);
  void run(std::uint64_t number, const ProbeRequest&, std::stop_token);
  void send(Event);
  std::vector<Roof>& roofs_of(const std::string& device);
  SweepNeeds needs(const kernels::DeviceInfo&, std::vector<Roof> known, std::stop_token);
  kernels::Device& device_named(const std::string& id);

  OpenDevices open_;
  Wake wake_;
  Timing timing_;
  std::filesystem::path cache_folder_;
  kernels::Devices devices_;                        // worker only
  double opening_ = 0;                              // worker only: s, until a sweep has told of it
  std::map<std::string, std::vector<Roof>> roofs_;  // worker only: measured so far, by device
  std::map<std::string, RoofCache> caches_;         // worker only: by device

  std::mutex mutex_;  // of all below but the worker
  std::condition_variable_any changed_;
  std::vector<Event> events_;
  Queue sweeps_, probes_;
  std::vector<std::string> forgotten_;  // ids of devices
  std::uint64_t last_number_ = 0;
  std::jthread worker_;  // last member: joined before the rest is destroyed
};

}  // namespace engine
