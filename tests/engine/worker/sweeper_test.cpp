// Start replaces, stop stops, probes come between: what happens around the sweeps.
#include "engine/worker/sweeper.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/engine/worker/sweeper_harness.hpp"

using namespace engine;
using fake::Gate;
using fake::Harness;
using kernels::Case;

namespace {

/// Holds the runs of one repeat at the gate.
fake::Script holding(Gate& gate, std::uint64_t repeat) {
  fake::Script script;
  script.run = [&gate, repeat](const Case& what, std::stop_token stop) {
    if (what.repeat == repeat) gate.hold(std::move(stop));
  };
  return script;
}

}  // namespace

TEST_CASE("stop ends the sweep within the run of a trial, and the worker takes the next sweep") {
  Gate gate;
  Harness h(holding(gate, 4));
  const std::uint64_t first = h.sweeper.start(Harness::request());
  gate.wait_until_held();
  h.sweeper.stop();
  CHECK(h.finish(first).end == End::stopped);
  CHECK(h.points().size() == 2);
  const std::uint64_t second = h.sweeper.start(Harness::request({1, 2}));
  CHECK(second > first);
  CHECK(h.finish(second).end == End::complete);
}

TEST_CASE("a new sweep replaces the running one, whose late events are dropped") {
  Gate gate;
  Harness h(holding(gate, 4));
  const std::uint64_t first = h.sweeper.start(Harness::request());
  gate.wait_until_held();
  // Nothing of the first was drained: its two points wait in the mailbox.
  const std::uint64_t second = h.sweeper.start(Harness::request({1, 2}));
  CHECK(h.finish(second).end == End::complete);
  CHECK(h.finish(first).end == End::replaced);
  for (const Point& point : h.points()) CHECK(point.run == second);
  CHECK(h.points().size() == 2);
  for (const auto& started : h.all<SweepStarted>()) CHECK(started.sweep == second);
}

TEST_CASE("of many sweeps started at once only the newest runs, and each says how it ended") {
  Gate gate;
  Harness h(holding(gate, 4));
  std::vector<std::uint64_t> numbers{h.sweeper.start(Harness::request({4}))};
  gate.wait_until_held();
  for (int i = 0; i < 5; ++i) numbers.push_back(h.sweeper.start(Harness::request({1})));
  CHECK(h.finish(numbers.back()).end == End::complete);
  numbers.pop_back();
  for (const std::uint64_t number : numbers) CHECK(h.finish(number).end == End::replaced);
  CHECK(h.points().size() == 1);
}

TEST_CASE("stop also ends what only waits") {
  Gate gate;
  Harness h(holding(gate, 4));
  const std::uint64_t first = h.sweeper.start(Harness::request({4}));
  gate.wait_until_held();
  const std::uint64_t second = h.sweeper.start(Harness::request({1}));
  const std::uint64_t probe = h.sweeper.probe(Harness::probe_request(3));
  h.sweeper.stop();
  CHECK(h.finish(second).end == End::stopped);
  CHECK(h.finish(first).end == End::replaced);
  const SweepFinished finished = h.finish(probe);
  CHECK(finished.end == End::stopped);
  CHECK(finished.probe);
  CHECK(h.points().empty());
}

TEST_CASE("a probe runs between two roofs of the experiment that measures them all") {
  Gate gate;
  fake::Script script;
  script.run = [&](const Case& what, const std::stop_token& stop) {
    if (what.family == kernels::Family::stream) gate.hold(stop);
  };
  Harness h(script);
  SweepRequest request = Harness::request();
  request.spec.lab = "roofs";
  const std::uint64_t sweep = h.sweeper.start(request);
  gate.wait_until_held();
  const std::uint64_t probe = h.sweeper.probe(Harness::probe_request(3));
  gate.open();
  h.finish(sweep);
  const auto at = [&](const auto& wanted) {
    return std::ranges::find_if(h.events, wanted) - h.events.begin();
  };
  const auto probed = at([&](const Event& event) {
    const auto* finished = std::get_if<SweepFinished>(&event);
    return finished != nullptr && finished->sweep == probe && finished->probe;
  });
  const auto last_roof = at([&](const Event& event) {
    const auto* measured = std::get_if<RoofMeasured>(&event);
    return measured != nullptr && measured->sweep == sweep && measured->roof.name == "bf16 FMA";
  });
  CHECK(probed < last_roof);
}

TEST_CASE("a probe alone measures one point of the run it names") {
  Harness h;
  const std::uint64_t number = h.sweeper.probe(Harness::probe_request(24, 7));
  const SweepFinished finished = h.finish(number);
  CHECK(finished.end == End::complete);
  CHECK(finished.probe);
  const auto points = h.points();
  REQUIRE(points.size() == 1);
  CHECK(points[0].probe);
  CHECK(points[0].run == 7);
  CHECK(points[0].what.repeat == 24);
  CHECK(points[0].status == Status::ok);
  CHECK(h.all<SweepStarted>().empty());
}

TEST_CASE("a probe without elements gets those of a default sweep") {
  Harness h;
  ProbeRequest request = Harness::probe_request(24);
  request.what.elements = 0;
  h.finish(h.sweeper.probe(request));
  kernels::DeviceInfo cpu;
  cpu.kind = "cpu";
  CHECK(h.points()[0].what.elements ==
        default_elements(cpu, 16e9, kernels::Family::chain, kernels::Dtype::fp32));
}

TEST_CASE("a probe runs between the trials of a sweep, which then goes on") {
  Gate gate;
  Harness h(holding(gate, 2));
  const std::uint64_t sweep = h.sweeper.start(Harness::request());
  gate.wait_until_held();
  const std::uint64_t probe = h.sweeper.probe(Harness::probe_request(3, sweep));
  gate.open();
  CHECK(h.finish(sweep).end == End::complete);
  CHECK(h.finish(probe).end == End::complete);
  std::vector<std::uint64_t> repeats;
  for (const Point& point : h.points()) repeats.push_back(point.what.repeat);
  CHECK(repeats == std::vector<std::uint64_t>{1, 2, 3, 4, 8});
  CHECK(h.points()[2].probe);
  CHECK(h.points()[2].run == sweep);
}

TEST_CASE("the newest probe wins over those that wait and the one that runs") {
  Gate gate;
  Harness h(holding(gate, 5));
  const std::uint64_t first = h.sweeper.probe(Harness::probe_request(5));
  gate.wait_until_held();
  const std::uint64_t second = h.sweeper.probe(Harness::probe_request(6));
  const std::uint64_t third = h.sweeper.probe(Harness::probe_request(7));
  CHECK(h.finish(third).end == End::complete);
  CHECK(h.finish(first).end == End::replaced);
  // The second may have begun before the third was asked for, but it never finished first.
  CHECK(h.finish(second).end != End::failed);
  CHECK(h.points().back().what.repeat == 7);
}

TEST_CASE("a probe that cannot be does not end the sweep") {
  Gate gate;
  Harness h(holding(gate, 2));
  const std::uint64_t sweep = h.sweeper.start(Harness::request());
  gate.wait_until_held();
  ProbeRequest request = Harness::probe_request(0);
  const std::uint64_t probe = h.sweeper.probe(request);
  gate.open();
  CHECK(h.finish(sweep).end == End::complete);
  const SweepFinished finished = h.finish(probe);
  CHECK(finished.end == End::failed);
  CHECK(finished.why.find("--repeat") != std::string::npos);
}

TEST_CASE("a new sweep does not drop the probe's point") {
  Harness h;
  const std::uint64_t probe = h.sweeper.probe(Harness::probe_request(24));
  const std::uint64_t sweep = h.sweeper.start(Harness::request({1}));
  h.finish(sweep);
  h.finish(probe);
  const auto points = h.points();
  CHECK(std::ranges::count_if(points, [](const Point& point) { return point.probe; }) == 1);
}

TEST_CASE("the end of the sweeper stops what runs") {
  Gate gate;
  bool stopped = false;
  fake::Script script;
  script.run = [&](const Case&, std::stop_token stop) {
    try {
      gate.hold(stop);
    } catch (const kernels::Cancelled&) {
      stopped = stop.stop_requested();
      throw;
    }
  };
  {
    Harness h(script);
    h.sweeper.start(Harness::request());
    gate.wait_until_held();
  }
  CHECK(stopped);  // the worker was joined: this is the last that it wrote
}

TEST_CASE("waiting without events ends at the timeout") {
  Harness h;
  h.take();
  CHECK_FALSE(h.sweeper.wait(std::chrono::milliseconds(0)));
}

TEST_CASE("200 restarts in mid-sweep each end replaced, and the last is complete") {
  Harness h;
  std::vector<std::uint64_t> numbers;
  std::vector<Event> seen;
  for (int i = 0; i < 200; ++i) {
    numbers.push_back(h.sweeper.start(Harness::request()));
    if (i % 3 == 0) h.sweeper.probe(Harness::probe_request(16, numbers.back()));
    // Some are replaced before they begin, some in the middle.
    if (i % 2 == 0) {
      while (h.all<PointMeasured>().empty()) h.take();
      h.forget_points();
    }
  }
  CHECK(h.finish(numbers.back()).end == End::complete);
  for (const std::uint64_t number : numbers) {
    const End end = h.finish(number).end;
    CHECK((end == End::replaced || end == End::complete));
  }
  std::uint64_t newest = 0;
  for (const auto& started : h.all<SweepStarted>()) {
    CHECK(started.sweep > newest);
    newest = started.sweep;
  }
}
