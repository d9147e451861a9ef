#include "engine/roofs/roof_rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/measure/statistics.hpp"
#include "kernels/families/family.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

/// A note without the value of an axis that it begins with: "AVX-512, huge pages" -> "huge pages".
std::string beyond_shape(const kernels::Shape& shape, const std::string& note) {
  for (const kernels::ShapeChoice& choice : shape) {
    if (note == choice.value) return {};
    if (note.starts_with(choice.value + ", ")) return note.substr(choice.value.size() + 2);
  }
  return note;
}

std::string citation(const RoofTask& task, const Roof& roof, const kernels::Work& work,
                     const Watched& typical, const std::string& note) {
  std::string how = fmt::format("{} {}", name_of(task.what.family), name_of(task.what.op()));
  if (roof.kind == RoofKind::bandwidth) how += fmt::format(", {} moved", units::bytes(work.bytes));
  if (task.what.family->role == kernels::Role::overhead)
    how = fmt::format("{} empty kernels in a row", task.what.repeat);
  else if (roof.kind == RoofKind::overhead && task.what.elements > 0)
    how += fmt::format(", {} elements", task.what.elements);
  if (!task.what.shape.empty()) how += fmt::format(", {}", text_of(task.what.shape));
  if (const std::string more = beyond_shape(task.what.shape, note); !more.empty())
    how += fmt::format(", {}", more);
  if (typical.disturbed && held_by_quota(typical.after))
    return how + "; a processor quota held back every round";
  if (typical.disturbed) return how + "; other work used the device in every round";
  if (typical.after.throttled.value_or(false)) return how + "; the clock was throttled";
  return how;
}

}  // namespace

Round round_of(Watched watched, double amount) {
  Round round{.rate = amount / watched.measurement.seconds.median};
  if (!(round.rate > 0 && round.rate < 1e24))
    throw kernels::Unsupported("the clock returned no usable time");
  round.watched = std::move(watched);
  return round;
}

void set_rounds(Roof& roof, std::vector<double> rates) {
  roof.rate = median_of(rates);
  const Ends ends = median_interval(rates).value_or(Ends{});
  roof.rate_low = ends.low;
  roof.rate_high = ends.high;
  roof.best = range_of(rates).high;
  roof.rounds = std::move(rates);
}

Roof roof_of(const RoofTask& task, const TrialFacts& trial, std::vector<Round>& rounds) {
  std::ranges::stable_partition(rounds, [](const Round& r) { return !r.watched.disturbed; });
  const bool any = !rounds.front().watched.disturbed;
  std::vector<double> rates;
  for (const Round& round : rounds) {
    if (round.watched.disturbed != any) rates.push_back(round.rate);
  }
  Roof roof = task.roof;
  roof.source = RoofSource::measured;
  roof.shape = task.what.shape;
  set_rounds(roof, std::move(rates));
  const auto distance = [&](const Round& round) { return std::abs(round.rate - roof.rate); };
  const auto counting = std::span(rounds).first(roof.rounds.size());
  std::swap(rounds.front(), *std::ranges::min_element(counting, {}, distance));
  const Watched& typical = rounds.front().watched;
  roof.conditions = typical.after;
  for (const Round& round : counting)
    roof.highest_clock = std::max(roof.highest_clock, round.watched.after.clock_hz.value_or(0));
  roof.disturbed = typical.disturbed;
  roof.cite = citation(task, roof, trial.work, typical, trial.note);
  roof.partly_cached = is_of_dram(roof) && !trial.cold;
  return roof;
}

}  // namespace engine
