#include "kernels/cpu/neighbours.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace kernels::cpu {
namespace {

// Between a core alone, which scatters by 1 %, and one with company, at 0.5 to 0.8.
constexpr double least_of_alone = 0.85;
// The pace of a core alone is followed as a quantile, because one look in a thousand is too high by
// a tenth (something held up the additions that wait): up by a step for each look above it, down by
// a fiftieth of one for each below.
constexpr double step = 0.002;
constexpr double first_steps = 0.2;  // over the number of looks: an early idea settles quickly
constexpr double below_per_above = 50;

// Neighbours on a shared host come and go: half of their visits are over within 0.1 s. It is waited
// for at work, because a host gives the cores of guests that sleep to others.
constexpr double longest_for_heavy = 0.1;   // s
constexpr double longest_for_light = 0.01;  // s
constexpr double least_hope = 0.01;

}  // namespace

bool CorePace::alone_at(double ops_per_clock) {
  ++looks_;
  if (looks_ == 1) alone_ = ops_per_clock / 2;  // should it be the one that is too high
  const double by = alone_ * std::max(step, first_steps / looks_);
  const bool alone = ops_per_clock >= least_of_alone * alone_;
  if (ops_per_clock > alone_) {
    alone_ = std::min(alone_ + by, ops_per_clock);
  } else if (alone) {
    alone_ -= by / below_per_above;
  }
  return alone;
}

Neighbours::Neighbours(int threads, std::function<OpsPerClock()> ops_per_clock)
    : ops_per_clock_(std::move(ops_per_clock)), cores_(static_cast<std::size_t>(threads)) {}

Company Neighbours::look_once(Pool& pool) {
  auto look = [&](int thread) {
    Core& core = cores_[static_cast<std::size_t>(thread)];
    const OpsPerClock now = ops_per_clock_();
    const bool adds = core.adds.alone_at(now.adds);
    const bool products = core.products.alone_at(now.products);
    core.company = !products ? Company::heavy : !adds ? Company::light : Company::none;
  };
  pool.launch(look);
  return std::ranges::max(cores_, {}, &Core::company).company;
}

Company Neighbours::look(Pool& pool) {
  const Company company = look_once(pool);
  return company == Company::heavy ? std::min(company, look_once(pool)) : company;
}

Company Neighbours::wait(Pool& pool, const std::stop_token& stop) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  for (;;) {
    const Company company = look(pool);
    if (company == Company::none) hope_ = 1;
    const double longest = company == Company::heavy ? longest_for_heavy : longest_for_light;
    const std::chrono::duration<double> waited = Clock::now() - begin;
    const bool in_vain = waited.count() >= hope_ * longest;
    if (company != Company::none && !in_vain && !stop.stop_requested()) continue;
    if (company == Company::heavy && in_vain) hope_ = std::max(hope_ / 2, least_hope);
    return company;
  }
}

}  // namespace kernels::cpu
