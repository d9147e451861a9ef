#include "engine/measure/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <stdexcept>

#include "engine/measure/statistics.hpp"

namespace engine {
namespace {

struct Sample {
  double seconds = 0;
  double clock_hz = 0;     // 0: the device cannot tell
  bool contended = false;  // others ran on the same cores
};

// Of the time limit, beside it: how long samples of cores alone are waited for.
constexpr double longest_wait = 0.5;
// After this share of it without one such sample there will be none.
constexpr double patience_with_others = 0.4;

/// One trial under one policy: runs it, and keeps account of the time that this takes.
class Stopwatch {
 public:
  Stopwatch(kernels::Trial& trial, const Policy& policy, std::stop_token stop, const Timing& timing)
      : trial_(trial),
        policy_(policy),
        stop_(std::move(stop)),
        timing_(timing),
        begin_(timing.now()) {}

  Sample run() {
    if (stop_.stop_requested()) throw kernels::Cancelled();
    settle();
    const double before = timing_.now();
    const double seconds = trial_.run(stop_);
    last_run_ = timing_.now() - before;
    if (!(seconds > 0) || !std::isfinite(seconds)) {
      throw std::runtime_error(fmt::format(
          "the device's clock returned {} s for one run; it cannot be used to measure", seconds));
    }
    const double clock = trial_.clock_hz().value_or(0);
    return {seconds, std::isfinite(clock) ? std::max(clock, 0.0) : 0, trial_.contended()};
  }
  void rest(double seconds) const {
    const double before = timing_.now();
    timing_.rest(std::clamp(policy_.max_time - elapsed(), 0.0, seconds), stop_);
    timing_.waited(timing_.now() - before);
  }

  /// Without the time that was waited for others to leave the cores: it is no load.
  double elapsed() const { return timing_.now() - begin_ - waited_; }
  bool waits() const { return waited_ < longest_wait * policy_.max_time; }
  /// Wall time of the last run, with everything around the timed region.
  double last_run() const { return last_run_; }
  bool another_run_fits() const { return elapsed() + last_run_ <= policy_.max_time; }

 private:
  void settle() {
    if (!waits()) return;
    const double before = timing_.now();
    trial_.settle(stop_);
    const double waited = timing_.now() - before;
    waited_ += waited;
    timing_.waited(waited);
  }

  kernels::Trial& trial_;
  const Policy& policy_;
  std::stop_token stop_;
  const Timing& timing_;
  double begin_;
  double waited_ = 0;
  double last_run_ = 0;
};

double median_clock(const std::vector<Sample>& samples) {
  std::vector<double> clocks;
  for (const Sample& sample : samples) {
    if (sample.clock_hz > 0) clocks.push_back(sample.clock_hz);
  }
  return clocks.empty() ? 0 : median_of(clocks);
}

std::vector<double> seconds_of(const std::vector<Sample>& samples) {
  std::vector<double> seconds;
  for (const Sample& sample : samples) seconds.push_back(sample.seconds);
  return seconds;
}

bool quiet_enough(const std::vector<double>& samples, const Policy& policy) {
  const double median = median_of(samples);
  const bool few = samples.size() < least_for_interval;
  if (few && samples.size() >= 3 && median >= policy.long_run) {
    // As sums of very many steps, long runs scatter normally.
    return 2 * student_half_width(samples) < policy.noise * median;
  }
  if (samples.size() < static_cast<std::size_t>(policy.min_samples)) return false;
  const Ends interval = median_interval(samples);
  return interval.high - interval.low < policy.noise * median;
}

// Before this share of the time limit the spread is not known well enough to give up.
constexpr double patience = 0.1;

/// How many samples must be there before the goal can be called out of reach: of long runs the
/// fewest that have an interval.
std::size_t samples_to_judge(const Policy& policy, double run) {
  if (run >= policy.long_run) return least_for_interval;
  return 2 * static_cast<std::size_t>(policy.min_samples);
}

/// True for runs of which the fewest with an interval take a large part of the time limit: three of
/// them say by themselves whether more would reach the goal.
bool few_must_do(const Policy& policy, double run) {
  return run >= policy.long_run &&
         static_cast<double>(least_for_interval) * run > policy.max_time / 3;
}

/// True when three samples or more scatter so much that two standard errors of all that fit, the
/// least that half of their interval can be, miss the goal by half.
bool few_out_of_reach(const std::vector<double>& samples, const Policy& policy, double elapsed) {
  if (samples.size() < 3) return false;
  const double run = median_of(samples);
  const double fitting =
      static_cast<double>(samples.size()) + std::max(0.0, policy.max_time - elapsed) / run;
  const double half_width = 2 * deviation_of(samples) / std::sqrt(fitting);
  return 2 * half_width > 1.5 * policy.noise * run;
}

/// True when, at the present spread, the noise goal lies beyond the time limit: the width of the
/// interval falls with the square root of the number of samples, so more time would buy nothing.
bool out_of_reach(const std::vector<double>& samples, const Policy& policy, double elapsed) {
  if (samples.empty() || elapsed < patience * policy.max_time) return false;
  const double run = median_of(samples);
  if (few_must_do(policy, run)) return few_out_of_reach(samples, policy, elapsed);
  if (samples.size() < samples_to_judge(policy, run)) return false;
  const Ends interval = median_interval(samples);
  const double ratio = (interval.high - interval.low) / (policy.noise * run);
  return elapsed * ratio * ratio > policy.max_time;
}

Seconds summary_of(std::vector<double> samples) {
  const Ends interval = median_interval(samples);
  Seconds seconds{median_of(samples), interval.low, interval.high, {}, outliers_of(samples)};
  seconds.samples = std::move(samples);
  return seconds;
}

/// The samples of one measurement: those at the settled clock of cores that were ours alone, and
/// the others by the reason why they do not count.
class Collection {
 public:
  Collection(Stopwatch& watch, const Policy& policy) : watch_(watch), policy_(policy) {}

  /// Runs until the load has lasted for the warm-up. A long run counts all the same when no warm-up
  /// is needed, and where the smallest number of samples would pass the limit.
  void warm_up() {
    std::vector<Sample> warm;
    bool counts = false;
    do {
      warm.push_back(watch_.run());
      counts = watch_.last_run() * policy_.min_samples > policy_.max_time ||
               (policy_.warm_up <= 0 && watch_.last_run() >= policy_.long_run);
    } while (!counts && watch_.elapsed() < policy_.warm_up && watch_.another_run_fits());
    settled_ = median_clock(warm);
    if (policy_.stated_clock > 0) settled_ = std::min(settled_, policy_.stated_clock);
    if (counts) (warm.back().contended ? contended_ : kept_) = {warm.back()};
  }

  /// One more sample. Each that was held back gives the device a longer rest; for cores alone the
  /// trial has waited itself.
  void take() {
    const Sample sample = watch_.run();
    // nvbench discards below 75 % of the default clock (docs/measuring.md); under load it is the
    // settled one.
    if (sample.clock_hz > 0 && sample.clock_hz < 0.75 * settled_) {
      held_back_.push_back(sample);
      watch_.rest(rest_);
      rest_ = std::min(2 * rest_, longest_rest);
      return;
    }
    rest_ = first_rest;
    (sample.contended ? contended_ : kept_).push_back(sample);
  }

  bool empty() const { return taken() == 0; }
  std::size_t taken() const { return kept_.size() + held_back_.size() + contended_.size(); }
  std::vector<double> seconds() const { return seconds_of(kept_); }
  /// True when so far none was of cores alone, and some of cores that were not.
  bool all_contended() const { return kept_.empty() && !contended_.empty(); }

  Measurement ended(Stop stop, Limit limit = Limit::time) const {
    Measurement result;
    result.stop = stop;
    result.limit = limit;
    result.settled_clock = settled_;
    result.contended_throughout = all_contended();
    result.throttled = kept_.empty() && contended_.empty();
    const std::vector<Sample>& used = result.contended_throughout ? contended_
                                      : result.throttled          ? held_back_
                                                                  : kept_;
    result.discarded = result.throttled ? 0 : held_back_.size();
    result.contended = result.contended_throughout ? 0 : contended_.size();
    result.seconds = summary_of(seconds_of(used));
    if (const double clock = median_clock(used); clock > 0) result.clock_hz = clock;
    return result;
  }

 private:
  static constexpr double first_rest = 0.01;  // s
  static constexpr double longest_rest = 0.2;

  Stopwatch& watch_;
  const Policy& policy_;
  std::vector<Sample> kept_;
  std::vector<Sample> held_back_;
  std::vector<Sample> contended_;
  double settled_ = 0;
  double rest_ = first_rest;
};

}  // namespace

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void idle(double seconds, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  stopped.wait_for(lock, stop, std::chrono::duration<double>(seconds), [] { return false; });
}

Measurement measure(kernels::Trial& trial, const Policy& policy, std::stop_token stop,
                    const Timing& timing) {
  Stopwatch watch(trial, policy, std::move(stop), timing);
  Collection collection(watch, policy);
  timing.enter("warm up");
  collection.warm_up();
  timing.enter("measure");
  const auto most = static_cast<std::size_t>(std::max(policy.max_samples, 1));
  while (collection.empty() || watch.another_run_fits()) {
    collection.take();
    const std::vector<double> samples = collection.seconds();
    if (!samples.empty() && quiet_enough(samples, policy)) {
      return collection.ended(Stop::noise_goal);
    }
    if (out_of_reach(samples, policy, watch.elapsed())) {
      return collection.ended(Stop::time_limit, Limit::spread);
    }
    const bool in_vain = !watch.waits() || watch.elapsed() > patience_with_others * policy.max_time;
    if (collection.all_contended() && in_vain)
      return collection.ended(Stop::time_limit, Limit::others);
    if (collection.taken() >= most) return collection.ended(Stop::time_limit, Limit::samples);
  }
  return collection.ended(Stop::time_limit);
}

}  // namespace engine
