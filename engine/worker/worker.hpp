// Requests go in and never wait, events come out: what the window, the command line and the tests
// know of whoever measures, or plays what was measured.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/labs/lab.hpp"
#include "engine/session/session.hpp"
#include "engine/spec.hpp"

namespace engine {

struct DevicesOpened {
  std::vector<Place> usable;
  std::vector<kernels::Unavailable> unavailable;
};
struct SweepStarted {
  std::uint64_t sweep;
  std::string device;  ///< id
  std::size_t cases;
  std::optional<Run>
      run{};  ///< for the session to remember; nothing in a replay, whose session does
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
  double seconds_left;   ///< estimate
  std::string now;       ///< what runs, in words
  std::size_t pass = 0;  ///< over all points; the first is 0
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
  std::string at{};      ///< when, ISO 8601 UTC
  std::string device{};  ///< its id
};
std::string_view name_of(End);
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

/// Tells of its devices first (DevicesOpened). Everything but wait() returns at once.
class Worker {
 public:
  virtual ~Worker() = default;

  /// Replaces the running sweep; returns its number.
  virtual std::uint64_t start(SweepRequest) = 0;
  /// Replaces an earlier probe; the running sweep goes on afterwards. Returns its number.
  virtual std::uint64_t probe(ProbeRequest) = 0;
  /// Ends the running sweep and every probe.
  virtual void stop() = 0;
  /// Roofs measured on this device so far are measured again by the next request that needs them.
  virtual void forget_roofs(const std::string& device) = 0;
  /// All events since the last call. Events of replaced sweeps are dropped, except their
  /// SweepFinished; roofs among them come again with the next sweep that needs them.
  virtual std::vector<Event> drain() = 0;
  /// Waits until an event is there or `timeout` is over (headless use); true when one is.
  virtual bool wait(std::chrono::milliseconds timeout) = 0;
};

/// Applies an event to a session of the same device; true when something visible changed. See
/// full_warning() for a session that has no room for a point.
bool apply(Session&, const Event&);

}  // namespace engine
