#include "tests/engine/coverage.hpp"

#include "engine/verdict/knee.hpp"
#include "engine/verdict/quotient.hpp"
#include "kernels/cuda/runtime/pace.hpp"

namespace coverage {
namespace {

constexpr kernels::Pace of_gpu = kernels::cuda::pace_of_gpu;

/// How often the interval of what a sweep says holds the truth.
template <class Says>
Counted count_sweeps(const Setting& setting, int cases, double truth, Says says) {
  Counted counted;
  for (int i = 0; i < cases; ++i) {
    Machine machine(setting, 5000 + static_cast<std::uint64_t>(i));
    const std::vector<engine::Point> points = machine.sweep({});
    const std::optional<engine::Interval> value = says(points);
    ++counted.cases;
    if (!value || !value->low || !value->high) {
      ++counted.without_interval;
      continue;
    }
    if (*value->low <= truth && truth <= *value->high) ++counted.held;
    counted.width += (*value->high - *value->low) / value->median / cases;
  }
  return counted;
}

}  // namespace

const std::vector<Setting>& settings() {
  static const std::vector<Setting> all{
      {.name = "independent, 1 us", .run = 1e-6},
      {.name = "independent, 1 ms"},
      {.name = "independent, 30 ms", .run = 0.03},
      {.name = "independent, 2 %", .spread = 0.02},
      {.name = "neighbours alike, 0.4", .alike = 0.4},
      {.name = "neighbours alike, 0.6", .alike = 0.6},
      {.name = "bimodal", .noise = Noise::bimodal},
      {.name = "bimodal, alike, 0.4", .noise = Noise::bimodal, .alike = 0.4},
      {.name = "heavy tails", .noise = Noise::heavy},
      {.name = "heavy tails, 0.2 s", .run = 0.2, .noise = Noise::heavy},
      {.name = "drift of 1 % in 0.1 s", .drift = 0.01, .drift_time = 0.1},
      {.name = "drift of 3 % in 1 s", .drift = 0.03},
      {.name = "drift of 3 %, 30 ms", .run = 0.03, .drift = 0.03},
      {.name = "drift of 10 % in 1 s", .drift = 0.1},
      {.name = "drift of 10 %, 30 ms", .run = 0.03, .drift = 0.1},
      {.name = "drift of 20 % in 10 s", .drift = 0.2, .drift_time = 10},
      {.name = "drift of 20 %, 30 ms", .run = 0.03, .drift = 0.2, .drift_time = 10},
      {.name = "drift of 20 %, 0.2 s", .run = 0.2, .drift = 0.2, .drift_time = 10},
      {.name = "quiet GPU", .run = 2e-4, .spread = 0.001, .pace = of_gpu},
      {.name = "quiet GPU, steps of 5 %",
       .run = 2e-4,
       .spread = 0.001,
       .pace = of_gpu,
       .step = 0.05},
      {.name = "the same, its share",
       .run = 2e-4,
       .spread = 0.001,
       .pace = of_gpu,
       .step = 0.05,
       .shares = true},
      {.name = "GPU, 3 %, alike, 0.4", .spread = 0.03, .alike = 0.4, .pace = of_gpu},
      {.name = "GPU at its power limit", .spread = 0.003, .pace = of_gpu, .power_limit = 0.25},
  };
  return all;
}

Counted count(const Setting& setting, int cases) {
  Counted counted;
  for (int i = 0; i < cases; ++i) {
    Machine machine(setting, 1000 + static_cast<std::uint64_t>(i));
    const bool shares = setting.shares;
    const engine::Measurement m = machine.measured({});
    ++counted.cases;
    counted.samples += static_cast<double>(m.seconds.samples.size()) / cases;
    const bool known = shares ? m.share && m.share->of.low : m.seconds.has_interval();
    if (!known) {
      ++counted.without_interval;
      continue;
    }
    const double low = shares ? m.share->of.low.value_or(0) : m.seconds.low;
    const double high = shares ? m.share->of.high.value_or(0) : m.seconds.high;
    const double truth = shares ? Machine::share : setting.run;
    if (low <= truth && truth <= high) ++counted.held;
  }
  return counted;
}

Counted count_knees(const Setting& setting, int cases) {
  return count_sweeps(setting, cases, Machine::knee, [](const auto& points) {
    std::vector<const engine::Point*> series;
    for (const engine::Point& point : points) series.push_back(&point);
    return engine::knee_of(series);
  });
}

Counted count_quotients(const Setting& setting, int cases) {
  kernels::Case longer;
  longer.repeat = 64;  // as of points[3]
  return count_sweeps(setting, cases, Machine::slope(longer), [](const auto& points) {
    return std::optional(engine::times_as_long(points[3], points.front()));
  });
}

}  // namespace coverage
