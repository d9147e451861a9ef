#include "engine/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

#include "engine/statistics.hpp"

namespace engine {
namespace {

/// One trial under one policy: runs it, and keeps account of the time that this takes.
class Stopwatch {
 public:
  Stopwatch(kernels::Trial& trial, const Policy& policy, std::stop_token stop, const Clock& now)
      : trial_(trial), policy_(policy), stop_(std::move(stop)), now_(now), begin_(now()) {}

  double run() {
    if (stop_.stop_requested()) throw kernels::Cancelled();
    const double before = now_();
    const double seconds = trial_.run(stop_);
    last_run_ = now_() - before;
    if (!(seconds > 0) || !std::isfinite(seconds)) {
      throw std::runtime_error(fmt::format(
          "the clock of the device returned {} s for one run; nothing can be measured with it",
          seconds));
    }
    return seconds;
  }

  double elapsed() const { return now_() - begin_; }
  /// Wall time of the last run, with everything around the timed region.
  double last_run() const { return last_run_; }
  bool another_run_fits() const { return elapsed() + last_run_ <= policy_.max_time; }

 private:
  kernels::Trial& trial_;
  const Policy& policy_;
  std::stop_token stop_;
  const Clock& now_;
  double begin_;
  double last_run_ = 0;
};

/// Runs until the load has lasted for the warm-up. Returns the samples that count all the same: the
/// only one, when it took so long that the smallest number of samples would pass the limit.
std::vector<double> warm_up(Stopwatch& watch, const Policy& policy) {
  do {
    const double seconds = watch.run();
    if (watch.last_run() * policy.min_samples > policy.max_time) return {seconds};
  } while (watch.elapsed() < policy.warm_up && watch.another_run_fits());
  return {};
}

bool quiet_enough(const std::vector<double>& samples, const Policy& policy) {
  if (samples.size() < static_cast<std::size_t>(policy.min_samples)) return false;
  const Interval interval = median_interval(samples);
  return interval.high - interval.low < policy.noise * median_of(samples);
}

// Before this share of the time limit the spread is not known well enough to give up.
constexpr double patience = 0.25;

/// True when, at the present spread, the noise goal lies beyond the time limit: the width of the
/// interval falls with the square root of the number of samples, so more time would buy nothing.
bool out_of_reach(const std::vector<double>& samples, const Policy& policy, double elapsed) {
  if (samples.size() < 2 * static_cast<std::size_t>(policy.min_samples)) return false;
  if (elapsed < patience * policy.max_time) return false;
  const Interval interval = median_interval(samples);
  const double excess = (interval.high - interval.low) / (policy.noise * median_of(samples));
  return elapsed * excess * excess > policy.max_time;
}

Seconds summary_of(std::vector<double> samples) {
  const Interval interval = median_interval(samples);
  Seconds seconds{median_of(samples), interval.low, interval.high, {}, outliers_of(samples)};
  seconds.samples = std::move(samples);
  return seconds;
}

}  // namespace

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Measurement measure(kernels::Trial& trial, const Policy& policy, std::stop_token stop,
                    const Clock& now) {
  Stopwatch watch(trial, policy, std::move(stop), now);
  std::vector<double> samples = warm_up(watch, policy);
  const auto most = static_cast<std::size_t>(std::max(policy.max_samples, 1));
  while (samples.empty() || watch.another_run_fits()) {
    samples.push_back(watch.run());
    if (quiet_enough(samples, policy)) return {summary_of(std::move(samples)), Stop::noise_goal};
    if (out_of_reach(samples, policy, watch.elapsed())) {
      return {summary_of(std::move(samples)), Stop::time_limit, Limit::spread};
    }
    if (samples.size() >= most) {
      return {summary_of(std::move(samples)), Stop::time_limit, Limit::samples};
    }
  }
  return {summary_of(std::move(samples)), Stop::time_limit, Limit::time};
}

}  // namespace engine
