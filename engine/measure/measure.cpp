#include "engine/measure/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <map>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "engine/measure/statistics.hpp"

namespace engine {
namespace {

// Of the time limit, beside it: how long samples of cores alone are waited for.
constexpr double longest_wait = 0.5;
// After this share of it without one such sample there will be none.
constexpr double patience_with_others = 0.4;
// nvbench discards below 75 % of the default clock (docs/measuring.md); under load it is the
// settled one.
constexpr double least_clock = 0.75;
constexpr double first_rest = 0.01;  // s, of a device that held its clock back
constexpr double longest_rest = 0.2;
// The next look at the interval comes after so many times more samples.
constexpr double look_factor = 1.4;
// Fewer say nothing of how the machine drifts between them, and verdicts compare points visit by
// visit.
constexpr std::size_t least_visits = 6;

double median_of_known(const std::vector<double>& clocks) {
  std::vector<double> known;
  std::ranges::copy_if(clocks, std::back_inserter(known), [](double clock) { return clock > 0; });
  return known.empty() ? 0 : median_of(known);
}

Interval interval_of(const std::vector<double>& values) {
  Interval interval{median_of(values)};
  if (const auto ends = median_interval(values)) {
    interval.low = ends->low;
    interval.high = ends->high;
  }
  return interval;
}

/// Samples of one visit know nothing of the next: the interval is never narrower than that of the
/// medians of the visits.
Ends time_interval(const std::vector<double>& samples, const std::vector<double>& visits) {
  const Ends all = median_interval(samples).value_or(range_of(samples));
  const Ends between = median_interval(visits).value_or(range_of(visits));
  return {std::min(all.low, between.low), std::max(all.high, between.high)};
}

Seconds summary_of(std::vector<double> samples, const std::vector<double>& visits) {
  const Ends ends = time_interval(samples, visits);
  Seconds seconds{median_of(samples), ends.low, ends.high, {}, outliers_of(samples)};
  seconds.samples = std::move(samples);
  return seconds;
}

kernels::Sample timed_run(kernels::Trial& trial, const std::stop_token& stop) {
  if (stop.stop_requested()) throw kernels::Cancelled();
  kernels::Sample run = trial.run(stop);
  if (!(run.seconds > 0) || !std::isfinite(run.seconds)) {
    throw std::runtime_error(fmt::format(
        "the device's clock returned {} s for one run; it cannot be used to measure", run.seconds));
  }
  return run;
}

struct Seen {
  double seconds = 0;      ///< of a roof's trial per byte or FLOP, mean of its runs
  bool contended = false;  ///< in any of them
};

/// A look at a roof, as long as the run beside it, up to what the device's pace allows. What others
/// take in short bursts slows a long run by their share of the time, and the mean of many short
/// ones, but not their median.
Seen look(const Control& control, double seconds, const std::stop_token& stop,
          const Timing& timing) {
  const double begin = timing.now();
  Seen seen;
  int runs = 0;
  double sum = 0;
  do {
    const kernels::Sample run = timed_run(control.trial, stop);
    sum += run.seconds;
    ++runs;
    seen.contended = seen.contended || run.contended;
  } while (timing.now() < begin + seconds);
  seen.seconds = sum / runs / control.amount;
  timing.spent_on("look beside runs", timing.now() - begin);
  return seen;
}

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

Gathering::Gathering(const Policy& policy, double begin)
    : policy_(policy), begin_(begin), visit_(policy.pace.visit) {}

bool Gathering::waits() const { return waited_ < longest_wait * policy_.max_time; }

void Gathering::settle(kernels::Trial& trial, const std::stop_token& stop, const Timing& timing) {
  if (!waits()) return;
  const double before = timing.now();
  trial.settle(stop);
  const double waited = timing.now() - before;
  waited_ += waited;
  timing.waited(waited);
}

Gathering::Sample Gathering::run(kernels::Trial& trial, const std::stop_token& stop,
                                 const Timing& timing) {
  settle(trial, stop, timing);
  const double before = timing.now();
  Sample sample;
  last_ = timed_run(trial, stop);
  last_run_ = timing.now() - before;
  spent_ += last_run_;
  sample.seconds = last_.seconds;
  const double clock = last_.clock_hz.value_or(0);
  sample.clock_hz = std::isfinite(clock) ? std::max(clock, 0.0) : 0;
  sample.contended = last_.contended;
  sample.visit = visits_.size() - 1;
  return sample;
}

void Gathering::keep(Sample sample, const std::stop_token& stop, const Timing& timing) {
  if (settled_ == 0) settle_at(sample.clock_hz);  // the device was warm
  // At a power limit a low clock is the usual one.
  const bool held_back = sample.clock_hz > 0 && sample.clock_hz < least_clock * settled_;
  if (held_back && policy_.pace.sustained <= 0) {
    held_back_.push_back(sample);
    const double before = timing.now();
    timing.rest(std::clamp(policy_.max_time - spent_, 0.0, std::max(rest_, first_rest)), stop);
    timing.waited(timing.now() - before);
    spent_ += timing.now() - before;
    rest_ = std::min(2 * std::max(rest_, first_rest), longest_rest);
    return;
  }
  rest_ = first_rest;
  (sample.contended ? contended_ : kept_).push_back(sample);
}

std::optional<Gathering::Sample> Gathering::warm_up(kernels::Trial& trial,
                                                    const std::stop_token& stop,
                                                    const Timing& timing) {
  timing.enter("warm up");
  std::vector<double> clocks;
  double load = 0;
  Sample last;
  do {
    last = run(trial, stop, timing);
    clocks.push_back(last.clock_hz);
    load += last_run_;
    // Runs as long as a warm-up warm up by themselves; the first one says so for all.
    if (!warms_itself_) warms_itself_ = load >= policy_.warm_up;
  } while (load < policy_.warm_up && another_fits());
  settle_at(median_of_known(clocks));
  if (*warms_itself_ || !another_fits()) return last;
  return std::nullopt;
}

void Gathering::settle_at(double clock) {
  settled_ = policy_.stated_clock > 0 ? std::min(clock, policy_.stated_clock) : clock;
  highest_settled_ = std::max(highest_settled_, settled_);
}

void Gathering::visit(kernels::Trial& trial, std::span<const Control> controls,
                      const VisitPlan& plan, const std::stop_token& stop, const Timing& timing) {
  visits_.push_back({.at = timing.now() - begin_});
  const std::size_t before = taken();
  std::optional<Sample> first;
  if (plan.warm) settled_ = 0;  // the clock of its first run
  if (!plan.warm && !warms_itself_.value_or(false)) first = warm_up(trial, stop, timing);
  timing.enter("measure");
  const double start = timing.now();
  std::vector<Seen> last_looks;  // one at each roof
  const auto look_again = [&] {
    std::vector<Seen> seen;
    for (const Control& control : controls) {
      seen.push_back(look(control, std::min(last_run_, policy_.pace.look), stop, timing));
      visits_.back().looks.push_back({control.roof, 1 / seen.back().seconds});
    }
    return seen;
  };
  /// Of a run between two looks, or before one.
  const auto compare = [&](Sample& sample, const std::vector<Seen>& before_run,
                           const std::vector<Seen>& after_run) {
    for (std::size_t i = 0; i < controls.size(); ++i) {
      const double at_roof =
          controls[i].of_case * (before_run[i].seconds + after_run[i].seconds) / 2;
      if (at_roof / sample.seconds > sample.share) {
        sample.share = at_roof / sample.seconds;
        sample.bound = i;
      }
      sample.contended = sample.contended || before_run[i].contended || after_run[i].contended;
    }
  };
  const auto goes_on = [&] {
    const auto runs = static_cast<int>(taken() - before);
    if (runs > 0 && !another_fits()) return false;
    const double longest = std::min(plan.seconds, visit_);
    return runs < plan.runs || (runs < plan.most_runs && timing.now() - start < longest);
  };
  if (!controls.empty() && (first || goes_on())) {
    roofs_.clear();
    for (const Control& control : controls) roofs_.push_back(control.roof);
    for (const Control& control : controls) {
      look(control, 0, stop, timing);  // the first one finds the caches full of something else
    }
    last_looks = look_again();
  }
  if (first) {
    compare(*first, last_looks, last_looks);
    keep(*first, stop, timing);
  }
  while (goes_on()) {
    Sample sample = run(trial, stop, timing);
    std::vector<Seen> next_looks = look_again();
    compare(sample, last_looks, next_looks);
    last_looks = std::move(next_looks);
    keep(sample, stop, timing);
  }
}

void Gathering::set_aside(std::string why) { visits_.back().set_aside = std::move(why); }

std::vector<Gathering::Sample> Gathering::sound() const {
  std::vector<Sample> sound;
  std::ranges::copy_if(kept_, std::back_inserter(sound), [&](const Sample& sample) {
    return visits_[sample.visit].set_aside.empty();
  });
  return sound;
}

std::vector<Gathering::Sample> Gathering::counting() const {
  std::vector<Sample> counting = sound();
  // A few from visits too brief to show what others took are worth no more than the rest.
  if (counting.size() >= least_for_interval || counting.size() == kept_.size()) {
    if (!counting.empty()) return counting;
  }
  if (!kept_.empty()) return kept_;
  return contended_.empty() ? held_back_ : contended_;
}

bool Gathering::is_narrow(const std::vector<Sample>& samples, double& ratio) const {
  std::vector<double> values;
  std::map<std::size_t, std::vector<double>> by_visit;
  for (const Sample& sample : samples) {
    const double value = roofs_.empty() ? sample.seconds : sample.share;
    if (value <= 0) continue;
    values.push_back(value);
    by_visit[sample.visit].push_back(value);
  }
  if (values.size() < least_for_interval) return false;
  std::vector<double> visits;
  for (const auto& [visit, here] : by_visit) visits.push_back(median_of(here));
  const Ends interval = roofs_.empty() ? time_interval(values, visits) : *median_interval(values);
  ratio = (interval.high - interval.low) / (policy_.noise * median_of(values));
  return ratio < 1 && visits.size() >= least_visits;
}

bool Gathering::judge() {
  const std::vector<Sample> samples = sound();
  if (samples.size() >= next_look_) {
    next_look_ =
        static_cast<std::size_t>(std::round(look_factor * static_cast<double>(samples.size())));
    if (is_narrow(samples, missed_by_)) {
      ended_ = true;
      stop_ = Stop::noise_goal;
      return true;
    }
    if (missed_by_ > 1) visit_ = std::min(2 * visit_, usual_visit.seconds);
  }
  const bool in_vain = !waits() || spent_ > patience_with_others * policy_.max_time;
  if (kept_.empty() && !contended_.empty() && in_vain) end(Limit::others);
  if (taken() >= static_cast<std::size_t>(std::max(policy_.max_samples, 1))) end(Limit::samples);
  if (!another_fits()) end(Limit::time);
  return ended_;
}

void Gathering::end(Limit limit) {
  if (ended_) return;
  ended_ = true;
  stop_ = Stop::time_limit;
  limit_ = limit;
}

double Gathering::seconds_left(double run) const {
  if (ended_) return 0;
  constexpr double usual_samples = 10;  // at the first look at the interval
  const double one = last_run_ > 0 ? last_run_ : run;
  const double most = std::max(0.0, policy_.max_time - spent_);
  const double looked = missed_by_ > 1 ? spent_ * (missed_by_ * missed_by_ - 1) : 0;
  constexpr double around_a_visit = 0.01;  // s: preparing, looking at the conditions
  const double warm_up = policy_.pace.stays_warm > 0 ? 0 : policy_.warm_up;
  const double each = warm_up + visit_ + around_a_visit;
  const double usual = std::max(usual_samples * one, least_visits * each) - spent_;
  // As long again for the looks at each of its roofs.
  const auto looks = static_cast<double>(std::max<std::size_t>(roofs_.size(), 1));
  return (1 + looks) * std::clamp(std::max(looked, usual), 0.0, most);
}

Measurement Gathering::result() const {
  const std::vector<Sample> used = counting();
  Measurement result;
  result.last = last_;
  result.stop = stop_;
  result.limit = ended_ ? limit_ : Limit::stopped;
  result.settled_clock = settled_;
  result.contended_throughout = kept_.empty() && !contended_.empty();
  result.throttled = kept_.empty() && contended_.empty();
  result.slowed_down = settled_ < least_clock * highest_settled_;
  result.discarded = result.throttled ? 0 : held_back_.size();
  result.contended = result.contended_throughout ? 0 : contended_.size();
  result.disturbed = std::ranges::any_of(
      used, [&](const Sample& sample) { return !visits_[sample.visit].set_aside.empty(); });
  std::vector<double> seconds, shares, clocks, medians;
  result.visits = visits_;
  for (std::size_t i = 0, next = 0; i < visits_.size(); ++i) {
    Visit& visit = result.visits[i];
    visit.first = seconds.size();
    std::vector<double> here;
    const std::size_t first = next;
    for (; next < used.size() && used[next].visit == i; ++next) {
      seconds.push_back(used[next].seconds);
      clocks.push_back(used[next].clock_hz);
      if (used[next].share > 0) here.push_back(used[next].share);
    }
    if (next > first) medians.push_back(median_of(std::span(seconds).subspan(visit.first)));
    if (!here.empty()) visit.share = median_of(here);
    shares.insert(shares.end(), here.begin(), here.end());
    if (visit.set_aside.empty() || result.disturbed) continue;
    for (const Sample& sample : kept_)
      if (sample.visit == i) visit.samples.push_back(sample.seconds);
  }
  result.seconds = summary_of(std::move(seconds), medians);
  // Others hit a run and the looks beside it unlike.
  const bool alone = !result.disturbed && !result.contended_throughout;
  if (alone && !shares.empty()) {
    // Near the ridge named for the roof that bounded most samples.
    std::vector<std::size_t> bounded(roofs_.size());
    for (const Sample& sample : used)
      if (sample.share > 0) ++bounded[sample.bound];
    const auto most = std::ranges::max_element(bounded) - bounded.begin();
    result.share = Share{roofs_[static_cast<std::size_t>(most)], interval_of(shares)};
  }
  // What shares a core slows the loop that reads its clock, too.
  const double clock = median_of_known(clocks);
  if (clock > 0 && !result.contended_throughout) result.clock_hz = clock;
  return result;
}

Measurement measure(kernels::Trial& trial, const Policy& policy, const VisitPlan& plan,
                    const std::stop_token& stop, const Timing& timing) {
  Gathering gathering(policy, timing.now());
  gathering.visit(trial, {}, plan, stop, timing);
  gathering.end(Limit::time);
  return gathering.result();
}

}  // namespace engine
