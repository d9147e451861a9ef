// The workers of the window as one: that which measures on this machine, and a replay that plays a
// recording beside it or alone.
#pragma once

#include <memory>

#include "engine/worker/replay.hpp"

namespace app {

class Workers : public engine::Worker {
 public:
  /// `local` may be null: then nothing is measured, and no device is opened.
  explicit Workers(std::unique_ptr<engine::Worker> local);

  /// Shows a recording's device in place of that of an earlier one. It plays when a sweep is
  /// started on it.
  void replay(engine::Session recording, double speed);
  /// Some of a recording is still to come: ask again soon.
  bool replays() const { return replay_ && replay_->plays(); }

  /// Whoever has the device of the request takes it, and the other stops.
  std::uint64_t start(engine::SweepRequest) override;
  std::uint64_t probe(engine::ProbeRequest) override;
  void stop() override;
  void forget_roofs(const std::string& device) override;
  std::vector<engine::Event> drain() override;
  bool wait(std::chrono::milliseconds timeout) override;

 private:
  engine::Worker& with_device(const std::string& id);

  std::unique_ptr<engine::Replay> replay_;
  std::unique_ptr<engine::Worker> local_;  // last member: its thread ends before the rest
};

}  // namespace app
