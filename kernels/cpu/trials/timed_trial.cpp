#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/cpu/trials/trials.hpp"
#include "kernels/families/family.hpp"
#include "kernels/scoped.hpp"

namespace kernels::cpu {
namespace {

using Clock = std::chrono::steady_clock;

/// A batch lasts about so long (docs/measuring.md, "Passes").
constexpr double aimed_region = 150e-6;
constexpr double most_growth = 100;
/// Where a run can be divided, a timed region is a part of it, of this length or up to half longer
/// (docs/measuring.md, "Passes").
constexpr double aimed_part = 7.5e-3;
/// Of each thread in a part: threads can differ by one granule, and a queue has enough to give.
constexpr std::uint64_t least_granules = 256;

}  // namespace

void TimedTrial::settle(std::stop_token stop) {
  const Pool::PinnedCaller pinned(machine_.pool());
  before_ = machine_.wait_for_cores(stop);
}

/// Seconds of a batch of runs, or of the present part of one.
double TimedTrial::timed_region(const std::stop_token& stop) {
  struct After {
    TimedTrial& trial;
    ~After() { trial.after_timing(); }
  };
  const After after{*this};
  const auto start = Clock::now();
  for (std::uint64_t i = 0; i < batch_ && !stop.stop_requested(); ++i) run_once(stop);
  const std::chrono::duration<double> took = Clock::now() - start;
  if (stop.stop_requested()) throw Cancelled();
  return took.count();
}

/// How many parts a run is timed in, from brief ones. The briefest of three counts: others disturb
/// hardly all.
std::uint64_t TimedTrial::parts_of(const Split& split, const std::stop_token& stop) {
  const auto threads = static_cast<std::uint64_t>(split.threads);
  const std::uint64_t most = split.items / split.granule / threads / least_granules;
  if (most <= 1) return 1;
  double whole = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 3; ++i) {
    part_ = machine_.next_part(case_.family, most);
    whole = std::min(whole, timed_region(stop) / split.fraction(part_));
  }
  const auto parts = static_cast<std::uint64_t>(whole / aimed_part);
  return std::clamp<std::uint64_t>(parts, 1, most);
}

bool TimedTrial::cold() const {
  return footprint_of(case_) > 0 && machine_.in_dram(footprint_of(case_));
}

Sample TimedTrial::run(std::stop_token stop) {
  const Pool::PinnedCaller pinned(machine_.pool());
  const Contention before = before_ ? *std::exchange(before_, {}) : machine_.contention();
  before_timing(stop);
  if (stop.stop_requested()) throw Cancelled();
  const ScopedValue whole(part_, Part{});
  const std::optional<Split> split = in_parts();
  if (parts_ == 0) parts_ = split ? parts_of(*split, stop) : 1;
  for (;;) {
    part_ = parts_ > 1 ? machine_.next_part(case_.family, parts_) : Part{};
    const double took = timed_region(stop);
    if (took >= least_region()) {
      const double runs = parts_ > 1 ? split->fraction(part_) : static_cast<double>(batch_);
      return {.seconds = took / runs,
              .contended = std::max(before, machine_.contention()) == Contention::heavy,
              .launched = Launched::threads,
              .note = note_,
              .values = values_,
              .spans = spans_};
    }
    if (parts_ > 1) {
      parts_ /= 2;
      continue;
    }
    const double growth = std::min(most_growth, aimed_region / std::max(took, 1e-9));
    batch_ = static_cast<std::uint64_t>(std::ceil(static_cast<double>(batch_) * growth));
  }
}

void TimedTrial::run_untimed(const std::stop_token& stop) {
  {
    const Pool::PinnedCaller pinned(machine_.pool());
    const ScopedValue untimed(untimed_, true);
    run_once(stop);
  }
  if (stop.stop_requested()) throw Cancelled();
}

Check TimedTrial::verify(std::stop_token stop) { return case_.family->check(*this, stop); }

void TimedTrial::take(Slot slot, std::uint64_t elements, const std::stop_token& stop) {
  inputs_.push_back({slot, elements, machine_.input(slot, case_, elements, stop)});
}

std::vector<std::uint64_t> TimedTrial::borders(std::uint64_t items) const {
  std::vector<std::uint64_t> first;
  for (int thread = 1; thread < sharing_; ++thread)
    first.push_back(share_of(items, granule_, thread, sharing_).first);
  return first;
}

void TimedTrial::fill(Contents what, const std::stop_token& stop) {
  Case c = case_;
  if (what == Contents::random) c.data = Data::random;
  for (Input& one : inputs_) one.seed = machine_.input(one.slot, c, one.elements, stop);
  holds_ = what;
}

double TimedTrial::input(std::size_t which, std::uint64_t index) const {
  if (holds_ == Contents::case_data && case_.data == Data::zeros) return 0;
  return random_element(case_.dtype, inputs_[which].seed, index);
}

Covered TimedTrial::run_poisoned(const Case& now, const Operands& operands,
                                 const std::stop_token& stop) {
  const ScopedValue runs(now_, now);
  const ScopedValue with(operands_, operands);
  const Dtype dtype = result_dtype();
  for (const Result& one : written())
    fill_bytes(machine_, one.data, one.elements, size_of(dtype), poison_of(dtype), stop);
  run_untimed(stop);
  last_ = result();
  return {.doubtful = poisoned_elements(machine_, dtype, last_.data, last_.elements, stop)};
}

SteppedTrial::SteppedTrial(Machine& machine, const Case& c, std::string note)
    : TimedTrial(machine, c, std::move(note)), streaming_(machine.beyond_caches(footprint_of(c))) {
  granule_ = element_granule;
}

void SteppedTrial::take_tensors(const std::stop_token& stop) {
  take(Slot::first, case_.elements, stop);
  machine_.output(Slot::second, bytes(), case_);
  if (launches() > 1) machine_.output(Slot::third, bytes(), case_);
}

void SteppedTrial::run_once(const std::stop_token& stop) {
  for (std::uint64_t step = 0; step < launches() && !stop.stop_requested(); ++step)
    launch(step, step == 0 ? data(Slot::first, bytes()) : target(step - 1), target(step), stop);
}

std::optional<Split> SteppedTrial::in_parts() const {
  return launches() == 1 ? std::optional(split()) : std::nullopt;
}

std::vector<TimedTrial::Result> SteppedTrial::written() const {
  if (launches() == 1) return {result()};
  return {{target(0), now_.elements}, {target(1), now_.elements}};
}

std::vector<double> TimedTrial::read(const Window& window) const {
  std::vector<double> values(window.count);
  for (std::uint64_t i = 0; i < window.count; ++i)
    values[i] =
        decode(result_dtype(), bits_at(last_.data, window.first + i, size_of(result_dtype())));
  return values;
}

}  // namespace kernels::cpu
