#include "kernels/cpu/neighbours.hpp"

#include <algorithm>
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

Company Neighbours::look(Pool& pool) {
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

}  // namespace kernels::cpu
