// What one sweep reports: points, roofs, reasons, progress.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <vector>

#include "tests/engine/worker/sweeper_harness.hpp"
#include "tests/text.hpp"

using namespace engine;
using fake::Harness;
using kernels::Case;
using tests::contains;

namespace {

template <typename Kind>
bool holds(const Event& event) {
  return std::holds_alternative<Kind>(event);
}

}  // namespace

TEST_CASE("devices are opened first, on the worker") {
  Harness h;
  h.take();
  const auto* opened = std::get_if<DevicesOpened>(&h.events.front());
  REQUIRE(opened != nullptr);
  REQUIRE(opened->usable.size() == 1);
  CHECK(opened->usable[0].info.id == "cpu");
  CHECK_FALSE(opened->usable[0].kernels.empty());
  CHECK(opened->usable[0].free_bytes == 16e9);
}

TEST_CASE("a machine whose devices cannot be opened says why and refuses sweeps") {
  Sweeper sweeper([]() -> kernels::Devices { throw std::runtime_error("no permission"); }, [] {});
  const std::uint64_t number = sweeper.start(Harness::request());
  std::vector<Event> events;
  while (events.empty() || !std::holds_alternative<SweepFinished>(events.back())) {
    REQUIRE(sweeper.wait(fake::hang));
    for (Event& event : sweeper.drain()) events.push_back(std::move(event));
  }
  const auto opened = std::get<DevicesOpened>(events.front());
  CHECK(opened.usable.empty());
  CHECK(contains(opened.unavailable.at(0).why, "no permission"));
  const auto finished = std::get<SweepFinished>(events.back());
  CHECK(finished.sweep == number);
  CHECK(finished.end == End::failed);
}

TEST_CASE("a sweep measures every case in order and ends complete") {
  Harness h;
  const std::uint64_t number = h.sweeper.start(Harness::request());
  const SweepFinished finished = h.finish(number);
  CHECK(finished.end == End::complete);
  CHECK_FALSE(finished.at.empty());
  const auto started = h.all<SweepStarted>();
  REQUIRE(started.size() == 1);
  REQUIRE(started[0].run);
  CHECK(started[0].run->number == number);
  CHECK(started[0].run->spec.device == "cpu");
  CHECK_FALSE(started[0].run->begin.empty());
  CHECK(started[0].sweep == number);
  CHECK(started[0].device == "cpu");
  CHECK(started[0].cases == 4);
  const auto points = h.points();
  REQUIRE(points.size() == 4);
  std::uint64_t repeat = 1;
  for (const Point& point : points) {
    CHECK(point.what.repeat == repeat);
    CHECK(point.status == Status::ok);
    CHECK(point.checked);
    CHECK(point.run == number);
    CHECK(point.lab == "intensity");
    CHECK(point.note == "fake");
    CHECK(point.seconds.median == doctest::Approx(fake::ideal_seconds(point.what)));
    CHECK(point.seconds.samples.size() >= 7);
    CHECK_FALSE(point.probe);
    repeat *= 2;
  }
}

TEST_CASE("a point tells what the worker did for it, and for those before it that failed") {
  fake::Script script;
  fake::Clock* clock = nullptr;
  script.prepare = [&](const Case&) { clock->pass(0.1); };
  script.verify = [&](const Case& what) {
    clock->pass(0.2);
    return kernels::Check{what.repeat > 1, "made up"};
  };
  script.settling = [] { return 0.25; };
  script.conditions = [&] {
    clock->pass(0.01);
    return kernels::Conditions();
  };
  Harness h(script);
  clock = &h.clock;
  SweepRequest request = Harness::request({1, 2});
  request.spec.dtypes = {kernels::Dtype::fp64};
  h.finish(h.sweeper.start(request));
  const auto points = h.points();
  REQUIRE(points.size() == 2);
  CHECK(points[0].phases.empty());
  const std::vector<kernels::Span>& phases = points[1].phases;
  double end = 0;
  std::string lanes;
  for (const kernels::Span& span : phases) {
    CHECK(span.begin >= end);
    end = span.end;
    if (!contains(lanes, span.lane + ", ")) lanes += span.lane + ", ";
  }
  CHECK(
      lanes ==
      "measure roofs, allocate, fill, verify, clock, load of others, warm up, wait, measure, look "
      "beside runs, ");
  const auto first = std::ranges::find_if(phases, [](const kernels::Span& span) {
    return span.lane == "verify" && span.name == "fp64 fused";
  });
  REQUIRE(first != phases.end());
  CHECK(first->end - first->begin == doctest::Approx(0.2));
  const auto verified = std::ranges::count(phases, "verify", &kernels::Span::lane);
  const auto prepared = std::ranges::count(phases, "allocate, fill", &kernels::Span::lane);
  CHECK(verified < prepared);  // once, however often it was visited
}

TEST_CASE("the first sweep tells how long opening the devices took") {
  fake::Clock clock;
  const auto slowly = [&] {
    clock.pass(3);
    return fake::machine_with({.clock = &clock})();
  };
  Sweeper sweeper(slowly, [] {}, clock.timing(), {});
  const auto first_phase = [&] {
    const std::uint64_t number = sweeper.start(Harness::request({1}));
    std::string lane;
    for (bool finished = false; !finished;) {
      REQUIRE(sweeper.wait(fake::hang));
      for (const Event& event : sweeper.drain()) {
        if (const auto* point = std::get_if<PointMeasured>(&event))
          lane = point->point.phases.front().lane;
        const auto* end = std::get_if<SweepFinished>(&event);
        finished = finished || (end != nullptr && end->sweep == number);
      }
    }
    return lane;
  };
  CHECK(first_phase() == "open devices");
  CHECK(first_phase() == "warm up");
}

TEST_CASE("every event wakes whoever draws") {
  std::atomic<std::size_t> wakes = 0;
  std::size_t events = 0;
  {
    Sweeper sweeper(fake::machine_with({}), [&] { ++wakes; });
    sweeper.start(Harness::request());
    bool finished = false;
    while (!finished) {
      REQUIRE(sweeper.wait(fake::hang));
      for (const Event& event : sweeper.drain()) {
        ++events;
        finished = finished || holds<SweepFinished>(event);
      }
    }
  }
  CHECK(wakes == events);
}

TEST_CASE("roofs that are not known are measured before the points") {
  Harness h;
  SweepRequest request = Harness::request();
  request.known_roofs.clear();
  h.finish(h.sweeper.start(request));
  REQUIRE(h.names_of_roofs() == std::vector<std::string>{"DRAM copy", "launch", "fp32 FMA"});
  CHECK(h.all<RoofMeasured>()[0].roof.rate == doctest::Approx(fake::bandwidth));
  CHECK(h.all<RoofMeasured>()[2].roof.rate == doctest::Approx(fake::peak));
  const auto first_point = std::ranges::find_if(h.events, holds<PointMeasured>);
  CHECK(std::count_if(h.events.begin(), first_point, holds<RoofMeasured>) == 3);
}

TEST_CASE("the looks at a roof beside the points are rounds of it") {
  Harness h;
  SweepRequest request = Harness::large_request({1, 2, 4, 4096});
  request.known_roofs.clear();
  h.finish(h.sweeper.start(request));
  const Roof copy = h.reports_of("DRAM copy").back();
  CHECK(copy.rounds.size() > 7);
  CHECK(copy.rate == doctest::Approx(fake::bandwidth));
  CHECK(copy.best == doctest::Approx(fake::bandwidth));
  CHECK(copy.rate_low > 0);
  for (const Point& point : h.points()) {
    REQUIRE(point.share);
    CHECK(point.share->roof == (point.what.repeat == 4096 ? "fp32 FMA" : "DRAM copy"));
    CHECK(point.share->of.median == doctest::Approx(1));
    // The first pass is quick; a long run may be the only one of its point.
    CHECK(point.visits.front().looks.empty() == (point.what.repeat != 4096));
    CHECK(point.visits.back().looks.size() > 1);
  }
}

TEST_CASE(
    "on a device that others use throughout, the looks beside the points count for the roof") {
  fake::Script script;
  bool sweeping = false;
  script.seconds = [&](const Case& what) {
    // While the roofs were measured, others took more than half.
    const double rate = sweeping ? fake::bandwidth : fake::bandwidth / 4;
    if (what.family == kernels::Family::chain) sweeping = true;
    return work_of(what).bytes / rate;
  };
  script.conditions = [] {
    kernels::Conditions conditions;
    conditions.other_load = 0.5;
    return conditions;
  };
  Harness h(script);
  SweepRequest request = Harness::large_request({1, 2, 4});
  request.known_roofs.clear();
  h.finish(h.sweeper.start(request));
  const Roof copy = h.reports_of("DRAM copy").back();
  CHECK(copy.rate == doctest::Approx(fake::bandwidth));
  CHECK(copy.disturbed);
  for (const Point& point : h.points()) CHECK(point.disturbed);
}

TEST_CASE("a roof that others disturbed is made good by looks that nobody disturbed") {
  fake::Script script;
  bool sweeping = false;
  script.seconds = [&](const Case& what) {
    if (what.family == kernels::Family::chain) sweeping = true;
    return work_of(what).bytes / (sweeping ? fake::bandwidth : fake::bandwidth / 4);
  };
  script.conditions = [&] {
    kernels::Conditions conditions;
    if (!sweeping) conditions.other_load = 0.5;
    return conditions;
  };
  Harness h(script);
  SweepRequest request = Harness::large_request({1, 2, 4});
  request.known_roofs.clear();
  h.finish(h.sweeper.start(request));
  const std::vector<Roof> copies = h.reports_of("DRAM copy");
  CHECK(copies.front().disturbed);
  CHECK_FALSE(copies.back().disturbed);
  CHECK(copies.back().rate == doctest::Approx(fake::bandwidth));
}

TEST_CASE("the theoretical peak of a CPU is that of the highest clock that was read") {
  fake::Script script;
  int readings = 0;
  bool sweeping = false;
  script.run = [&](const Case& what, std::stop_token) {
    sweeping = sweeping || what.family == kernels::Family::chain;
  };
  script.conditions = [&] {
    kernels::Conditions conditions;
    // Before and after the two points in two passes, then no more.
    conditions.clock_hz = sweeping && ++readings <= 8 ? 3.1e9 : 2.9e9;
    return conditions;
  };
  Harness h(script);
  SweepRequest request = Harness::large_request({1, 4096});
  request.known_roofs.clear();
  h.finish(h.sweeper.start(request));
  for (const char* name : {"DRAM copy", "fp32 FMA"}) {
    const std::vector<Roof> reports = h.reports_of(name);
    CHECK(reports.front().highest_clock == 2.9e9);
    CHECK(reports.back().highest_clock == 3.1e9);
    CHECK(reports.back().conditions.clock_hz == 2.9e9);
  }
}

TEST_CASE("every pass visits all points that are not done, brief runs first, then at random") {
  Harness h;
  const std::uint64_t number = h.sweeper.start(Harness::large_request({512, 1, 2, 4, 8, 4096}));
  h.finish(number);
  std::vector<std::uint64_t> order;
  for (const auto& event : h.all<PointMeasured>()) order.push_back(event.point.what.repeat);
  REQUIRE(order.size() >= 18);
  const auto sorted_pass = [&](std::size_t pass) {
    std::vector<std::uint64_t> visited(order.begin() + 6 * pass, order.begin() + 6 * pass + 6);
    const bool shuffled = !std::ranges::is_sorted(visited);
    std::ranges::sort(visited);
    CHECK(visited == std::vector<std::uint64_t>{1, 2, 4, 8, 512, 4096});
    return !shuffled;
  };
  CHECK(sorted_pass(0));
  CHECK_FALSE((sorted_pass(1) && sorted_pass(2)));
  CHECK(h.all<Progress>().front().pass == 0);
  CHECK(h.all<Progress>().back().pass >= 3);
}

TEST_CASE("a roof is measured once, and reported again to a session that does not know it") {
  Harness h;
  SweepRequest request = Harness::request({1});
  request.known_roofs.clear();
  h.finish(h.sweeper.start(request));
  h.events.clear();
  request.spec.dtypes = {kernels::Dtype::fp64};
  h.finish(h.sweeper.start(request));
  CHECK(h.names_of_roofs() == std::vector<std::string>{"DRAM copy", "launch", "fp64 FMA"});
}

TEST_CASE("progress counts up to the end and the time left goes down to nothing") {
  Harness h;
  h.finish(h.sweeper.start(Harness::request({1, 2, 4, 8, 16, 32, 64, 128})));
  auto progress = h.all<Progress>();
  REQUIRE(progress.size() > 8 * 2);
  CHECK(progress.front().now == "measuring the roofs");
  CHECK(progress.front().done == 0);
  CHECK(progress.front().total == 8);
  progress.erase(progress.begin());
  CHECK(std::ranges::is_sorted(progress, {}, &Progress::done));
  CHECK(progress.back().done == 8);
  CHECK(progress.front().now == "chain fma fp32 fused repeat 1, 1 Mi elements");
  CHECK(progress.front().seconds_left > 0);
  CHECK(progress.back().seconds_left == 0);
  CHECK(progress.back().now.empty());
}

TEST_CASE("cases that the device cannot run take no time in the estimate") {
  Harness h;
  SweepRequest request = Harness::request();
  request.spec.dtypes = {kernels::Dtype::fp8};
  h.finish(h.sweeper.start(request));
  for (const Progress& progress : h.all<Progress>()) CHECK(progress.seconds_left == 0);
}

TEST_CASE("a roof of mul that an earlier sweep measured does not bound a chain of fma") {
  Harness h;
  SweepRequest request = Harness::request({1});
  request.known_roofs.clear();
  request.spec.op = kernels::Op::mul;
  h.finish(h.sweeper.start(request));
  h.events.clear();
  request.spec.op = kernels::Op::fma;
  h.finish(h.sweeper.start(request));
  CHECK(h.names_of_roofs() == std::vector<std::string>{"DRAM copy", "launch", "fp32 FMA"});
  h.events.clear();
  request.spec.op = kernels::Op::mul;
  h.finish(h.sweeper.start(request));
  CHECK(h.names_of_roofs() ==
        std::vector<std::string>{"DRAM copy", "launch", "fp32 mul", "fp32 FMA"});
}

TEST_CASE("clocks that were held back before the point alone still mark it") {
  int reading = 0;
  fake::Script script;
  script.conditions = [&] {
    kernels::Conditions conditions;
    conditions.throttled = reading++ % 2 == 0;
    conditions.clock_hz = reading;
    return conditions;
  };
  Harness h(script);
  h.finish(h.sweeper.start(Harness::request({1})));
  CHECK(h.points()[0].conditions.throttled == true);
}

TEST_CASE("the experiment of the roofs measures every roof, whatever is known, and no sweep") {
  Harness h;
  SweepRequest request = Harness::request();
  request.spec.lab = "roofs";
  CHECK(h.finish(h.sweeper.start(request)).end == End::complete);
  CHECK(h.names_of_roofs() ==
        std::vector<std::string>{"DRAM copy", "launch", "fp64 FMA", "fp32 FMA", "bf16 FMA"});
  REQUIRE_FALSE(h.points().empty());
  for (const Point& point : h.points()) {
    CHECK(point.lab == "roofs");
    CHECK(point.run == 1);
    CHECK(point.what.family != kernels::Family::chain);
  }
  const auto progress = h.all<Progress>();
  REQUIRE(progress.size() >= 5);
  CHECK(progress[0].now == "roof of memory (looking for a working set beyond the caches)");
  CHECK(progress[1].now == "roof DRAM copy");
  CHECK(progress[1].total == 5);
}

TEST_CASE("events are applied to the session of their device only") {
  Session session;
  session.device.id = "cpu";
  Point point;
  point.what.elements = 8;
  CHECK(apply(session, PointMeasured{1, "cpu", point}));
  CHECK_FALSE(apply(session, PointMeasured{1, "cuda:0", point}));
  CHECK(apply(session, RoofMeasured{1, "cpu", fake::roofs()[0]}));
  CHECK_FALSE(apply(session, RoofMeasured{1, "cuda:0", fake::roofs()[1]}));
  CHECK_FALSE(apply(session, Progress{1, 0, 1, 2.0, ""}));
  CHECK_FALSE(apply(session, SweepStarted{1, "cpu", 3}));  // of a replay
  const Run run{.number = 1, .begin = "2026-11-21T10:00:00Z"};
  CHECK_FALSE(apply(session, SweepStarted{1, "cuda:0", 3, run}));
  CHECK(apply(session, SweepStarted{1, "cpu", 3, run}));
  CHECK_FALSE(apply(session, SweepFinished{2, End::complete, ""}));
  CHECK(apply(session, SweepFinished{1, End::failed, "it is gone", false, "2026-11-21T10:00:05Z"}));
  REQUIRE(session.runs.size() == 1);
  CHECK(session.runs[0].end == "2026-11-21T10:00:05Z");
  CHECK(session.runs[0].why == "it is gone");
  CHECK(session.points.size() == 1);
  CHECK(session.roofs.size() == 1);
}

namespace {

/// Tiles of fp32 on vector units and of bf16 on matrix units, with their roofs to be measured.
SweepRequest tiles_on_both_units(fake::Script& script) {
  using kernels::Op;
  script.more_kernels = {
      {.family = kernels::Family::tile, .op = Op::mma, .dtype = kernels::Dtype::fp32},
      {.family = kernels::Family::peak,
       .op = Op::mma,
       .dtype = kernels::Dtype::bf16,
       .units = kernels::Units::matrix}};
  SweepRequest request = Harness::large_request({1, 2, 4, 8, 16, 32});
  request.spec.units = UnitsChoice::both;
  request.spec.dtypes = {kernels::Dtype::bf16, kernels::Dtype::fp32};
  request.known_roofs = {};
  return request;
}

}  // namespace

TEST_CASE("in a pass points of vector units and of matrix units do not take turns") {
  fake::Script script;
  const SweepRequest request = tiles_on_both_units(script);
  Harness harness(std::move(script));
  harness.finish(harness.sweeper.start(request));
  std::map<std::size_t, std::vector<kernels::Units>> by_pass;
  std::size_t pass = 0;
  for (const Event& event : harness.events) {
    if (const auto* progress = std::get_if<Progress>(&event)) pass = progress->pass;
    const auto* measured = std::get_if<PointMeasured>(&event);
    if (measured != nullptr && pass > 0 && measured->point.status == Status::ok)
      by_pass[pass].push_back(measured->point.what.units);
  }
  REQUIRE(by_pass.size() > 3);
  CHECK(by_pass[1].size() == 12);
  for (auto& [number, units] : by_pass) {
    units.erase(std::unique(units.begin(), units.end()), units.end());
    CHECK(units.size() <= 2);
  }
}

TEST_CASE("what matrix units sustain is measured behind the points, where there is a power limit") {
  for (const bool limited : {false, true}) {
    CAPTURE(limited);
    fake::Script script;
    const SweepRequest request = tiles_on_both_units(script);
    double load = 0;
    script.seconds = [&load](const kernels::Case& what) {
      const bool matrix = what.units == kernels::Units::matrix;
      const double seconds = (matrix && load > 0.4 ? 1.25 : 1) * fake::ideal_seconds(what);
      load = matrix ? load + seconds : 0;
      return seconds;
    };
    if (limited) script.pace.sustained = 0.5;
    Harness harness(std::move(script));
    harness.finish(harness.sweeper.start(request));
    const Roof matrix = harness.reports_of("bf16 matrix").back();
    CHECK((matrix.sustained > 0) == limited);
    if (limited) CHECK(matrix.sustained == doctest::Approx(matrix.rate / 1.25));
    CHECK(harness.reports_of("fp32 FMA").back().sustained == 0);
  }
}
