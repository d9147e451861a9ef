#include "engine/measure.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>

#include "tests/engine/fake_device.hpp"

using namespace engine;

namespace {

/// A trial that takes the seconds a function of the run's number gives, on a clock of its own.
struct Timed {
  explicit Timed(std::function<double(int)> seconds_of_run) {
    script.clock = &clock;
    script.seconds = [this, seconds_of_run](const kernels::Case&) {
      return seconds_of_run(runs++);
    };
  }
  Measurement measured(const Policy& policy, std::stop_token stop = {}) {
    fake::Trial trial(script, kernels::Case{.elements = 4096});
    return measure(trial, policy, std::move(stop), clock.reader());
  }
  double elapsed() const { return clock.now() - 1000; }

  fake::Clock clock;
  fake::Script script;
  int runs = 0;
};

}  // namespace

TEST_CASE("a quiet trial stops at the smallest number of samples, after the warm-up") {
  constexpr double run = 1.0 / 1024;  // sums of it are exact
  Timed trial([](int) { return run; });
  const Measurement m = trial.measured({});
  CHECK(m.stop == Stop::noise_goal);
  CHECK(m.seconds.samples.size() == 7);
  CHECK(m.seconds.median == run);
  CHECK(m.seconds.low == run);
  CHECK(m.seconds.high == run);
  // 20 ms of warm-up are 21 runs.
  CHECK(trial.runs == 21 + 7);
}

TEST_CASE("what the warm-up measured does not count") {
  Timed trial([](int run) { return run < 2 ? 11e-3 : 1e-3; });
  const Measurement m = trial.measured({});
  for (const double sample : m.seconds.samples) CHECK(sample == 1e-3);
}

TEST_CASE("a noisy trial goes on until the interval of the median is narrow enough") {
  std::mt19937_64 random(7);
  std::normal_distribution<double> noise(1e-3, 3e-5);
  Timed trial([&](int) { return noise(random); });
  const Measurement m = trial.measured({});
  CHECK(m.stop == Stop::noise_goal);
  CHECK(m.seconds.samples.size() > 30);
  CHECK(m.seconds.high - m.seconds.low < 0.01 * m.seconds.median);
  CHECK(m.seconds.low < 1e-3);
  CHECK(m.seconds.high > 0.99e-3);
}

TEST_CASE(
    "a trial that never settles stops when the goal is out of reach of the limit, and says so") {
  std::mt19937_64 random(8);
  std::uniform_real_distribution<double> noise(5e-3, 50e-3);
  Timed trial([&](int) { return noise(random); });
  const Measurement m = trial.measured({});
  CHECK(m.stop == Stop::time_limit);
  CHECK(m.limit == Limit::spread);
  CHECK(m.seconds.samples.size() >= 14);
  CHECK(trial.elapsed() > 0.5);
  CHECK(trial.elapsed() < 1.0);
}

TEST_CASE("a goal that is nearly reached is worth the whole time limit") {
  // The upper half of the samples lies 1.1 % above the lower one: near the goal, and never within.
  Timed trial([](int run) { return run % 2 == 0 ? 10e-3 : 10.11e-3; });
  const Measurement m = trial.measured({});
  CHECK(m.stop == Stop::time_limit);
  CHECK(trial.elapsed() > 1.5);
  CHECK(trial.elapsed() <= 2.0 + 11e-3);
}

TEST_CASE("a trial that drifts is not called good") {
  Timed trial([](int run) { return 10e-3 * (1 + 0.02 * run); });
  CHECK(trial.measured({}).stop == Stop::time_limit);
}

TEST_CASE("the number of samples is bounded") {
  Timed trial([](int run) { return run % 2 == 0 ? 1e-6 : 2e-6; });
  const Measurement m = trial.measured({.max_samples = 100, .warm_up = 0});
  CHECK(m.stop == Stop::time_limit);
  CHECK(m.limit == Limit::samples);
  CHECK(m.seconds.samples.size() == 100);
}

TEST_CASE("a long run gets as many samples as fit below the time limit, the first included") {
  Timed trial([](int) { return 0.5; });
  const Measurement m = trial.measured({});
  CHECK(m.stop == Stop::time_limit);
  CHECK(m.limit == Limit::time);
  CHECK(m.seconds.samples.size() == 4);
  CHECK(trial.elapsed() == doctest::Approx(2.0));
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

TEST_CASE("a sample far off is kept and flagged, and does not move the median") {
  Timed trial([](int run) { return run == 24 ? 5e-3 : 1e-3; });
  const Measurement m = trial.measured({});
  CHECK(m.seconds.median == 1e-3);
  REQUIRE(m.seconds.outliers.size() == 1);
  CHECK(m.seconds.samples[m.seconds.outliers[0]] == 5e-3);
}

TEST_CASE("a clock that gives no time is an error and not a result") {
  for (const double bad : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    Timed trial([&](int) { return bad; });
    trial.script.clock = nullptr;
    CHECK_THROWS_WITH_AS(trial.measured({}), doctest::Contains("the clock of the device returned"),
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

TEST_CASE("a stop in the middle ends within one run") {
  std::stop_source source;
  Timed trial([&](int run) {
    if (run == 22) source.request_stop();
    return 1e-3;
  });
  CHECK_THROWS_AS(trial.measured({}, source.get_token()), kernels::Cancelled);
  CHECK(trial.runs == 23);
}

TEST_CASE("the steady clock goes on") {
  const double before = steady_seconds();
  CHECK(steady_seconds() >= before);
}
