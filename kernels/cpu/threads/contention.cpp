#include "kernels/cpu/threads/contention.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace kernels::cpu {
namespace {

// Between a core alone, which scatters by 1 %, and a contended one, at 0.5 to 0.8.
constexpr double least_of_alone = 0.85;
// The pace of a core alone is tracked as a quantile, because one look in a thousand is a tenth too
// high (something delayed the additions in the queue): each look above raises it by one step, each
// look below lowers it by a fiftieth of a step.
constexpr double step = 0.002;
constexpr double first_steps = 0.2;  // over the number of looks: an early idea settles quickly
constexpr double below_per_above = 50;

// Contention on a shared host comes and goes: half of it ends within 0.1 s. The wait is busy,
// because a host gives the cores of sleeping guests to others.
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

ContentionProbe::ContentionProbe(int threads, std::function<OpsPerClock()> ops_per_clock)
    : ops_per_clock_(std::move(ops_per_clock)), cores_(static_cast<std::size_t>(threads)) {}

Contention ContentionProbe::look_once(Pool& pool) {
  auto look = [&](int thread) {
    Core& core = cores_[static_cast<std::size_t>(thread)];
    const OpsPerClock now = ops_per_clock_();
    const bool adds = core.adds.alone_at(now.adds);
    const bool products = core.products.alone_at(now.products);
    core.contention = !products ? Contention::heavy : !adds ? Contention::light : Contention::none;
  };
  pool.launch(look);
  return std::ranges::max(cores_, {}, &Core::contention).contention;
}

Contention ContentionProbe::look(Pool& pool) {
  const Contention contention = look_once(pool);
  return contention == Contention::heavy ? std::min(contention, look_once(pool)) : contention;
}

Contention ContentionProbe::wait(Pool& pool, const std::stop_token& stop) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  for (;;) {
    const Contention contention = look(pool);
    if (contention == Contention::none) hope_ = 1;
    const double longest = contention == Contention::heavy ? longest_for_heavy : longest_for_light;
    const std::chrono::duration<double> waited = Clock::now() - begin;
    const bool in_vain = waited.count() >= hope_ * longest;
    if (contention != Contention::none && !in_vain && !stop.stop_requested()) continue;
    if (contention == Contention::heavy && in_vain) hope_ = std::max(hope_ / 2, least_hope);
    return contention;
  }
}

}  // namespace kernels::cpu
