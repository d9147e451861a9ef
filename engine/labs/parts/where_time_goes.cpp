// The lab `where-time-goes`: what the worker did during the newest sweep, phase by phase.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/labs/lab.hpp"
#include "kernels/families/family.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

/// A small sweep of its own: memory-bound, about the ridge, compute-bound.
constexpr std::array<std::uint64_t, 3> repeats{1, 32, 512};

/// What a sweep is run for: runs of the points, and looks at the roof beside each run, without
/// which there is no share. All else prepares it, the first rounds of the roofs with their tensors,
/// too.
constexpr std::array<std::string_view, 2> measuring{"measure", "look beside runs"};

Plan plan(const Spec& spec, const Place& place, const Results&) {
  Plan plan;
  for (const kernels::Dtype dtype : spec.dtypes) {
    kernels::Case what = usual_case(spec, place, kernels::Family::chain, dtype);
    for (const std::uint64_t repeat : repeats) {
      what.repeat = repeat;
      plan.asks.push_back({what});
    }
  }
  return plan;
}

std::vector<Chart> charts(const Results&) {
  Chart lanes{.id = "where-time-goes", .title = "Phases of the sweep", .kind = Kind::lanes};
  lanes.spans = &Point::phases;
  lanes.every_lab = true;
  lanes.empty = "No phases recorded yet. Run any lab.";
  return {lanes};
}

struct Phase {
  std::string name;
  double seconds = 0;
};

/// Of the newest run of any lab, in the order in which they began.
struct Account {
  std::vector<Phase> phases;
  double whole = 0;  ///< s, of the run

  void add(const kernels::Span& span) {
    auto phase = std::ranges::find(phases, span.lane, &Phase::name);
    if (phase == phases.end()) phase = phases.insert(phase, {span.lane});
    phase->seconds += span.end - span.begin;
    whole = std::max(whole, span.end);
  }
  double share(const Phase& phase) const { return phase.seconds / whole; }
};

Account account_of(const Session& session) {
  Account account;
  for (const Point* point : points_of(session, newest_run(session).value_or(0)))
    for (const kernels::Span& span : point->phases) account.add(span);
  return account;
}

LabVerdict verdict(const Results& results) {
  LabVerdict verdict;
  const Account account = account_of(results.session);
  if (account.phases.empty()) return cannot_say("Run a sweep: none with recorded phases yet.");
  double share = 0;
  const Phase* longest = nullptr;  // of what is not measuring
  for (const Phase& phase : account.phases) {
    verdict.inform(fmt::format("{}, {}", phase.name, units::percent(account.share(phase))),
                   Interval{phase.seconds}, "s");
    if (std::ranges::find(measuring, phase.name) != measuring.end())
      share += account.share(phase);
    else if (longest == nullptr || phase.seconds > longest->seconds)
      longest = &phase;
  }
  verdict.inform("the whole sweep", Interval{account.whole}, "s");
  verdict.judge("measured runs and the roof runs beside them", {}, Interval{share}, "%", 0.5);
  verdict.says = conclude(verdict.rows);
  verdict.headline =
      fmt::format("{} of the time goes into measured runs and the roof runs beside them.",
                  units::percent(share));
  if (verdict.says != Says::holds && longest != nullptr)
    verdict.advice.push_back(fmt::format("The largest other part is: {}.", longest->name));
  return verdict;
}

}  // namespace

extern constinit const Lab where_time_goes_lab{
    .name = "where-time-goes",
    .title = "Where time goes",
    .group = "Overhead",
    .question = "What does a sweep spend its time on?",
    .about =
        "The chart shows the newest sweep of the session, from any lab. Each lane is a phase: "
        "opening the devices, measuring the roofs, allocating and filling the tensors, verifying "
        "the results, warming up, measuring, running the roof beside each run (\"look beside "
        "runs\"), and waiting for free cores. Colours tell the series apart. Run on its own, this "
        "lab measures three points of one chain.",
    .needs = "Those of any sweep; on its own 3, at 1, 32 and 512 ops per element.",
    .claim = {"A sweep spends most of its time measuring.", "Ridgepoint's goal"},
    .reads = {"op", "dtype", "elements", "data"},
    .plan = plan,
    .charts = charts,
    .verdict = verdict,
};

}  // namespace engine
