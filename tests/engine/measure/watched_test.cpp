// What others do to the device while a point is measured, and what becomes of the point.
#include <doctest/doctest.h>

#include "engine/measure/run_case.hpp"
#include "tests/engine/fake_device.hpp"
#include "tests/text.hpp"

using namespace engine;
using tests::contains;

namespace {

const kernels::Case what{.elements = 1 << 20};

/// A device on whose time others lay claim: one share for each visit.
struct Shared {
  explicit Shared(std::vector<double> shares_of_others, double seconds = 0.02)
      : shares(std::move(shares_of_others)) {
    script.clock = &clock;
    script.seconds = [this, seconds](const kernels::Case&) {
      // What others take, this one lacks.
      return seconds * (1 + share());
    };
    script.watch = [this] { ++tries; };
    script.conditions = [this] {
      kernels::Conditions now;
      if (tries > 0) now.other_load = share();
      return now;
    };
  }
  double share() const {
    const auto at = static_cast<std::size_t>(std::max(tries, 1) - 1);
    return shares[std::min(at, shares.size() - 1)];
  }
  /// Visited until it is done.
  Point measured(const Policy& policy = {}) {
    fake::Device device(script);
    CaseRun run(device, what, policy, clock.now());
    const Timing timing = clock.timing();
    for (bool first = true; !run.done(); first = false)
      run.visit(first ? quick_visit : usual_visit, {}, {}, timing);
    return run.point();
  }

  std::vector<double> shares;
  fake::Clock clock;
  fake::Script script;
  int tries = 0;
};

}  // namespace

TEST_CASE("a visit that others disturbed is set aside, and the others count") {
  Shared device({0.3, 0.0});
  const Point point = device.measured();
  CHECK_FALSE(point.disturbed);
  CHECK(point.seconds.median == doctest::Approx(0.02));
  CHECK(point.conditions.other_load == 0.0);
  REQUIRE(point.visits.size() > 1);
  CHECK(point.visits[0].set_aside == "other work took 30 % of the device");
  CHECK(point.visits[0].samples.size() == 1);
  CHECK(point.visits[1].set_aside.empty());
}

TEST_CASE("a visit that a quota held back is set aside, and the quota is named") {
  Shared device({0.0});
  device.script.conditions = [&] {
    kernels::Conditions now;
    if (device.tries == 1) now.quota = 0.4;
    return now;
  };
  const Point point = device.measured();
  CHECK_FALSE(point.disturbed);
  REQUIRE(point.visits.size() > 1);
  CHECK(point.visits[0].set_aside == "the quota of this control group took 40 % of the device");
  CHECK(point.conditions.quota == 0.4);
}

TEST_CASE("a point disturbed in every visit keeps all of them, and says so") {
  Shared device({0.3, 0.1, 0.2}, 0.1);
  const Point point = device.measured();
  CHECK(point.disturbed);
  CHECK(point.status == Status::ok);
  CHECK(point.seconds.samples.size() > 4);
  CHECK(device.clock.now() - 1000 <= 2.0);
}

TEST_CASE("a point that never had its cores alone is disturbed, and says why") {
  Shared device({0.0});
  device.script.contended = [] { return true; };
  const Point point = device.measured();
  CHECK(point.disturbed);
  CHECK(point.limit == Limit::others);
  CHECK(contains(point.conditions.note, "SMT contention throughout"));
}

TEST_CASE(
    "samples beside others are counted, and the point that has better ones is not disturbed") {
  Shared device({0.0});
  int runs = 0;
  device.script.contended = [&] { return ++runs % 3 == 0; };
  const Point point = device.measured();
  CHECK_FALSE(point.disturbed);
  CHECK(point.contended > 0);
}

TEST_CASE("a small share is no disturbance, and a large one is, however brief the point") {
  Shared little({0.02});
  CHECK_FALSE(little.measured().disturbed);
  CHECK(Shared({0.5}, 1e-4).measured().disturbed);
}

TEST_CASE("stolen time that may be the rounding of a tick is no disturbance") {
  Shared brief({0.0}, 1e-4);  // visits of 20 ms, of which the hypervisor had 10 ms
  brief.script.conditions = [&] {
    kernels::Conditions now;
    now.stolen = brief.tries == 1 ? 0.5 : 0;
    return now;
  };
  CHECK_FALSE(brief.measured().disturbed);
}

TEST_CASE("time that the hypervisor took disturbs like that of other programs") {
  Shared always({0.0});
  always.script.conditions = [] {
    kernels::Conditions now;
    now.stolen = 0.2;
    return now;
  };
  CHECK(always.measured().disturbed);
  Shared once({0.0}, 0.1);  // a visit that is long enough for ticks to count
  once.script.conditions = [&] {
    kernels::Conditions now;
    now.stolen = once.tries == 2 ? 0.5 : 0;
    return now;
  };
  const Point point = once.measured();
  CHECK_FALSE(point.disturbed);
  CHECK_FALSE(point.visits[1].set_aside.empty());
}

TEST_CASE("a point holds the state of the device before it and under load") {
  Shared device({0.0});
  int reading = 0;
  device.script.conditions = [&] {
    kernels::Conditions now;
    now.clock_hz = ++reading * 1e9;
    now.power_w = 10.0 * reading;
    return now;
  };
  const Point point = device.measured();
  CHECK(point.before.clock_hz == 1e9);
  CHECK(point.conditions.clock_hz == reading * 1e9);  // of the last visit
  CHECK(point.conditions.power_w == 10.0 * reading);
  // Where the trial can tell, its own clock is the one under load.
  Shared telling({0.0});
  telling.script.clock_hz = [] { return std::optional(3.3e9); };
  CHECK(telling.measured().conditions.clock_hz == 3.3e9);
}

TEST_CASE("the state before a point tells nothing of the point before it") {
  Shared device({0.0});
  int heats = 0;  // counted by the system; a device tells what has happened since watch()
  int watched = 0;
  double joules = 0;
  device.script.watch = [&] { watched = heats; };
  device.script.run = [&](const kernels::Case&, std::stop_token) { joules += 1; };
  device.script.conditions = [&] {
    kernels::Conditions now;
    now.throttled = heats > watched;
    now.power_w = joules;
    now.other_load = 0.02;
    now.stolen = 0.01;
    now.temperature_c = 60;
    return now;
  };
  device.script.verify = [&](const kernels::Case&) {
    heats = 1;  // before the first point is measured
    return kernels::Check{true, ""};
  };
  const Point point = device.measured();
  CHECK(point.before.throttled == false);
  CHECK(point.conditions.throttled == false);
  CHECK(point.before.temperature_c == 60);
  CHECK_FALSE(point.before.power_w);
  CHECK_FALSE(point.before.other_load);
  CHECK_FALSE(point.before.stolen);
  CHECK(point.conditions.power_w.value_or(0) > 0);
}

TEST_CASE("the note of a point is that of the shape that was measured") {
  Shared device({0.0});
  const std::string of_kernel = device.measured().note;
  CHECK(of_kernel != "");
  device.script.note = [](const kernels::Case&) { return "AVX2+FMA"; };
  CHECK(device.measured().note == "AVX2+FMA");
}

TEST_CASE("a point that could not be measured unthrottled says so") {
  Shared device({0.0}, 1e-3);
  int run = 0;
  device.script.run = [&](const kernels::Case&, std::stop_token) { ++run; };
  device.script.clock_hz = [&] { return std::optional(run <= 20 ? 2e9 : 1e9); };
  const Point point = device.measured();
  CHECK(point.status == Status::ok);
  CHECK(point.conditions.throttled == true);
  CHECK(contains(point.conditions.note, "the clock settled at 1.00 GHz"));
}

TEST_CASE("what a trial tells beside its time is a part of the point") {
  Shared device({0.0});
  device.script.values = {{"loss", 2}};
  device.script.spans = {{"GPU", "matmul", 0, 0.5}};
  device.script.verify = [](const kernels::Case&) {
    return kernels::Check{.ok = true, .error = 1e-3};
  };
  const Point point = device.measured();
  CHECK(point.values == std::vector<kernels::Value>{{"loss", 2}, {"error", 1e-3}});
  CHECK(point.spans == device.script.spans);
}

TEST_CASE("who disturbed a visit is named") {
  Shared device({0.3});
  device.script.conditions = [&device] {
    kernels::Conditions now;
    if (device.tries > 0) now.other_load = device.share();
    now.others = "python3 (process 4711)";
    return now;
  };
  CHECK(device.measured().visits[0].set_aside ==
        "other work took 30 % of the device: python3 (process 4711)");
}

TEST_CASE("a device needs no warm-up right after a load of the same kind, where it says so") {
  fake::Clock clock;
  fake::Script script;
  script.clock = &clock;
  int runs = 0;
  script.seconds = [&](const kernels::Case&) {
    ++runs;
    return 1e-3;
  };
  script.pace.stays_warm = 0.05;
  fake::Device device(script);
  LastLoad last;
  Timing timing = clock.timing();
  timing.last_load = &last;
  const auto runs_of_a_visit = [&](kernels::Units units) {
    runs = 0;
    kernels::Case here = what;
    if (units == kernels::Units::matrix)
      here = {.family = kernels::Family::tile,
              .ops = kernels::Op::mma,
              .dtype = kernels::Dtype::bf16,
              .units = units,
              .elements = 1 << 20};
    CHECK(run_case(device, here, {}, quick_visit, {}, timing).status == Status::ok);
    return runs;
  };
  const int warming_up = runs_of_a_visit(kernels::Units::vector);
  CHECK(warming_up > 20);
  CHECK(runs_of_a_visit(kernels::Units::vector) == 1);
  CHECK(runs_of_a_visit(kernels::Units::matrix) == warming_up);
  clock.pass(0.06);
  CHECK(runs_of_a_visit(kernels::Units::matrix) == warming_up);
}

TEST_CASE("a power limit neither throttles a point nor disturbs it") {
  fake::Clock clock;
  fake::Script script;
  script.clock = &clock;
  script.seconds = [](const kernels::Case&) { return 1e-3; };
  double clock_hz = 2e9;
  script.clock_hz = [&] { return std::optional(clock_hz); };
  bool limited = true;
  script.conditions = [&] {
    kernels::Conditions now;
    now.power_limited = limited;
    now.throttled = false;
    return now;
  };
  fake::Device device(script);
  // The first visit is a burst; after it the clock is far below.
  const auto point = [&] {
    clock_hz = 2e9;
    CaseRun run(device, what, {}, clock.now());
    run.visit(quick_visit, {}, {}, clock.timing());
    clock_hz = 1.4e9;
    run.visit(usual_visit, {}, {}, clock.timing());
    return run.point();
  };
  Point limited_point = point();
  CHECK_FALSE(was_throttled(limited_point));
  CHECK_FALSE(limited_point.disturbed);
  CHECK(limited_point.conditions.power_limited == true);
  limited = false;
  CHECK(was_throttled(point()));
}
