// A trial whose runs take as long as a test says.
#pragma once

#include <functional>

#include "engine/measure/measure.hpp"
#include "tests/engine/fake_device.hpp"

namespace test {

using namespace engine;

/// A trial that takes the seconds a function of the run's number gives, on a clock of its own.
struct Timed {
  explicit Timed(std::function<double(int)> seconds_of_run) {
    script.clock = &clock;
    script.seconds = [this, seconds_of_run](const kernels::Case&) {
      return seconds_of_run(runs++);
    };
  }
  /// Visited until it is done.
  Measurement measured(const Policy& policy, std::stop_token stop = {}) {
    fake::Trial trial(script, kernels::Case{.elements = 4096});
    Sampler sampler(policy, clock.now());
    const Timing timing = clock.timing();
    sampler.visit(trial, {}, quick_visit, stop, timing);
    while (!sampler.enough()) sampler.visit(trial, {}, usual_visit, stop, timing);
    return sampler.result();
  }
  double elapsed() const { return clock.now() - 1000; }

  fake::Clock clock;
  fake::Script script;
  int runs = 0;
};

}  // namespace test
