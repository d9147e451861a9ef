// Samples taken while the clock of the device is held back.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "engine/measure/measure.hpp"
#include "tests/engine/measure/timed_runs.hpp"

using namespace engine;
using test::Timed;

TEST_CASE("samples while the clock is held back are discarded and the device gets rest") {
  Timed trial([](int) { return 1e-3; });
  const auto slow = [&] { return trial.runs > 25 && trial.runs < 30; };
  trial.script.clock_hz = [&] { return std::optional(slow() ? 1.4e9 : 2e9); };
  trial.script.seconds = [&](const kernels::Case&) { return ++trial.runs, slow() ? 1.4e-3 : 1e-3; };
  fake::Trial one(trial.script, kernels::Case{.elements = 4096});
  Sampler sampler({}, 0);
  sampler.visit(one, {}, {.runs = 12}, {}, trial.clock.timing());
  const Measurement m = sampler.result();
  CHECK(m.discarded == 4);
  CHECK(m.seconds.samples == std::vector<double>(8, 1e-3));
  CHECK(m.settled_clock == 2e9);
  CHECK(m.clock_hz == 2e9);
  CHECK_FALSE(m.throttled);
  CHECK(trial.clock.rested() == 4);
}

TEST_CASE("where a power limit is usual a low clock counts, and the device gets no rest") {
  Timed trial([](int) { return 1e-3; });
  trial.script.clock_hz = [&] { return std::optional(trial.runs > 25 ? 1.4e9 : 2e9); };
  fake::Trial one(trial.script, kernels::Case{.elements = 4096});
  Policy policy;
  policy.pace.sustained = 0.5;
  Sampler sampler(policy, 0);
  sampler.visit(one, {}, {.runs = 12}, {}, trial.clock.timing());
  const Measurement m = sampler.result();
  CHECK(m.discarded == 0);
  CHECK(m.seconds.samples.size() == 12);
  CHECK(trial.clock.rested() == 0);
}

TEST_CASE("a clock that is held back to the end gives a result that says so") {
  Timed trial([](int run) { return run < 20 ? 1e-3 : 2e-3; });
  trial.script.clock_hz = [&] { return std::optional(trial.runs <= 20 ? 2e9 : 1e9); };
  fake::Trial one(trial.script, kernels::Case{.elements = 4096});
  Sampler sampler({}, 0);
  sampler.visit(one, {}, usual_visit, {}, trial.clock.timing());
  const Measurement m = sampler.result();
  CHECK(m.throttled);
  CHECK(m.discarded == 0);
  CHECK(m.seconds.median == 2e-3);
  CHECK(m.clock_hz == 1e9);
  CHECK(m.settled_clock == 2e9);
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
