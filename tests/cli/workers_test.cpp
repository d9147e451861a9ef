// Requests that find the worker whose device they name.
#include "app/jobs/workers.hpp"

#include <doctest/doctest.h>

#include "tests/session/examples.hpp"

namespace {

/// Counts what it is asked for.
struct Counting : engine::Worker {
  int& starts;
  int& stops;

  Counting(int& started, int& stopped) : starts(started), stops(stopped) {}
  std::uint64_t start(engine::SweepRequest) override {
    return static_cast<std::uint64_t>(++starts);
  }
  std::uint64_t probe(engine::ProbeRequest) override { return 0; }
  void stop() override { ++stops; }
  void forget_roofs(const std::string&) override {}
  std::vector<engine::Event> drain() override { return {engine::Warning{1, "of the machine"}}; }
  bool wait(std::chrono::milliseconds) override { return false; }
};

engine::SweepRequest on(std::string_view device) {
  engine::SweepRequest request;
  request.spec.device = device;
  return request;
}

}  // namespace

TEST_CASE("a request goes to the worker that has its device, and the other one stops") {
  int starts = 0, stops = 0;
  app::Workers workers(std::make_unique<Counting>(starts, stops));
  CHECK(workers.start(on("cpu")) == 1);
  CHECK(stops == 0);
  engine::Session session = examples::session();
  session.points.push_back(examples::point(examples::chain(1), 1e6));
  workers.replay(session, 1);
  CHECK_FALSE(workers.replays());
  CHECK(workers.start(on(engine::recording_id)) > 1);
  CHECK(workers.replays());
  CHECK(starts == 1);
  CHECK(stops == 1);
  CHECK(workers.drain().size() > 2);  // of both
  CHECK(workers.start(on("cpu")) == 2);
  CHECK_FALSE(workers.replays());
}

TEST_CASE("a replay needs no other worker") {
  app::Workers workers(nullptr);
  CHECK(workers.drain().empty());
  workers.replay(examples::session(), 1);
  CHECK(workers.wait(std::chrono::milliseconds(0)));
  const std::vector<engine::Event> events = workers.drain();
  REQUIRE(events.size() == 1);
  CHECK(std::holds_alternative<engine::DevicesOpened>(events[0]));
}
