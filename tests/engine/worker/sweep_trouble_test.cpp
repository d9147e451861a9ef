// Sweeps in which something goes wrong: a roof, a case, the device, the noise.
#include <doctest/doctest.h>

#include <new>
#include <random>

#include "tests/engine/worker/sweeper_harness.hpp"
#include "tests/text.hpp"

using namespace engine;
using fake::Harness;
using kernels::Case;
using tests::contains;

namespace {

/// Throws an error when the case of this repeat is prepared.
template <typename Error>
auto throws_at(std::uint64_t repeat, Error error) {
  return [=](const Case& what) {
    if (what.repeat == repeat) throw error;
  };
}

const kernels::Shape fast{{"stores", "fast"}};

/// The default shape of copies has 60 % of the rate of the fastest one, as one that was found under
/// a quota may have.
fake::Script with_slow_copies() {
  fake::Script script;
  const auto is_copy = [](const Case& what) { return what.op() == kernels::Op::copy; };
  script.axes = [=](const Case& what) {
    return is_copy(what) ? std::vector<kernels::ShapeAxis>{{"stores", {"slow", "fast"}}}
                         : std::vector<kernels::ShapeAxis>();
  };
  script.seconds = [=](const Case& what) {
    return fake::ideal_seconds(what) / (is_copy(what) && what.shape != fast ? 0.6 : 1);
  };
  return script;
}

/// As an earlier sweep has measured it with that shape.
SweepRequest request_with_slow_copies() {
  SweepRequest request = Harness::large_request({1, 2, 64});
  request.known_roofs[0].rate = 0.6 * fake::bandwidth;
  return request;
}

}  // namespace

TEST_CASE("a roof that fails is a warning, and the points are measured all the same") {
  fake::Script script;
  script.prepare = [](const Case& what) {
    if (what.family == kernels::Family::stream) throw kernels::Unsupported("no memory to copy");
  };
  Harness h(script);
  SweepRequest request = Harness::request();
  request.known_roofs.clear();
  CHECK(h.finish(h.sweeper.start(request)).end == End::complete);
  CHECK(h.names_of_roofs() ==
        std::vector<std::string>{"launch", "fp32 FMA", "overhead chain fp32"});
  REQUIRE(h.all<Warning>().size() == 1);
  CHECK(contains(h.all<Warning>()[0].text, "no memory to copy"));
  CHECK(h.points().size() == 4);
}

TEST_CASE("a point above a roof is kept, and so is the roof") {
  fake::Script script;
  script.seconds = [](const Case& what) { return fake::ideal_seconds(what) / 1.6; };
  Harness h(script);
  h.finish(h.sweeper.start(Harness::large_request({1, 2, 512})));
  CHECK(h.points().size() == 3);
  CHECK(h.names_of_roofs().empty());
  CHECK(h.all<Warning>().empty());
}

TEST_CASE(
    "the kernel of a roof that points exceed is searched again, and they are measured again") {
  fake::Script script = with_slow_copies();
  Harness h(script);
  h.finish(h.sweeper.start(request_with_slow_copies()));
  REQUIRE(h.all<Warning>().size() == 1);
  CHECK(h.all<Warning>()[0].text ==
        "2 of 3 points exceeded the DRAM copy roof, by up to 67 %: its kernel was searched again, "
        "and "
        "a faster one gives 100 GB/s, not 60.0 GB/s; points beside it were measured again");
  CHECK(h.reports_of("DRAM copy").back().rate == doctest::Approx(fake::bandwidth));
  CHECK(h.reports_of("DRAM copy").back().shape == fast);
  REQUIRE(h.points().size() == 3);
  for (const Point& point : h.points()) {
    REQUIRE(point.share);
    CHECK(point.share->of.median == doctest::Approx(1));
    CHECK(point.stop == Stop::noise_goal);
  }
}

TEST_CASE("points that are measured again stay as they were when the device is lost meanwhile") {
  for (const int runs_left : {0, 10, 20, 30}) {
    CAPTURE(runs_left);
    fake::Script script = with_slow_copies();
    bool searched = false;
    int runs = 0;
    script.run = [&](const Case& what, std::stop_token) {
      searched = searched || what.shape == fast;
      const bool again = searched && what.family == kernels::Family::chain;
      if (again && runs++ == runs_left) throw kernels::DeviceLost("it is gone");
    };
    Harness h(script);
    CHECK(h.finish(h.sweeper.start(request_with_slow_copies())).end == End::failed);
    CHECK(searched);
    REQUIRE(h.points().size() == 3);
    for (const Point& point : h.points()) {
      CHECK(point.status == Status::ok);
      CHECK(point.seconds.samples.size() >= least_for_interval);
    }
  }
}

TEST_CASE("where no faster kernel is found for a roof that points exceed, the sweep says so once") {
  fake::Script script;
  script.seconds = [](const Case& what) {
    const bool exceeds = what.family == kernels::Family::chain && what.repeat < 4;
    return fake::ideal_seconds(what) / (exceeds ? 1.25 : 1);
  };
  Harness h(script);
  h.finish(h.sweeper.start(Harness::large_request({1, 2, 64})));
  REQUIRE(h.all<Warning>().size() == 1);
  CHECK(h.all<Warning>()[0].text ==
        "2 of 3 points exceeded the DRAM copy roof, by up to 25 %: its kernel was searched again, "
        "and no "
        "faster one was found");
  CHECK(h.points().size() == 3);
  CHECK(h.points()[0].share->of.median == doctest::Approx(1.25));
}

TEST_CASE("a sweep with a time limit says how to search for a roof that points exceed") {
  fake::Script script;
  script.seconds = [](const Case& what) {
    const bool exceeds = what.family == kernels::Family::chain;
    return fake::ideal_seconds(what) / (exceeds ? 1.25 : 1);
  };
  Harness h(script);
  SweepRequest request = Harness::large_request({1, 2});
  request.spec.time = 100;
  h.finish(h.sweeper.start(request));
  REQUIRE(h.all<Warning>().size() == 1);
  CHECK(contains(h.all<Warning>()[0].text, "(ridgepoint sweep --lab roofs --remeasure)"));
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
  // Points of one kind of units follow each other.
  CHECK(points[1].status == Status::skipped);
  CHECK(points[1].why == "cpu has no kernel tile mma fp8 on vector units");
  CHECK(points[2].status == Status::ok);
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
        "one run would take 11 s, more than the time limit of a point, 2 s; raise it");
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

TEST_CASE("a device that is not there fails with the ones that are") {
  Harness h;
  SweepRequest request = Harness::request();
  request.spec.device = "cuda:3";
  const SweepFinished finished = h.finish(h.sweeper.start(request));
  CHECK(finished.end == End::failed);
  CHECK(finished.why == "there is no device cuda:3; available: cpu");
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

TEST_CASE("a sweep ends when its time is over; points that it did not reach are skipped") {
  std::mt19937_64 random(4);
  fake::Script script;
  script.seconds = [&](const Case&) { return random() % 2 == 0 ? 1e-3 : 2e-3; };  // never narrow
  const auto swept = [&](double time) {
    Harness h(script);
    SweepRequest request = Harness::request({1, 2, 4, 8, 16});
    request.spec.time = time;
    const SweepFinished finished = h.finish(h.sweeper.start(request));
    CHECK(finished.end == End::complete);
    return h.points();
  };
  const auto some = swept(0.2);
  REQUIRE(some.size() == 5);
  for (const Point& point : some) CHECK(point.status == Status::ok);
  CHECK(some[0].stop == Stop::time_limit);
  CHECK(some[0].limit == Limit::stopped);
  const auto few = swept(1e-3);  // over after the first point
  REQUIRE(few.size() == 5);
  CHECK(few[0].status == Status::ok);
  CHECK(few[4].status == Status::skipped);
  CHECK(few[4].why == "the sweep reached its time limit of 1.0 ms; raise it");
}

TEST_CASE("the time limit of a lab ends passes, and skips no point") {
  fake::Script script;
  script.seconds = [](const Case&) { return 1.9; };
  Harness h(script);
  h.finish(h.sweeper.start(Harness::request({1, 2, 4})));
  REQUIRE(h.points().size() == 3);
  for (const Point& point : h.points()) CHECK(point.status == Status::ok);
  CHECK(h.points()[2].seconds.samples.size() == 1);
}

TEST_CASE("compiling kernels takes nothing from the time of a sweep or of a point") {
  fake::Script script;
  fake::Clock* clock = nullptr;
  double compiled = 0;
  script.prepare = [&](const Case& what) {
    if (what.family != kernels::Family::chain || what.repeat != 2 || compiled > 0) return;
    compiled = 30;
    clock->pass(compiled);
  };
  script.compiling = [&] { return compiled; };
  script.seconds = [](const Case&) { return 1e-3; };
  Harness h(script);
  clock = &h.clock;
  SweepRequest request = Harness::request({1, 2, 4});
  request.spec.time = 10;
  h.finish(h.sweeper.start(request));
  REQUIRE(h.points().size() == 3);
  for (const Point& point : h.points()) {
    CHECK(point.status == Status::ok);
    CHECK(point.stop == Stop::noise_goal);
    CHECK(point.seconds.samples.size() >= 7);
  }
}

TEST_CASE("noisy points and throttled clocks are warned of once, with a remedy") {
  std::mt19937_64 random(4);
  fake::Script script;
  script.seconds = [&](const Case&) { return random() % 2 == 0 ? 1e-3 : 2e-3; };
  script.conditions = [] {
    kernels::Conditions conditions;
    conditions.throttled = true;
    return conditions;
  };
  Harness h(script);
  SweepRequest request = Harness::request();
  request.spec.max_time = 0.1;
  h.finish(h.sweeper.start(request));
  const auto warnings = h.all<Warning>();
  REQUIRE(warnings.size() == 2);
  CHECK(contains(warnings[0].text,
                 "4 of 4 points missed the noise goal of 1 % (width of the interval):"));
  CHECK(contains(warnings[0].text, "100 ms per point were too short"));
  CHECK(contains(warnings[0].text, "raise the noise goal"));
  CHECK(contains(warnings[1].text, "clocks of cpu were throttled during 4 of 4 points"));
}

TEST_CASE("points that a quota made too short on samples ask for a larger quota") {
  std::mt19937_64 random(4);
  fake::Script script;
  script.seconds = [&](const Case&) { return random() % 2 == 0 ? 1e-3 : 2e-3; };
  int watched = 0;
  script.conditions = [&] {  // before and after a visit: it takes every second visit
    kernels::Conditions conditions;
    conditions.quota = watched++ % 4 == 1 ? 0.5 : 0;
    return conditions;
  };
  Harness h(script);
  SweepRequest request = Harness::request();
  request.spec.max_time = 0.5;
  h.finish(h.sweeper.start(request));
  const auto warnings = h.all<Warning>();
  REQUIRE(warnings.size() == 1);
  CHECK(contains(warnings[0].text, "raise the processor quota, or raise the noise goal"));
  for (const Point& point : h.points()) CHECK_FALSE(point.disturbed);
}

TEST_CASE("the remedy fits the limit that points stopped at") {
  fake::Script script;
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> noise(1e-4, 2e-4);
  script.seconds = [&](const Case& what) { return what.repeat == 1 ? 5 : noise(random); };
  Harness h(script);
  SweepRequest request = Harness::request({1, 2});
  request.spec.max_time = 8;
  request.spec.time = 9;
  h.finish(h.sweeper.start(request));
  REQUIRE(h.points().size() == 2);
  CHECK(h.points()[0].limit == Limit::time);
  CHECK(h.points()[1].limit == Limit::stopped);
  const auto warnings = h.all<Warning>();
  REQUIRE(warnings.size() == 2);
  CHECK(contains(warnings[0].text, "1 of 2 points missed the noise goal"));
  CHECK(contains(warnings[0].text, "time limit of a point"));
  CHECK(contains(warnings[1].text, "the sweep ended first; raise its time limit"));
}
