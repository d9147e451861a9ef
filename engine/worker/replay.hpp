// Plays a recorded session as if it were being measured: the events of a sweep, at the pace of the
// recorded samples or faster. Opens no device and has no thread: what is due is found when events
// are asked for.
#pragma once

#include <deque>
#include <string_view>

#include "engine/measure/measure.hpp"
#include "engine/worker/worker.hpp"

namespace engine {

/// The id under which the device of a recording is shown beside those that are here.
inline constexpr std::string_view recording_id = "recording";

/// The device of a session as one that is recorded: what was measured on it runs.
Place recorded_device(const Session&);

/// An event and when it comes, s after the start.
struct TimedEvent {
  double at;
  Event event;
};
/// A whole session as the events of the sweep `number`: its roofs at once, each point when its
/// samples would have been taken at `speed` times the recorded pace.
std::deque<TimedEvent> timeline(const Session&, std::uint64_t number, double speed);

class Replay : public Worker {
 public:
  /// Tells of the recorded device at once, and plays when a sweep is started. `speed` is above 0.
  explicit Replay(Session recording, double speed = 1, Clock clock = {});

  /// Plays the recording from its beginning, whatever the request asks for.
  std::uint64_t start(SweepRequest) override;
  /// Answers with the recorded point of the case, or with none.
  std::uint64_t probe(ProbeRequest) override;
  void stop() override;
  void forget_roofs(const std::string&) override {}
  std::vector<Event> drain() override;
  bool wait(std::chrono::milliseconds timeout) override;

  /// Some of the recording is still to come.
  bool plays() const { return !coming_.empty(); }

 private:
  void end(End);
  void take_due();

  Session recording_;
  double speed_;
  Clock clock_;
  std::uint64_t last_number_;
  std::uint64_t sweep_ = 0;        // that plays
  double started_ = 0;             // s, by the clock
  std::deque<TimedEvent> coming_;  // after started_
  std::vector<Event> due_;
};

}  // namespace engine
