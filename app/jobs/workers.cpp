#include "app/jobs/workers.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace app {
namespace {

/// Where nothing is to be measured: has no device and sends no event.
class Nobody : public engine::Worker {
 public:
  std::uint64_t start(engine::SweepRequest) override { return 0; }
  std::uint64_t probe(engine::ProbeRequest) override { return 0; }
  void stop() override {}
  void forget_roofs(const std::string&) override {}
  std::vector<engine::Event> drain() override { return {}; }
  bool wait(std::chrono::milliseconds) override { return false; }
};

}  // namespace

Workers::Workers(std::unique_ptr<engine::Worker> local)
    : local_(local ? std::move(local) : std::make_unique<Nobody>()) {}

void Workers::replay(engine::Session recording, double speed) {
  replay_ = std::make_unique<engine::Replay>(std::move(recording), speed);
}

engine::Worker& Workers::with_device(const std::string& id) {
  return replay_ && id == engine::recording_id ? *replay_ : *local_;
}

std::uint64_t Workers::start(engine::SweepRequest request) {
  engine::Worker& worker = with_device(request.spec.device);
  if (&worker != local_.get()) local_->stop();
  if (replay_ && &worker != replay_.get()) replay_->stop();
  return worker.start(std::move(request));
}

std::uint64_t Workers::probe(engine::ProbeRequest request) {
  return with_device(request.spec.device).probe(std::move(request));
}

void Workers::stop() {
  local_->stop();
  if (replay_) replay_->stop();
}

void Workers::forget_roofs(const std::string& device) { with_device(device).forget_roofs(device); }

std::vector<engine::Event> Workers::drain() {
  std::vector<engine::Event> events = local_->drain();
  if (replay_) std::ranges::move(replay_->drain(), std::back_inserter(events));
  return events;
}

bool Workers::wait(std::chrono::milliseconds timeout) {
  const bool due = replay_ && replay_->wait(std::chrono::milliseconds(0));
  return due || local_->wait(timeout);
}

}  // namespace app
