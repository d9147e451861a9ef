// How often the published intervals hold the truth, over many repetitions: the table of
// docs/lab-notes.md. Fixed seeds, so that every machine prints the same.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "engine/measure/statistics.hpp"
#include "tests/engine/coverage.hpp"

namespace {

using coverage::Counted;
using coverage::Machine;
using coverage::Setting;

// The rules that passes replaced, for comparison: roofs first, then one point after the other, with
// a look at the 95 % interval after every sample.
namespace one_by_one {

constexpr double noise = 0.01, max_time = 2, warm_up = 0.02;
constexpr double long_run = 0.03;  ///< s: of such runs three samples are enough
constexpr std::size_t least_samples = 7;
constexpr double roof_time = 0.05;        ///< s of each of three rounds; the best one counts
constexpr double from_roof_to_point = 2;  ///< s, in the middle of a sweep

/// 95 % ranks of the median, or the smallest and the largest where there are none.
engine::Ends interval_of(std::vector<double> samples) {
  std::ranges::sort(samples);
  const auto n = static_cast<double>(samples.size());
  double term = std::pow(0.5, n), tail = 0;
  std::size_t outside = 0;
  for (std::size_t j = 0; j < samples.size(); ++j) {
    tail += term;
    if (tail > 0.025) break;
    outside = j + 1;
    term *= (n - static_cast<double>(j)) / (static_cast<double>(j) + 1);
  }
  const std::size_t cut = std::max<std::size_t>(outside, 1);
  return {samples[cut - 1], samples[samples.size() - cut]};
}

double student_half_width(const std::vector<double>& samples) {
  constexpr double quantile[] = {0, 12.706, 4.303, 3.182, 2.776, 2.571};  // 97.5 %, by n - 1
  const auto n = static_cast<double>(samples.size());
  double mean = 0, squares = 0;
  for (const double sample : samples) mean += sample / n;
  for (const double sample : samples) squares += (sample - mean) * (sample - mean);
  return quantile[samples.size() - 1] * std::sqrt(squares / (n - 1) / n);
}

bool is_enough(const std::vector<double>& samples) {
  const double median = engine::median_of(samples);
  if (samples.size() < 6 && samples.size() >= 3 && median >= long_run)
    return 2 * student_half_width(samples) < noise * median;
  if (samples.size() < least_samples) return false;
  const engine::Ends ends = interval_of(samples);
  return ends.high - ends.low < noise * median;
}

std::vector<double> measured(Machine& machine) {
  fake::Trial trial = machine.case_trial();
  const double begin = machine.clock().now();
  while (machine.clock().now() - begin < warm_up) trial.run({});
  std::vector<double> samples;
  do {
    samples.push_back(trial.run({}).seconds);
  } while (!is_enough(samples) && samples.size() < 1000 &&
           machine.clock().now() - begin + samples.back() <= max_time);
  return samples;
}

double roof(Machine& machine) {
  fake::Trial trial = machine.roof_trial();
  double best = 0;
  for (int round = 0; round < 3; ++round) {
    std::vector<double> seconds;
    const double begin = machine.clock().now();
    do {
      seconds.push_back(trial.run({}).seconds);
    } while (machine.clock().now() - begin < roof_time);
    best = std::max(best, 1 / engine::median_of(seconds));
  }
  return best;
}

/// The share as in coverage::count(); its interval was that of the point alone.
Counted count(const Setting& setting, int cases) {
  Counted counted;
  for (int i = 0; i < cases; ++i) {
    Machine machine(setting, 1000 + static_cast<std::uint64_t>(i));
    const bool shares = setting.shares;
    const double rate = shares ? roof(machine) : 1;
    if (shares) machine.clock().pass(from_roof_to_point);
    const std::vector<double> samples = measured(machine);
    const engine::Ends ends = interval_of(samples);
    ++counted.cases;
    counted.samples += static_cast<double>(samples.size()) / cases;
    const double low = shares ? 1 / (ends.high * rate) : ends.low;
    const double high = shares ? 1 / (ends.low * rate) : ends.high;
    const double truth = shares ? Machine::share : setting.run;
    if (low <= truth && truth <= high) ++counted.held;
  }
  return counted;
}

}  // namespace one_by_one

void print_points(int cases) {
  fmt::print("{} repetitions each\n{:<28} {:>9} {:>10} {:>12} {:>16}\n", cases, "machine", "held",
             "samples", "no interval", "one by one");
  for (const Setting& setting : coverage::settings()) {
    const Counted counted = coverage::count(setting, cases);
    const Counted before = one_by_one::count(setting, cases);
    fmt::print("{:<28} {:>8.1f}% {:>10.0f} {:>12} {:>15.1f}%\n", setting.name,
               100 * counted.share(), counted.samples, counted.without_interval,
               100 * before.share());
  }
}

template <class Count>
void print_sweeps(const char* what, int sweeps, Count count) {
  fmt::print("\n{} of {} sweeps each\n{:<28} {:>9} {:>10} {:>12}\n", what, sweeps, "machine",
             "held", "width", "no interval");
  for (const Setting& setting : coverage::settings()) {
    const Counted counted = count(setting, sweeps);
    fmt::print("{:<28} {:>8.1f}% {:>9.1f}% {:>12}\n", setting.name, 100 * counted.share(),
               100 * counted.width, counted.without_interval);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int cases = argc > 1 ? std::atoi(argv[1]) : 3000;
  print_points(cases);
  const int sweeps = std::max(1, cases / 3);
  print_sweeps("knees", sweeps, coverage::count_knees);
  print_sweeps("quotients of two points", sweeps, coverage::count_quotients);
}
