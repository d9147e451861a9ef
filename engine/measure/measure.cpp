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
constexpr double longest_with_others = 0.4;
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

constexpr double least_aside = 1e-4;  // s that a phase spent on something else; less is no span

double median_of_known(const std::vector<double>& clocks) {
  std::vector<double> known;
  std::ranges::copy_if(clocks, std::back_inserter(known), [](double clock) { return clock > 0; });
  return known.empty() ? 0 : median_of(known);
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

Phases::Phases(std::function<double()> now, double opening)
    : now_(std::move(now)),
      origin_(now_() - opening),
      begin_(origin_),
      phase_(opening > 0 ? "open devices" : "") {}

void Phases::end(double at) {
  const auto add = [&](const std::string& lane, double from, double to) {
    if (from < to) spans_.push_back({lane, "", from - origin_, to - origin_});
  };
  double other = at;
  for (const auto& [lane, seconds] : std::exchange(aside_, {})) {
    const double from = seconds > least_aside ? std::max(begin_, other - seconds) : other;
    if (!phase_.empty()) add(lane, from, other);
    other = from;
  }
  if (!phase_.empty()) add(phase_, begin_, other);
  std::ranges::sort(spans_, {}, &kernels::Span::begin);
  begin_ = at;
}

void Phases::enter(std::string_view phase) {
  end(now_());
  phase_ = phase;
}

std::vector<kernels::Span> Phases::take(std::string_view whom) {
  enter("");
  for (kernels::Span& span : spans_) span.name = whom;
  return std::exchange(spans_, {});
}

Sampler::Sampler(const Policy& policy, double begin)
    : policy_(policy), begin_(begin), visit_(policy.pace.visit) {}

bool Sampler::waits() const { return waited_ < longest_wait * policy_.max_time; }

void Sampler::wait_for_others(kernels::Trial& trial, const std::stop_token& stop,
                              const Timing& timing) {
  if (!waits()) return;
  const double before = timing.now();
  trial.settle(stop);
  const double waited = timing.now() - before;
  waited_ += waited;
  timing.spent_on("wait", waited);
}

Sampler::Sample Sampler::run(kernels::Trial& trial, const std::stop_token& stop,
                             const Timing& timing) {
  wait_for_others(trial, stop, timing);
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

std::optional<Sampler::Sample> Sampler::warm_up(kernels::Trial& trial, const std::stop_token& stop,
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

void Sampler::settle_at(double clock) {
  settled_ = policy_.stated_clock > 0 ? std::min(clock, policy_.stated_clock) : clock;
  highest_settled_ = std::max(highest_settled_, settled_);
}

/// Each is as long as the run beside it, up to what the device's pace allows. What others take in
/// short bursts slows a long run by their share of the time, and the mean of many short ones, but
/// not their median.
std::vector<Sampler::Look> Sampler::look(std::span<const Control> controls,
                                         const std::stop_token& stop, const Timing& timing) {
  std::vector<Look> looks;
  for (const Control& control : controls) {
    const double begin = timing.now();
    Look look;
    int runs = 0;
    do {
      const kernels::Sample run = timed_run(control.trial, stop);
      look.seconds += run.seconds;
      ++runs;
      look.contended = look.contended || run.contended;
    } while (timing.now() < begin + std::min(last_run_, policy_.pace.look));
    look.seconds = look.seconds / runs / control.amount;
    timing.spent_on("look beside runs", timing.now() - begin);
    visits_.back().looks.push_back({control.roof, 1 / look.seconds});
    looks.push_back(look);
  }
  return looks;
}

void Sampler::keep(Sample sample, const std::stop_token& stop, const Timing& timing) {
  if (settled_ == 0) settle_at(sample.clock_hz);  // the device was warm
  // At a power limit a low clock is the usual one.
  sample.held_back = sample.clock_hz > 0 && sample.clock_hz < least_clock * settled_ &&
                     policy_.pace.sustained <= 0;
  samples_.push_back(sample);
  rest_ = std::max(rest_, first_rest);
  if (!sample.held_back) {
    rest_ = first_rest;
    return;
  }
  const double before = timing.now();
  timing.rest(std::clamp(policy_.max_time - spent_, 0.0, rest_), stop);
  timing.spent_on("wait", timing.now() - before);
  spent_ += timing.now() - before;
  rest_ = std::min(2 * rest_, longest_rest);
}

void Sampler::visit(kernels::Trial& trial, std::span<const Control> controls, const VisitPlan& plan,
                    const std::stop_token& stop, const Timing& timing) {
  visits_.push_back({.at = timing.now() - begin_, .pass = plan.pass});
  const std::size_t before = samples_.size();
  std::optional<Sample> first;
  if (plan.warm) settled_ = 0;  // the clock of its first run
  if (!plan.warm && !warms_itself_.value_or(false)) first = warm_up(trial, stop, timing);
  timing.enter("measure");
  const double start = timing.now();
  const double longest = std::min(plan.seconds, visit_);
  std::vector<std::size_t> places;  // in roofs_, to which earlier visits refer
  for (const Control& control : controls) {
    const auto known = std::ranges::find(roofs_, control.roof);
    places.push_back(static_cast<std::size_t>(known - roofs_.begin()));
    if (known == roofs_.end()) roofs_.push_back(control.roof);
    const double begin = timing.now();
    timed_run(control.trial, stop);  // the first one finds the caches full of something else
    timing.spent_on("look beside runs", timing.now() - begin);
  }
  std::vector<Look> looks = look(controls, stop, timing);
  /// Of a run between two looks, or before one.
  const auto keep_beside = [&](Sample sample, const std::vector<Look>& next) {
    for (std::size_t i = 0; i < controls.size(); ++i) {
      const double at_roof = controls[i].of_case * (looks[i].seconds + next[i].seconds) / 2;
      if (at_roof / sample.seconds > sample.share) {
        sample.share = at_roof / sample.seconds;
        sample.bound = places[i];
      }
      sample.contended = sample.contended || looks[i].contended || next[i].contended;
    }
    keep(sample, stop, timing);
  };
  const auto goes_on = [&] {
    const auto runs = static_cast<int>(samples_.size() - before);
    if (runs > 0 && !another_fits()) return false;
    return runs < plan.runs || (runs < plan.most_runs && timing.now() - start < longest);
  };
  if (first) keep_beside(*first, looks);
  while (goes_on()) {
    const Sample sample = run(trial, stop, timing);
    std::vector<Look> next = look(controls, stop, timing);
    keep_beside(sample, next);
    looks = std::move(next);
  }
}

void Sampler::set_aside(std::string why) { visits_.back().set_aside = std::move(why); }

std::vector<Sampler::Sample> Sampler::kept(bool sound) const {
  std::vector<Sample> kept;
  std::ranges::copy_if(samples_, std::back_inserter(kept), [&](const Sample& sample) {
    return sample.kept() && (!sound || visits_[sample.visit].set_aside.empty());
  });
  return kept;
}

std::vector<Sampler::Sample> Sampler::counting() const {
  std::vector<Sample> counting = kept(true), all = kept(false);
  // A few from visits too brief to show what others took are worth no more than the rest.
  if (counting.size() < least_for_interval && counting.size() < all.size()) counting = all;
  if (!counting.empty()) return counting;
  const bool only_held_back = std::ranges::all_of(samples_, &Sample::held_back);
  std::ranges::copy_if(samples_, std::back_inserter(counting),
                       [&](const Sample& sample) { return sample.held_back == only_held_back; });
  return counting;
}

bool Sampler::is_narrow(const std::vector<Sample>& samples) {
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
  missed_by_ = (interval.high - interval.low) / (policy_.noise * median_of(values));
  return missed_by_ < 1 && visits.size() >= least_visits;
}

bool Sampler::enough() {
  const std::vector<Sample> sound = kept(true);
  if (sound.size() >= next_look_) {
    next_look_ =
        static_cast<std::size_t>(std::round(look_factor * static_cast<double>(sound.size())));
    if (is_narrow(sound)) {
      ended_ = true;
      stop_ = Stop::noise_goal;
      return true;
    }
    if (missed_by_ > 1) visit_ = std::min(2 * visit_, usual_visit.seconds);
  }
  const bool in_vain = !waits() || spent_ > longest_with_others * policy_.max_time;
  if (in_vain && kept(false).empty() && !std::ranges::all_of(samples_, &Sample::held_back))
    end(Limit::others);
  if (samples_.size() >= static_cast<std::size_t>(std::max(policy_.max_samples, 1)))
    end(Limit::samples);
  if (!another_fits()) end(Limit::time);
  return ended_;
}

void Sampler::end(Limit limit) {
  if (ended_) return;
  ended_ = true;
  stop_ = Stop::time_limit;
  limit_ = limit;
}

double Sampler::seconds_left(double run) const {
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

Measurement Sampler::result(Point facts) const {
  const std::vector<Sample> used = counting();
  Measurement result{std::move(facts)};
  result.last = last_;
  result.stop = stop_;
  result.limit = ended_ ? limit_ : Limit::stopped;
  result.settled_clock = settled_;
  result.throttled = used.front().held_back;
  result.contended_throughout = !result.throttled && used.front().contended;
  result.slowed_down = settled_ < least_clock * highest_settled_;
  result.discarded = result.contended = 0;
  for (const Sample& sample : samples_) {
    if (sample.held_back && !result.throttled) ++result.discarded;
    if (sample.contended && !sample.held_back && !result.contended_throughout) ++result.contended;
  }
  result.disturbed = std::ranges::any_of(
      used, [&](const Sample& sample) { return !visits_[sample.visit].set_aside.empty(); });
  std::vector<double> seconds, shares, clocks, medians;
  std::vector<std::size_t> bounded(roofs_.size());  // samples
  result.visits = visits_;
  for (auto next = used.begin(); Visit & visit : result.visits) {
    const auto number = static_cast<std::size_t>(&visit - result.visits.data());
    visit.first = seconds.size();
    std::vector<double> here;
    for (; next != used.end() && next->visit == number; ++next) {
      seconds.push_back(next->seconds);
      clocks.push_back(next->clock_hz);
      if (next->share <= 0) continue;
      here.push_back(next->share);
      ++bounded[next->bound];
    }
    if (seconds.size() > visit.first)
      medians.push_back(median_of(std::span(seconds).subspan(visit.first)));
    if (!here.empty()) visit.share = median_of(here);
    shares.insert(shares.end(), here.begin(), here.end());
    if (visit.set_aside.empty() || result.disturbed) continue;
    for (const Sample& sample : samples_)
      if (sample.kept() && sample.visit == number) visit.samples.push_back(sample.seconds);
  }
  result.seconds = summary_of(std::move(seconds), medians);
  // Others hit a run and the looks beside it unlike. Near the ridge the share is named for the roof
  // that bounded most samples.
  if (!result.disturbed && !result.contended_throughout && !shares.empty()) {
    const auto most = std::ranges::max_element(bounded) - bounded.begin();
    result.share = Share{roofs_[static_cast<std::size_t>(most)], interval_of(shares)};
  }
  // What shares a core slows the loop that reads its clock, too.
  const double clock = median_of_known(clocks);
  if (clock > 0 && !result.contended_throughout) result.clock_hz = clock;
  return result;
}

}  // namespace engine
