// What one sweep reports: points, roofs, reasons, progress.
#include <doctest/doctest.h>

#include <atomic>
#include <new>

#include "tests/engine/sweeper_harness.hpp"

using namespace engine;
using fake::Harness;
using kernels::Case;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

template <typename Kind>
bool holds(const Event& event) {
  return std::holds_alternative<Kind>(event);
}

std::vector<std::string> names_of_roofs(const Harness& h) {
  std::vector<std::string> names;
  for (const auto& roof : h.all<RoofMeasured>()) names.push_back(roof.roof.name);
  return names;
}

/// Throws an error when the case of this repeat is prepared.
template <typename Error>
auto throws_at(std::uint64_t repeat, Error error) {
  return [=](const Case& what) {
    if (what.repeat == repeat) throw error;
  };
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
  CHECK(h.finish(number).end == End::complete);
  const auto started = h.all<SweepStarted>();
  REQUIRE(started.size() == 1);
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
    CHECK(point.experiment == "intensity");
    CHECK(point.note == "fake");
    CHECK(point.seconds.median == doctest::Approx(fake::ideal_seconds(point.what)));
    CHECK(point.seconds.samples.size() >= 7);
    CHECK_FALSE(point.probe);
    repeat *= 2;
  }
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
  REQUIRE(names_of_roofs(h) == std::vector<std::string>{"DRAM copy", "launch", "fp32 FMA"});
  CHECK(h.all<RoofMeasured>()[0].roof.rate == doctest::Approx(fake::bandwidth));
  CHECK(h.all<RoofMeasured>()[2].roof.rate == doctest::Approx(fake::peak));
  const auto first_point = std::ranges::find_if(h.events, holds<PointMeasured>);
  CHECK(std::none_of(first_point, h.events.end(), holds<RoofMeasured>));
}

TEST_CASE("a roof is measured once, and reported again to a session that does not know it") {
  std::atomic<int> peaks = 0;
  fake::Script script;
  script.prepare = [&](const Case& what) { peaks += what.family == kernels::Family::peak; };
  Harness h(script);
  SweepRequest request = Harness::request({1});
  request.known_roofs.clear();
  h.finish(h.sweeper.start(request));
  h.events.clear();
  request.spec.dtypes = {kernels::Dtype::fp64};
  h.finish(h.sweeper.start(request));
  CHECK(peaks == 2);
  CHECK(names_of_roofs(h) == std::vector<std::string>{"DRAM copy", "launch", "fp64 FMA"});
}

TEST_CASE("a roof that fails is a warning, and the points are measured all the same") {
  fake::Script script;
  script.prepare = [](const Case& what) {
    if (what.family == kernels::Family::stream) throw kernels::Unsupported("no memory to copy");
  };
  Harness h(script);
  SweepRequest request = Harness::request();
  request.known_roofs.clear();
  CHECK(h.finish(h.sweeper.start(request)).end == End::complete);
  CHECK(names_of_roofs(h) == std::vector<std::string>{"launch", "fp32 FMA"});
  REQUIRE(h.all<Warning>().size() == 1);
  CHECK(contains(h.all<Warning>()[0].text, "no memory to copy"));
  CHECK(h.points().size() == 4);
}

TEST_CASE("a device that is lost while the roofs are measured fails every point") {
  fake::Script script;
  script.prepare = [](const Case&) { throw kernels::DeviceLost("unplugged"); };
  Harness h(script);
  SweepRequest request = Harness::request();
  request.known_roofs.clear();
  CHECK(h.finish(h.sweeper.start(request)).why == "unplugged");
  REQUIRE(h.points().size() == 4);
  for (const Point& point : h.points()) CHECK(point.status == Status::failed);
}

TEST_CASE("a case that the device cannot run is skipped with its reason") {
  Harness h;
  SweepRequest request = Harness::request({1});
  request.spec.units = UnitsChoice::both;
  request.spec.dtypes = {kernels::Dtype::bf16, kernels::Dtype::fp8};
  h.finish(h.sweeper.start(request));
  const auto points = h.points();
  REQUIRE(points.size() == 4);
  CHECK(points[0].status == Status::skipped);
  CHECK(points[0].why == "the fake has no SIMD tiles");
  CHECK(points[1].status == Status::ok);
  CHECK(points[2].status == Status::skipped);
  CHECK(points[2].why == "cpu has no kernel tile mma fp8 on vector units");
}

TEST_CASE("what goes wrong with one case becomes its row and the sweep goes on") {
  struct Row {
    std::function<void(const Case&)> prepare;
    Status status;
    std::string why;
  };
  const Row rows[] = {
      {throws_at(2, kernels::Unsupported("too odd")), Status::skipped, "too odd"},
      {throws_at(2, std::runtime_error("driver says 7")), Status::failed, "driver says 7"},
      {throws_at(2, std::bad_alloc()), Status::failed, "not enough memory for 8 MiB"},
  };
  for (const Row& row : rows) {
    fake::Script script;
    script.prepare = row.prepare;
    Harness h(script);
    CHECK(h.finish(h.sweeper.start(Harness::request())).end == End::complete);
    const auto points = h.points();
    REQUIRE(points.size() == 4);
    CHECK(points[1].status == row.status);
    CHECK(contains(points[1].why, row.why));
    CHECK(points[1].work.flops > 0);
    CHECK(points[1].seconds.samples.empty());
    for (const std::size_t i : {0, 2, 3}) CHECK(points[i].status == Status::ok);
  }
}

TEST_CASE("a wrong result is a failed row that was never timed") {
  int runs = 0;
  fake::Script script;
  script.verify = [](const Case& what) {
    return what.repeat == 4 ? kernels::Check{false, "element 3: expected 1, got 2"}
                            : kernels::Check{true, ""};
  };
  script.run = [&](const Case& what, std::stop_token) { runs += what.repeat == 4; };
  Harness h(script);
  h.finish(h.sweeper.start(Harness::request()));
  const auto points = h.points();
  CHECK(points[2].status == Status::failed);
  CHECK(points[2].why == "wrong result: element 3: expected 1, got 2");
  CHECK_FALSE(points[2].checked);
  CHECK(runs == 0);
}

TEST_CASE("a lost device fails the rest of the sweep and the sweep") {
  fake::Script script;
  script.run = [](const Case& what, std::stop_token) {
    if (what.repeat == 4) throw kernels::DeviceLost("fell off the bus; restart the computer");
  };
  Harness h(script);
  const SweepFinished finished = h.finish(h.sweeper.start(Harness::request()));
  CHECK(finished.end == End::failed);
  CHECK(contains(finished.why, "fell off the bus"));
  const auto points = h.points();
  REQUIRE(points.size() == 4);
  CHECK(points[1].status == Status::ok);
  for (const std::size_t i : {2, 3}) {
    CHECK(points[i].status == Status::failed);
    CHECK(contains(points[i].why, "fell off the bus"));
  }
}

TEST_CASE(
    "a case whose single run would pass the time limit is skipped with the time that it would "
    "take") {
  Harness h;
  SweepRequest request = Harness::request({1, 64, 4096});
  request.spec.fusion = FusionChoice::unfused;
  request.spec.elements = 1 << 25;
  h.finish(h.sweeper.start(request));
  const auto points = h.points();
  // 4096 trips of 2 x 128 MiB at 100 GB/s.
  CHECK(points[1].status == Status::ok);
  CHECK(points[2].status == Status::skipped);
  CHECK(points[2].why ==
        "one run would take 11 s, more than the time limit of 2 s; raise it with --max-time");
}

TEST_CASE(
    "an unfused series is predicted from its own points when it is slower than the roofs say") {
  int slow_runs = 0;
  fake::Script script;
  script.seconds = [&](const Case& what) {
    slow_runs += what.repeat == 64;
    return 0.05 * static_cast<double>(what.repeat);
  };
  Harness h(script);
  SweepRequest request = Harness::request({1, 8, 64});
  request.spec.fusion = FusionChoice::unfused;
  h.finish(h.sweeper.start(request));
  CHECK(contains(h.points()[2].why, "one run would take 3.2 s"));
  CHECK(slow_runs == 0);
}

TEST_CASE("progress counts up to the end and the time left goes down to nothing") {
  Harness h;
  h.finish(h.sweeper.start(Harness::request({1, 2, 4, 8, 16, 32, 64, 128})));
  auto progress = h.all<Progress>();
  REQUIRE(progress.size() == 10);
  CHECK(progress.front().now == "measuring the roofs");
  CHECK(progress.front().done == 0);
  CHECK(progress.front().total == 8);
  progress.erase(progress.begin());
  for (std::size_t i = 0; i < progress.size(); ++i) {
    CHECK(progress[i].done == i);
    CHECK(progress[i].total == 8);
  }
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

TEST_CASE("a device that is not there fails with the ones that are") {
  Harness h;
  SweepRequest request = Harness::request();
  request.spec.device = "cuda:3";
  const SweepFinished finished = h.finish(h.sweeper.start(request));
  CHECK(finished.end == End::failed);
  CHECK(finished.why == "no device cuda:3 here; there is: cpu");
}

TEST_CASE("elements beyond the memory fail the sweep before anything runs") {
  Harness h;
  SweepRequest request = Harness::request();
  request.spec.elements = 1ULL << 50U;
  const SweepFinished finished = h.finish(h.sweeper.start(request));
  CHECK(finished.end == End::failed);
  CHECK(contains(finished.why, "--elements"));
  CHECK(h.all<SweepStarted>().empty());
}

TEST_CASE("noisy points and throttled clocks are warned of once, with a remedy") {
  int run = 0;
  fake::Script script;
  script.seconds = [&](const Case&) { return ++run % 2 == 0 ? 1e-3 : 2e-3; };
  script.conditions = [] {
    kernels::Conditions conditions;
    conditions.throttled = true;
    return conditions;
  };
  Harness h(script);
  h.finish(h.sweeper.start(Harness::request()));
  const auto warnings = h.all<Warning>();
  REQUIRE(warnings.size() == 2);
  CHECK(contains(warnings[0].text, "4 of 4 points did not reach the noise goal of 1 %"));
  CHECK(contains(warnings[0].text, "scatter too much"));
  CHECK(contains(warnings[0].text, "raise --noise"));
  CHECK(contains(warnings[1].text, "clocks of cpu were held back during 4 of 4 points"));
}

TEST_CASE("the remedy fits the limit that points stopped at: only time is bought with time") {
  fake::Script script;
  int run = 0;
  script.seconds = [&](const Case& what) {
    if (what.repeat == 1) return 0.5 + 0.01 * (++run % 2);  // four samples at most
    return ++run % 2 == 0 ? 1e-5 : 2e-5;
  };
  Harness h(script);
  h.finish(h.sweeper.start(Harness::request({1, 2})));
  REQUIRE(h.points().size() == 2);
  CHECK(h.points()[0].limit == Limit::time);
  CHECK(h.points()[1].limit == Limit::samples);
  const auto warnings = h.all<Warning>();
  REQUIRE(warnings.size() == 2);
  CHECK(contains(warnings[0].text, "1 of 2 points did not reach the noise goal"));
  CHECK(contains(warnings[0].text, "raise --max-time"));
  CHECK(contains(warnings[1].text, "1000 samples were not enough"));
  CHECK_FALSE(contains(warnings[1].text, "--max-time"));
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
  CHECK(names_of_roofs(h) == std::vector<std::string>{"DRAM copy", "launch", "fp32 FMA"});
  h.events.clear();
  request.spec.op = kernels::Op::mul;
  h.finish(h.sweeper.start(request));
  CHECK(names_of_roofs(h) ==
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
  CHECK(h.points()[0].conditions.clock_hz == 2);
}

TEST_CASE("the experiment of the roofs measures every roof, whatever is known, and no sweep") {
  Harness h;
  SweepRequest request = Harness::request();
  request.spec.experiment = "roofs";
  CHECK(h.finish(h.sweeper.start(request)).end == End::complete);
  CHECK(names_of_roofs(h) ==
        std::vector<std::string>{"DRAM copy", "launch", "fp64 FMA", "fp32 FMA", "bf16 FMA"});
  REQUIRE_FALSE(h.points().empty());
  for (const Point& point : h.points()) {
    CHECK(point.experiment == "roofs");
    CHECK(point.run == 1);
    CHECK(point.what.family != kernels::Family::chain);
  }
  const auto progress = h.all<Progress>();
  REQUIRE(progress.size() >= 5);
  CHECK(progress.front().now == "roof DRAM copy");
  CHECK(progress.front().total == 5);
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
  CHECK(session.points.size() == 1);
  CHECK(session.roofs.size() == 1);
}
