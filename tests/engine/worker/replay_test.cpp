// A recorded session as events, at times that the test sets.
#include "engine/worker/replay.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "tests/session/examples.hpp"

using namespace engine;

namespace {

/// Two points of 1 s and 3 s, one that was skipped between them, and all roofs.
Session recording() {
  Session session = examples::session();
  Point first = examples::point(examples::chain(1), 0.5);
  first.seconds.samples = {0.5, 0.5};
  Point skipped = examples::point(examples::chain(2), 1);
  skipped.status = Status::skipped;
  skipped.seconds = {};
  Point last = examples::point(examples::chain(4), 3);
  last.seconds = {3, 3, 3, {3}, {}};
  session.points = {first, skipped, last};
  return session;
}

/// A replay on a clock that the test sets.
struct Desk {
  double now = 100;
  Replay replay;

  explicit Desk(double speed = 1) : replay(recording(), speed, [this] { return now; }) {
    replay.drain();
  }
  template <class Kind>
  static std::vector<Kind> of(const std::vector<Event>& events) {
    std::vector<Kind> found;
    for (const Event& event : events) {
      if (const auto* one = std::get_if<Kind>(&event)) found.push_back(*one);
    }
    return found;
  }
};

}  // namespace

TEST_CASE("a replay tells of the recorded device, which is not here, and opens none") {
  Replay replay(recording(), 1, [] { return 0.0; });
  const std::vector<Event> events = replay.drain();
  REQUIRE(events.size() == 1);
  const auto& opened = std::get<DevicesOpened>(events.front());
  REQUIRE(opened.usable.size() == 1);
  const Place& device = opened.usable.front();
  CHECK(device.info.id == recording_id);
  CHECK(device.info.kind == "cpu");
  CHECK(device.info.name == "Example CPU (recording)");
  REQUIRE(device.recorded);
  CHECK(device.recorded->created == recording().created);
  CHECK(device.recorded->points.empty());
  REQUIRE(device.kernels.size() == 1);
  CHECK(device.kernels[0].runs);
  CHECK_FALSE(replay.plays());
}

TEST_CASE("the roofs come at once, and each point when its samples have been taken") {
  Desk desk;
  const std::uint64_t number = desk.replay.start({});
  std::vector<Event> events = desk.replay.drain();
  CHECK(std::get<SweepStarted>(events.front()).cases == 3);
  CHECK(Desk::of<RoofMeasured>(events).size() == recording().roofs.size());
  CHECK(Desk::of<PointMeasured>(events).empty());
  CHECK(Desk::of<Progress>(events).back().seconds_left == 4);
  desk.now += 0.99;
  CHECK(desk.replay.drain().empty());
  desk.now += 0.02;
  events = desk.replay.drain();
  REQUIRE(Desk::of<PointMeasured>(events).size() == 2);  // the skipped one took no time
  CHECK(Desk::of<PointMeasured>(events)[0].point == recording().points[0]);
  CHECK(Desk::of<PointMeasured>(events)[0].device == recording_id);
  CHECK(Desk::of<Progress>(events).back().done == 2);
  CHECK(desk.replay.plays());
  desk.now += 3;
  events = desk.replay.drain();
  CHECK(Desk::of<PointMeasured>(events).size() == 1);
  REQUIRE(Desk::of<SweepFinished>(events).size() == 1);
  CHECK(Desk::of<SweepFinished>(events)[0].sweep == number);
  CHECK(Desk::of<SweepFinished>(events)[0].end == End::complete);
  CHECK_FALSE(desk.replay.plays());
}

TEST_CASE("what was played is the session that was recorded") {
  Desk desk(std::numeric_limits<double>::infinity());
  Session played = *recorded_device(recording()).recorded;
  desk.replay.start({});
  for (const Event& event : desk.replay.drain()) apply(played, event);
  CHECK(played.points == recording().points);
  CHECK(played.roofs == recording().roofs);
}

TEST_CASE("a replay four times as fast takes a quarter of the time") {
  Desk desk(4);
  desk.replay.start({});
  CHECK(Desk::of<Progress>(desk.replay.drain()).back().seconds_left == 1);
  desk.now += 1.001;
  CHECK(Desk::of<SweepFinished>(desk.replay.drain()).size() == 1);
}

TEST_CASE("a second start plays from the beginning, and a stop ends the recording") {
  Desk desk;
  const std::uint64_t first = desk.replay.start({});
  desk.now += 2;
  desk.replay.drain();
  const std::uint64_t second = desk.replay.start({});
  CHECK(second > first);
  std::vector<Event> events = desk.replay.drain();
  REQUIRE(Desk::of<SweepFinished>(events).size() == 1);
  CHECK(Desk::of<SweepFinished>(events)[0].sweep == first);
  CHECK(Desk::of<SweepFinished>(events)[0].end == End::replaced);
  CHECK(Desk::of<SweepStarted>(events).size() == 1);
  desk.replay.stop();
  events = desk.replay.drain();
  REQUIRE(events.size() == 1);
  CHECK(std::get<SweepFinished>(events[0]).end == End::stopped);
  desk.now += 100;
  CHECK(desk.replay.drain().empty());
  desk.replay.stop();
  CHECK(desk.replay.drain().empty());
}

TEST_CASE("a probe is answered with the recorded point, while the recording plays on") {
  Desk desk;
  desk.replay.start({});
  desk.replay.drain();
  ProbeRequest request;
  request.what = examples::chain(4);
  request.run = 7;
  const std::uint64_t number = desk.replay.probe(request);
  std::vector<Event> events = desk.replay.drain();
  REQUIRE(Desk::of<PointMeasured>(events).size() == 1);
  CHECK(Desk::of<PointMeasured>(events)[0].point.probe);
  CHECK(Desk::of<PointMeasured>(events)[0].point.run == 7);
  REQUIRE(Desk::of<SweepFinished>(events).size() == 1);
  CHECK(Desk::of<SweepFinished>(events)[0].sweep == number);
  CHECK(Desk::of<SweepFinished>(events)[0].probe);
  request.what = examples::chain(64);
  desk.replay.probe(request);
  CHECK(desk.replay.drain().size() == 1);  // no such point: the probe ends
  CHECK(desk.replay.plays());
}

TEST_CASE("a probe of a recorded point stands beside the swept one") {
  Desk desk(std::numeric_limits<double>::infinity());
  Session played = *recorded_device(recording()).recorded;
  desk.replay.start({});
  for (const Event& event : desk.replay.drain()) apply(played, event);
  ProbeRequest request;
  request.what = examples::chain(4);
  request.run = 7;
  desk.replay.probe(request);
  for (const Event& event : desk.replay.drain()) apply(played, event);
  REQUIRE(played.points.size() == recording().points.size() + 1);
  CHECK(played.points[2] == recording().points[2]);
  CHECK(played.points.back().probe);
}

TEST_CASE("waiting ends when an event is due") {
  Desk desk;
  CHECK_FALSE(desk.replay.wait(std::chrono::milliseconds(0)));
  desk.replay.start({});
  CHECK(desk.replay.wait(std::chrono::milliseconds(0)));
  desk.replay.drain();
  CHECK_FALSE(desk.replay.wait(std::chrono::milliseconds(0)));
  desk.now += 1.5;
  CHECK(desk.replay.wait(std::chrono::milliseconds(0)));
}

TEST_CASE("a recording of visits plays them when they were, and narrows as it did") {
  Session session = recording();
  session.points.resize(1);
  Point& point = session.points[0];
  point.seconds = {2, 1, 3, {1, 2, 2, 3}, {}};
  point.share = Share{"DRAM copy", {0.9}};
  point.visits = {{.first = 0, .at = 1}, {.first = 1, .at = 5}};
  double now = 0;
  Replay replay(session, 1, [&] { return now; });
  replay.start({});
  replay.drain();
  now = 1.5;
  std::vector<PointMeasured> seen = Desk::of<PointMeasured>(replay.drain());
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].point.seconds.samples == std::vector<double>{1});
  CHECK(seen[0].point.limit == Limit::stopped);
  CHECK_FALSE(seen[0].point.share);
  now = 4.9;
  CHECK(replay.drain().empty());
  now = 5.1;
  seen = Desk::of<PointMeasured>(replay.drain());
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].point == point);
}
