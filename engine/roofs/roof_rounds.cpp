#include "engine/roofs/roof_rounds.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "engine/measure/statistics.hpp"
#include "engine/roofs/roof_facts.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

/// An undisturbed round before a disturbed one, then the faster.
bool better(const Round& a, const Round& b) {
  if (a.watched.disturbed != b.watched.disturbed) return !a.watched.disturbed;
  return a.rate > b.rate;
}

/// "best of 3 rounds (98.1 GB/s, 97.5 GB/s, 60.2 GB/s)": all are listed, to show how well they
/// agree.
std::string rounds_in_words(const Roof& roof, const std::vector<Round>& rounds) {
  if (roof.kind == RoofKind::overhead) return fmt::format("median of {} rounds", rounds.size());
  std::vector<std::string> rates;
  rates.reserve(rounds.size());
  for (const Round& round : rounds) rates.push_back(rate_text(roof, round.rate));
  return fmt::format("best of {} rounds ({})", rounds.size(), fmt::join(rates, ", "));
}

std::string citation(const RoofTask& task, const Roof& roof, const kernels::Work& work,
                     const std::vector<Round>& rounds, const std::string& note) {
  std::string how = fmt::format("{} {}", name_of(task.what.family), name_of(task.what.op()));
  if (roof.kind == RoofKind::bandwidth) how += fmt::format(", {} moved", units::bytes(work.bytes));
  if (roof.kind == RoofKind::overhead)
    how = fmt::format("{} empty kernels in a row", task.what.repeat);
  if (!task.what.shape.empty()) how += fmt::format(", {}", text_of(task.what.shape));
  const bool said = std::ranges::count(task.what.shape, note, &kernels::ShapeChoice::value) > 0;
  if (!note.empty() && !said) how += fmt::format(", {}", note);
  const double reach = std::max(roof.rate_high - roof.rate, roof.rate - roof.rate_low) / roof.rate;
  how += fmt::format("; {}, 95 % interval ±{} %", rounds_in_words(roof, rounds),
                     units::number(100 * reach, 2));
  if (const std::string slowed = disturbance_of(rounds.front().watched); !slowed.empty())
    how += "; " + slowed;
  return how;
}

/// Of launches the typical round first, since their cost is no ceiling but what everybody pays;
/// else the best.
void sort_rounds(RoofKind kind, std::vector<Round>& rounds) {
  std::ranges::stable_sort(rounds, better);
  if (kind == RoofKind::overhead) std::swap(rounds.front(), rounds[rounds.size() / 2]);
}

// Half a percent is what whole runs differ by where their rounds agree to a thousandth: other
// pages, another clock (the repeatability target measures it).
constexpr double between_runs = 0.005;

/// The roof that its rounds, sorted, amount to. Its interval is that of the first round or, where
/// that is wider, of the scatter between rounds: samples of one round know nothing of the next.
Roof rate_of(const RoofTask& task, const std::vector<Round>& rounds) {
  const Round& first = rounds.front();
  Roof roof = task.roof;
  roof.source = RoofSource::measured;
  roof.shape = task.what.shape;
  roof.conditions = first.watched.after;
  roof.rate = first.rate;
  std::vector<double> rates;
  for (const Round& round : rounds) {
    if (round.watched.disturbed == first.watched.disturbed) rates.push_back(round.rate);
  }
  const double scatter =
      std::max(rates.size() > 1 ? student_half_width(rates) : 0, between_runs * first.rate);
  roof.rate_low = std::max(std::min(first.low, first.rate - scatter), 0.01 * first.rate);
  roof.rate_high = std::max(first.high, first.rate + scatter);
  return roof;
}

}  // namespace

Round round_of(Watched watched, double amount) {
  const Seconds& seconds = watched.measurement.seconds;
  Round round{
      .rate = amount / seconds.median, .low = amount / seconds.high, .high = amount / seconds.low};
  if (!(round.rate > 0 && round.high < 1e24)) {
    throw kernels::Unsupported("the clock returned no usable time");
  }
  round.watched = std::move(watched);
  return round;
}

std::string disturbance_of(const Watched& watched) {
  if (watched.disturbed) return "other work used the device in every round";
  if (watched.after.throttled.value_or(false)) return "the clock was throttled";
  return "";
}

Roof roof_of(const RoofTask& task, const TrialFacts& trial, std::vector<Round>& rounds) {
  sort_rounds(task.roof.kind, rounds);
  Roof roof = rate_of(task, rounds);
  roof.cite = citation(task, roof, trial.work, rounds, trial.note);
  if (roof.name.starts_with("DRAM") && !trial.cold) {
    roof.cite += "; partly in cache, so the memory itself is slower";
  }
  return roof;
}

}  // namespace engine
