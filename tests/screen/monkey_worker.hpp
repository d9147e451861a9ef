// Stands in for engine::Sweeper without a thread: takes the same requests and sends what it would
// send, one event at a time and the same at each run of a test.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "engine/worker/worker.hpp"
#include "tests/screen/monkey_dice.hpp"

namespace monkey {

class Worker {
 public:
  /// Opens these devices first.
  Worker(Dice& dice, std::vector<engine::Place> devices);

  std::uint64_t start(engine::SweepRequest);
  std::uint64_t probe(engine::ProbeRequest);
  void stop();

  /// What it sends next; nothing while it has nothing to do.
  std::optional<engine::Event> next();
  bool idle() const;

 private:
  /// A request and what is still to be sent for it.
  struct Job {
    std::uint64_t number = 0;
    bool probe = false;
    std::deque<engine::Event> events{};
  };

  void begin(std::optional<Job>& place, Job job);
  void end(std::optional<Job>&, engine::End);
  const engine::Place* device_named(const std::string& id) const;
  void plan_sweep(Job&, const engine::SweepRequest&, const engine::Place&);
  void plan_roofs(Job&, const engine::Place&);
  engine::Point point(const kernels::Case&, std::uint64_t run);

  Dice& dice_;
  std::vector<engine::Place> devices_;
  std::deque<engine::Event> said_;  // sent before anything else
  std::optional<Job> sweep_;
  std::optional<Job> probe_;
  std::uint64_t last_number_ = 0;
};

}  // namespace monkey
