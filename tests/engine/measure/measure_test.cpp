#include "engine/measure/measure.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>

#include "tests/engine/fake_device.hpp"
#include "tests/engine/measure/timed_runs.hpp"

using namespace engine;
using test::Timed;

namespace {

/// A roof that takes the seconds a function of the run's number gives for one byte.
struct Beside {
  explicit Beside(fake::Clock& clock, std::function<double(int)> seconds_of_run) {
    script.clock = &clock;
    script.seconds = [this, seconds_of_run](const kernels::Case&) {
      return seconds_of_run(runs++);
    };
  }
  fake::Script script;
  fake::Trial trial{script, kernels::Case{.elements = 4096}};
  int runs = 0;
  /// One run of the roof moves a byte, and so does one of the case.
  Control control() { return {trial, "DRAM copy", 1, 1}; }
};

}  // namespace

TEST_CASE("the first visit is one run after a warm-up, and more visits make an interval") {
  constexpr double run = 1.0 / 1024;  // sums of it are exact
  Timed trial([](int) { return run; });
  fake::Trial one(trial.script, kernels::Case{.elements = 4096});
  Sampler sampler({}, trial.clock.now());
  const Timing timing = trial.clock.timing();
  sampler.visit(one, {}, quick_visit, {}, timing);
  CHECK_FALSE(sampler.enough());
  CHECK(trial.runs == 21 + 1);  // 20 ms of warm-up are 21 runs
  Measurement m = sampler.result();
  CHECK(m.seconds.samples == std::vector<double>{run});
  CHECK(m.limit == Limit::stopped);  // so far
  while (!sampler.enough()) sampler.visit(one, {}, usual_visit, {}, timing);
  m = sampler.result();
  CHECK(m.stop == Stop::noise_goal);
  CHECK(m.seconds.samples.size() >= 7);
  CHECK(m.seconds.low == run);
  CHECK(m.seconds.high == run);
  CHECK_FALSE(m.share);
  REQUIRE(m.visits.size() == 6);  // no roof runs beside it: the machine may drift between visits
  CHECK(m.visits[1].first == 1);
  CHECK(m.visits[1].at > m.visits[0].at);
}

TEST_CASE("what the warm-up measured does not count") {
  Timed trial([](int run) { return run < 2 ? 11e-3 : 1e-3; });
  const Measurement m = trial.measured({});
  for (const double sample : m.seconds.samples) CHECK(sample == 1e-3);
}

TEST_CASE("a run as long as a warm-up is its own") {
  Timed trial([](int) { return 0.03; });
  fake::Trial one(trial.script, kernels::Case{.elements = 4096});
  Sampler sampler({}, 0);
  sampler.visit(one, {}, quick_visit, {}, trial.clock.timing());
  CHECK(trial.runs == 1);
  sampler.visit(one, {}, {.runs = 4}, {}, trial.clock.timing());
  CHECK(trial.runs == 5);
}

TEST_CASE("a run that is its own warm-up has a share, of the look after it") {
  Timed trial([](int) { return 0.05; });
  fake::Trial one(trial.script, kernels::Case{.elements = 4096});
  Beside roof(trial.clock, [](int) { return 0.04; });
  const Control control = roof.control();
  Sampler sampler({}, 0);
  sampler.visit(one, {&control, 1}, quick_visit, {}, trial.clock.timing());
  CHECK(trial.runs == 1);
  const Measurement m = sampler.result();
  CHECK(m.seconds.samples == std::vector{0.05});
  REQUIRE(m.share);
  CHECK(m.share->of.median == doctest::Approx(0.8));
  CHECK(m.visits[0].looks.size() == 1);
}

TEST_CASE("a visit lasts as long for brief runs as for long ones, looks included") {
  for (const double run : {1e-3, 5e-3, 20e-3, 0.3}) {
    CAPTURE(run);
    fake::Clock clock;
    fake::Script script;
    script.clock = &clock;
    script.seconds = [&](const kernels::Case&) { return run; };
    fake::Trial trial(script, kernels::Case{.elements = 4096});
    Beside roof(clock, [&](int) { return run; });
    const Control control = roof.control();
    Sampler sampler({}, clock.now());
    sampler.visit(trial, {}, quick_visit, {}, clock.timing());
    const double begin = clock.now();
    sampler.visit(trial, {&control, 1}, usual_visit, {}, clock.timing());
    const Measurement m = sampler.result();
    if (run < 0.1) {
      CHECK(clock.now() - begin > usual_visit.seconds);
      CHECK(clock.now() - begin < Policy().warm_up + usual_visit.seconds + 4 * run);
    } else {
      CHECK(m.seconds.samples.size() == 2);  // one of each visit
    }
  }
}

TEST_CASE("a visit is as long as the device asks for, and longer while the noise goal is missed") {
  fake::Clock clock;
  double spread = 0;
  std::minstd_rand random(1);
  fake::Script script;
  script.clock = &clock;
  script.seconds = [&](const kernels::Case&) {
    return 1e-4 * (1 + spread * std::uniform_real_distribution<double>(-1, 1)(random));
  };
  fake::Trial trial(script, kernels::Case{.elements = 4096});
  const Policy policy{
      .max_time = 60, .max_samples = 1'000'000, .pace = {.visit = 4e-3, .look = 2e-3}};
  const auto longest_visit = [&](int visits) {
    Sampler sampler(policy, clock.now());
    double longest = 0;
    for (int i = 0; i < visits && !sampler.done(); ++i) {
      const double begin = clock.now();
      sampler.visit(trial, {}, {.runs = 1, .most_runs = 10'000, .seconds = 0.12, .warm = true}, {},
                    clock.timing());
      longest = std::max(longest, clock.now() - begin);
      sampler.enough();
    }
    return longest;
  };
  CHECK(longest_visit(6) < 5e-3);
  spread = 0.3;
  CHECK(longest_visit(200) > 0.1);
  CHECK(longest_visit(200) < 0.13);
}

TEST_CASE("a long run has looks at its roof as long as the device asks for") {
  fake::Clock clock;
  fake::Script script;
  script.clock = &clock;
  script.seconds = [](const kernels::Case&) { return 0.05; };
  fake::Trial trial(script, kernels::Case{.elements = 4096});
  Beside roof(clock, [](int) { return 1e-3; });
  const Control control = roof.control();
  for (const double look : {2e-3, 0.1}) {
    Sampler sampler({.pace = {.look = look}}, clock.now());
    sampler.visit(trial, {&control, 1}, quick_visit, {}, clock.timing());
    roof.runs = 0;
    const double begin = clock.now();
    sampler.visit(trial, {&control, 1}, {.runs = 1}, {}, clock.timing());
    // One run, a look before it and one after it, and the run of the roof that nobody counts.
    CHECK(clock.now() - begin ==
          doctest::Approx(0.05 + 2 * std::min(look, 0.05) + 1e-3).epsilon(0.03));
  }
}

TEST_CASE("the share of a roof holds still where device and roof slow down together") {
  fake::Clock clock;
  double pace = 1;  // of the whole device
  fake::Script script;
  script.clock = &clock;
  script.seconds = [&](const kernels::Case&) { return 0.025 * pace; };
  fake::Trial trial(script, kernels::Case{.elements = 4096});
  Beside roof(clock, [&](int) { return 0.02 * pace; });
  const Control control = roof.control();
  Sampler sampler({}, clock.now());
  sampler.visit(trial, {}, quick_visit, {}, clock.timing());
  while (!sampler.enough()) {
    pace *= 1.2;
    sampler.visit(trial, {&control, 1}, usual_visit, {}, clock.timing());
  }
  const Measurement m = sampler.result();
  CHECK(m.stop == Stop::noise_goal);
  REQUIRE(m.share);
  CHECK(m.share->roof == "DRAM copy");
  CHECK(m.share->of.median == doctest::Approx(0.8));
  REQUIRE(m.share->of.low);
  CHECK(*m.share->of.low == doctest::Approx(0.8));
  CHECK(m.seconds.high > 1.1 * m.seconds.low);  // the time itself moved
  CHECK(m.visits[0].looks.empty());
  CHECK(m.visits[1].looks.size() == m.visits[2].first - m.visits[1].first + 1);  // around runs
  CHECK(m.visits[1].share == doctest::Approx(0.8));
}

TEST_CASE("near the ridge the share is that of the roof that takes longer at the time") {
  fake::Clock clock;
  double memory_pace = 1;
  // 10 ms at the memory roof, 8 ms at the roof of arithmetic; the case takes as long as the longer.
  fake::Script script;
  script.clock = &clock;
  script.seconds = [&](const kernels::Case&) { return std::max(0.01 * memory_pace, 0.008); };
  fake::Trial trial(script, kernels::Case{.elements = 4096});
  Beside memory(clock, [&](int) { return 0.01 * memory_pace; });
  Beside arithmetic(clock, [](int) { return 0.008; });
  Control controls[] = {memory.control(), arithmetic.control()};
  controls[1].roof = "fp32 FMA";
  Sampler sampler({}, clock.now());
  sampler.visit(trial, {}, quick_visit, {}, clock.timing());
  for (int visit = 0; visit < 6; ++visit) {
    memory_pace = visit == 5 ? 1 : 0.5;  // mostly twice as fast
    sampler.visit(trial, controls, usual_visit, {}, clock.timing());
  }
  const Measurement m = sampler.result();
  REQUIRE(m.share);
  CHECK(m.share->roof == "fp32 FMA");  // that of most samples
  CHECK(m.share->of.median == doctest::Approx(1));
  for (std::size_t visit = 1; visit < m.visits.size(); ++visit)
    CHECK(m.visits[visit].share == doctest::Approx(1));
  // At both, around the runs.
  CHECK(m.visits[1].looks.size() == 2 * (m.visits[2].first - m.visits[1].first + 1));
}

TEST_CASE("a roof that ran beside some visits alone keeps its name and its samples") {
  fake::Clock clock;
  fake::Script script;
  script.clock = &clock;
  script.seconds = [](const kernels::Case&) { return 0.01; };
  fake::Trial trial(script, kernels::Case{.elements = 4096});
  Beside memory(clock, [](int) { return 0.002; });
  Beside arithmetic(clock, [](int) { return 0.009; });
  Control controls[] = {memory.control(), arithmetic.control()};
  controls[1].roof = "fp32 FMA";
  Sampler sampler({}, clock.now());
  for (int visit = 0; visit < 5; ++visit)
    sampler.visit(trial, controls, usual_visit, {}, clock.timing());
  sampler.visit(trial, std::span(controls).first(1), usual_visit, {}, clock.timing());
  const Measurement m = sampler.result();
  REQUIRE(m.share);
  CHECK(m.share->roof == "fp32 FMA");
}

TEST_CASE("a look at a roof lasts as long as the run beside it") {
  fake::Clock clock;
  fake::Script script;
  script.clock = &clock;
  script.seconds = [](const kernels::Case&) { return 0.1; };
  fake::Trial trial(script, kernels::Case{.elements = 4096});
  Beside roof(clock, [](int) { return 1e-3; });
  const Control control = roof.control();
  Sampler sampler({}, clock.now());
  sampler.visit(trial, {}, quick_visit, {}, clock.timing());
  sampler.visit(trial, {&control, 1}, {.runs = 1}, {}, clock.timing());
  CHECK(roof.runs >= 2 * 100);
  CHECK(roof.runs <= 2 * 101 + 1);  // and one that warms up
}

TEST_CASE("samples of a visit that was set aside stay beside those that count") {
  Timed trial([](int run) { return run < 100 ? 0.02 : 0.03; });
  fake::Trial one(trial.script, kernels::Case{.elements = 4096});
  Sampler sampler({}, 0);
  const Timing timing = trial.clock.timing();
  constexpr VisitPlan four_runs{.runs = 4};
  sampler.visit(one, {}, four_runs, {}, timing);
  sampler.set_aside("other work took 30 % of the device");
  CHECK(sampler.result().disturbed);  // there are no others yet
  CHECK(sampler.result().seconds.samples.size() == 4);
  trial.runs = 100;
  sampler.visit(one, {}, four_runs, {}, timing);
  const Measurement m = sampler.result();
  CHECK(m.disturbed);  // four sound samples are too few to stand alone
  CHECK(m.seconds.samples.size() == 8);
  sampler.visit(one, {}, four_runs, {}, timing);
  const Measurement enough = sampler.result();
  CHECK_FALSE(enough.disturbed);
  CHECK(enough.seconds.samples == std::vector<double>(8, 0.03));
  CHECK(enough.visits[0].samples == std::vector<double>(4, 0.02));
  CHECK(enough.visits[0].set_aside == "other work took 30 % of the device");
  CHECK(enough.visits[1].samples.empty());
}

TEST_CASE("no sample is left out for its own time") {
  Timed trial([](int run) { return run % 10 == 4 ? 5e-3 : 1e-3; });
  const Measurement m = trial.measured({});
  CHECK(m.seconds.median == 1e-3);
  CHECK(std::ranges::count(m.seconds.samples, 5e-3) > 0);
  CHECK_FALSE(m.seconds.outliers.empty());
}

TEST_CASE("a run that fits fewer than six times uses its time, and has no interval") {
  Timed trial([](int) { return 0.4; });
  const Measurement m = trial.measured({});
  CHECK(m.visits.size() == 5);
  CHECK(m.seconds.samples.size() == 5);
  CHECK_FALSE(m.seconds.has_interval());
  CHECK(m.stop == Stop::time_limit);
  CHECK(m.limit == Limit::time);
  CHECK(trial.elapsed() <= 2.0);
}

TEST_CASE("the number of samples is bounded") {
  std::mt19937_64 random(1);
  Timed trial([&](int) { return 1e-6 * static_cast<double>(1 + random() % 2); });
  const Measurement m = trial.measured({.noise = 1e-9, .max_samples = 100, .warm_up = 0});
  CHECK(m.stop == Stop::time_limit);
  CHECK(m.limit == Limit::samples);
  CHECK(m.seconds.samples.size() < 140);
}

TEST_CASE("samples of cores on which others ran are left out, and counted") {
  Timed trial([](int) { return 0.0; });
  trial.script.seconds = [&](const kernels::Case&) { return ++trial.runs % 2 == 0 ? 2e-3 : 1e-3; };
  trial.script.contended = [&] { return trial.runs % 2 == 0; };
  const Measurement m = trial.measured({});
  CHECK(m.stop == Stop::noise_goal);
  for (const double sample : m.seconds.samples) CHECK(sample == 1e-3);
  CHECK(m.contended >= 6);
  CHECK_FALSE(m.contended_throughout);
  CHECK(m.discarded == 0);
}

TEST_CASE("waiting for others has an end beside the time limit") {
  Timed trial([](int) { return 1e-3; });
  trial.script.settling = [] { return 0.1; };
  trial.script.contended = [] { return true; };
  const Measurement m = trial.measured({});
  CHECK(m.limit == Limit::others);
  CHECK(trial.elapsed() < 1.5);
}

TEST_CASE("a stop in the middle ends within one run") {
  std::stop_source source;
  Timed trial([&](int run) {
    if (run == 22) source.request_stop();
    return 1e-3;
  });
  CHECK_THROWS_AS(trial.measured({}, source.get_token()), kernels::Cancelled);
  CHECK(trial.runs == 23);
}

TEST_CASE("a noisy trial goes on until the interval of the median is narrow enough") {
  std::mt19937_64 random(7);
  std::normal_distribution<double> noise(1e-3, 1e-5);
  Timed trial([&](int) { return noise(random); });
  const Measurement m = trial.measured({});
  CHECK(m.stop == Stop::noise_goal);
  CHECK(m.seconds.high - m.seconds.low < 0.01 * m.seconds.median);
  CHECK(m.seconds.low < 1.005e-3);
  CHECK(m.seconds.high > 0.995e-3);
}

TEST_CASE("a trial that never settles uses its time, and says so") {
  std::mt19937_64 random(8);
  std::uniform_real_distribution<double> noise(5e-3, 29e-3);
  Timed trial([&](int) { return noise(random); });
  const Measurement m = trial.measured({});
  CHECK(m.stop == Stop::time_limit);
  CHECK(m.limit == Limit::time);
  CHECK(trial.elapsed() > 1.9);
  CHECK(trial.elapsed() <= 2.0);
}

TEST_CASE("a trial that drifts is not called good") {
  Timed trial([](int run) { return 10e-3 * (1 + 0.02 * run); });
  CHECK(trial.measured({}).stop == Stop::time_limit);
}

TEST_CASE("where others never leave the cores, a measurement stops waiting and says so") {
  Timed trial([](int) { return 5e-3; });
  trial.script.contended = [] { return true; };
  const Measurement m = trial.measured({});
  CHECK(m.contended_throughout);
  CHECK_FALSE(m.throttled);
  CHECK(m.contended == 0);
  CHECK(m.seconds.median == 5e-3);
  CHECK(m.stop == Stop::time_limit);
  CHECK(trial.elapsed() < 1.0);
}

TEST_CASE("what others disturbed throughout has no share of a roof") {
  fake::Clock clock;
  fake::Script script;
  script.clock = &clock;
  script.seconds = [](const kernels::Case&) { return 0.01; };
  fake::Trial trial(script, kernels::Case{.elements = 4096});
  Beside roof(clock, [](int) { return 0.01; });
  const Control control = roof.control();
  Sampler sampler({}, clock.now());
  for (int i = 0; i < 2; ++i) {
    sampler.visit(trial, {&control, 1}, usual_visit, {}, clock.timing());
    sampler.set_aside("other work took half of the device");
  }
  CHECK(sampler.result().disturbed);
  CHECK_FALSE(sampler.result().share);
  for (int i = 0; i < 2; ++i) {
    sampler.visit(trial, {&control, 1}, usual_visit, {}, clock.timing());
  }
  CHECK(sampler.result().share);
}

TEST_CASE("resting ends with its time, or at once when it is stopped") {
  std::stop_source source;
  source.request_stop();
  const double before = steady_seconds();
  idle(1000, source.get_token());
  idle(0, {});
  idle(1e-4, std::stop_source().get_token());
  CHECK(steady_seconds() - before < 900);
}

TEST_CASE("a run longer than the time limit still gives one sample") {
  Timed trial([](int) { return 30.0; });
  const Measurement m = trial.measured({});
  CHECK(m.seconds.samples.size() == 1);
  CHECK(m.seconds.median == 30);
  CHECK(m.seconds.low == 30);
  CHECK(m.seconds.high == 30);
  CHECK(m.stop == Stop::time_limit);
}

TEST_CASE("a clock that gives no time is an error and not a result") {
  for (const double bad : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    Timed trial([&](int) { return bad; });
    trial.script.clock = nullptr;
    CHECK_THROWS_WITH_AS(trial.measured({}), doctest::Contains("the device's clock returned"),
                         std::runtime_error);
  }
}

TEST_CASE("a stop that was asked for before the first run lets no run begin") {
  Timed trial([](int) { return 1e-3; });
  std::stop_source source;
  source.request_stop();
  CHECK_THROWS_AS(trial.measured({}, source.get_token()), kernels::Cancelled);
  CHECK(trial.runs == 0);
}

TEST_CASE("the steady clock goes on") {
  const double before = steady_seconds();
  CHECK(steady_seconds() >= before);
}
