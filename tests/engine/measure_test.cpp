#include "engine/measure/measure.hpp"

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
    return measure(trial, policy, std::move(stop), clock.timing());
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
  std::uniform_real_distribution<double> noise(5e-3, 29e-3);
  Timed trial([&](int) { return noise(random); });
  const Measurement m = trial.measured({});
  CHECK(m.stop == Stop::time_limit);
  CHECK(m.limit == Limit::spread);
  CHECK(m.seconds.samples.size() >= 14);
  CHECK(trial.elapsed() > 0.2);
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
  // 0.6 % apart: four, which do not agree within 1 %, are worth a try.
  Timed trial([](int run) { return 0.5 + 0.003 * (run % 2); });
  const Measurement m = trial.measured({.max_time = 2.02});
  CHECK(m.stop == Stop::time_limit);
  CHECK(m.limit == Limit::time);
  CHECK(m.seconds.samples.size() == 4);
  CHECK(trial.elapsed() == doctest::Approx(2.006));
}

TEST_CASE("a few long runs that agree are enough, short ones never") {
  Timed agreeing([](int run) { return 0.1 + 1e-5 * run; });
  const Measurement few = agreeing.measured({.warm_up = 0});
  CHECK(few.stop == Stop::noise_goal);
  CHECK(few.seconds.samples.size() == 3);
  CHECK(agreeing.runs == 3);  // without a warm-up to do, the first counts
  // Their 95 % interval by Student's t: 1.4 % wide for three, 0.9 % for four.
  Timed scattering([](int run) { return 0.1 + 5e-4 * (run % 2); });
  const Measurement more = scattering.measured({.warm_up = 0});
  CHECK(more.stop == Stop::noise_goal);
  CHECK(more.seconds.samples.size() == 4);
  Timed quick([](int) { return 0.01; });
  CHECK(quick.measured({.warm_up = 0}).seconds.samples.size() == 7);
}

TEST_CASE("long runs that scatter too much for the goal end with the fewest that tell so") {
  // 4 % apart: 1 % would need hundreds of samples, and 2 s hold 20.
  Timed trial([](int run) { return run % 2 == 0 ? 0.1 : 0.104; });
  const Measurement m = trial.measured({.warm_up = 0});
  CHECK(m.stop == Stop::time_limit);
  CHECK(m.limit == Limit::spread);
  CHECK(m.seconds.samples.size() == 6);
}

TEST_CASE("of runs that take much of the limit three tell that the goal is out of reach") {
  // 4 % apart; 2 s hold ten, which would come to 3 %.
  Timed trial([](int run) { return run % 2 == 0 ? 0.2 : 0.208; });
  const Measurement m = trial.measured({.warm_up = 0});
  CHECK(m.stop == Stop::time_limit);
  CHECK(m.limit == Limit::spread);
  CHECK(m.seconds.samples.size() == 3);
}

TEST_CASE("samples of cores on which others ran are left out, and counted") {
  Timed trial([](int) { return 0.0; });
  trial.script.seconds = [&](const kernels::Case&) { return ++trial.runs % 2 == 0 ? 2e-3 : 1e-3; };
  trial.script.contended = [&] { return trial.runs % 2 == 0; };
  const Measurement m = trial.measured({});
  CHECK(m.stop == Stop::noise_goal);
  CHECK(m.seconds.samples == std::vector<double>(7, 1e-3));
  CHECK(m.contended >= 6);
  CHECK_FALSE(m.contended_throughout);
  CHECK(m.discarded == 0);
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

TEST_CASE("waiting for others to leave is no run: it neither warms up nor makes a sample long") {
  Timed trial([](int) { return 150e-6; });
  int settled = 0;
  trial.script.settling = [&] { return ++settled == 1 ? 0.08 : 0.0; };
  const Measurement m = trial.measured({.max_time = 0.15});
  CHECK(m.stop == Stop::noise_goal);
  CHECK(m.seconds.samples.size() == 7);
  CHECK(trial.elapsed() > 0.08 + 0.02);  // and the warm-up
}

TEST_CASE("waiting for others has an end beside the time limit") {
  Timed trial([](int) { return 1e-3; });
  trial.script.settling = [] { return 0.1; };
  trial.script.contended = [] { return true; };
  const Measurement m = trial.measured({});
  CHECK(m.limit == Limit::others);
  CHECK(trial.elapsed() < 1.3);
}

TEST_CASE("one long run that was contended at its warm-up is not taken for one of cores alone") {
  Timed trial([](int) { return 0.4; });
  trial.script.seconds = [&](const kernels::Case&) { return ++trial.runs == 1 ? 0.8 : 0.4; };
  trial.script.contended = [&] { return trial.runs == 1; };
  const Measurement m = trial.measured({.warm_up = 0});
  CHECK(m.seconds.median == 0.4);
  CHECK(m.contended == 1);
}

TEST_CASE("samples while the clock is held back are discarded and the device gets rest") {
  Timed trial([](int) { return 1e-3; });
  trial.script.clock_hz = [&] {
    return std::optional(trial.runs > 25 && trial.runs < 30 ? 1.4e9 : 2e9);
  };
  trial.script.seconds = [&](const kernels::Case&) {
    ++trial.runs;
    return trial.runs > 25 && trial.runs < 30 ? 1.4e-3 : 1e-3;
  };
  const Measurement m = trial.measured({});
  CHECK(m.stop == Stop::noise_goal);
  CHECK(m.discarded == 4);
  CHECK(m.seconds.samples == std::vector<double>(7, 1e-3));
  CHECK(m.settled_clock == 2e9);
  CHECK(m.clock_hz == 2e9);
  CHECK_FALSE(m.throttled);
  CHECK(trial.clock.rested() == 4);
}

TEST_CASE("a clock that is held back to the end gives a result that says so, within the limit") {
  Timed trial([](int run) { return run < 20 ? 1e-3 : 2e-3; });
  trial.script.clock_hz = [&] { return std::optional(trial.runs <= 21 ? 2e9 : 1e9); };
  const Measurement m = trial.measured({});
  CHECK(m.throttled);
  CHECK(m.stop == Stop::time_limit);
  CHECK(m.discarded == 0);
  CHECK_FALSE(m.seconds.samples.empty());
  CHECK(m.seconds.median == 2e-3);
  CHECK(m.clock_hz == 1e9);
  CHECK(m.settled_clock == 2e9);
  CHECK(trial.elapsed() <= 2.0 + 2e-3);
}

TEST_CASE("a clock at three quarters of the settled one is slow, and counts") {
  Timed trial([](int) { return 1e-3; });
  trial.script.clock_hz = [&] { return std::optional(trial.runs <= 21 ? 2e9 : 1.5e9); };
  const Measurement m = trial.measured({});
  CHECK(m.discarded == 0);
  CHECK(m.clock_hz == 1.5e9);
}

TEST_CASE("a clock that reads 0, nothing, or not a number throws nothing away") {
  for (const std::optional<double> bad :
       {std::optional(0.0), std::optional<double>(), std::optional(std::nan("")),
        std::optional(-1.0), std::optional(std::numeric_limits<double>::infinity())}) {
    Timed trial([](int) { return 1e-3; });
    trial.script.clock_hz = [&] { return trial.runs % 2 == 0 ? bad : std::optional(2e9); };
    const Measurement m = trial.measured({});
    CHECK(m.stop == Stop::noise_goal);
    CHECK(m.discarded == 0);
    CHECK(m.clock_hz == 2e9);
    trial.script.clock_hz = [&] { return bad; };
    CHECK_FALSE(trial.measured({}).clock_hz.has_value());
  }
}

TEST_CASE("a settled clock is never above what the device states") {
  Timed trial([](int) { return 1e-3; });
  // A reading of the warm-up that no device reaches.
  trial.script.clock_hz = [&] { return std::optional(trial.runs <= 21 ? 9e9 : 1.9e9); };
  CHECK(trial.measured({.stated_clock = 2e9}).discarded == 0);
}

TEST_CASE("a stop during a rest ends the measurement") {
  std::stop_source source;
  Timed trial([](int) { return 1e-3; });
  trial.script.clock_hz = [&] { return std::optional(trial.runs <= 21 ? 2e9 : 1e9); };
  fake::Trial one(trial.script, kernels::Case{.elements = 4096});
  const Timing timing{trial.clock.reader(),
                      [&](double, const std::stop_token&) { source.request_stop(); }};
  CHECK_THROWS_AS(measure(one, {}, source.get_token(), timing), kernels::Cancelled);
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
