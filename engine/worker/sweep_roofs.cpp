// The roofs of a sweep: those that bound its cases, or all.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/verdict/predict.hpp"
#include "engine/worker/sweep_run.hpp"

namespace engine {
namespace {

using kernels::Case;

/// Bandwidth and launches bound every case, a compute roof those that it is named for, and an
/// overhead those of its kernel; the FMA roof is shown beside that of mul or add, too. What was
/// measured on zeros bounds none.
bool bounds_any(const Roof& roof, const std::vector<Case>& cases) {
  if (roof.data != kernels::Data::random) return false;
  if (is_of_a_kernel(roof)) {
    return std::ranges::any_of(cases, [&](const Case& what) {
      return roof.name == overhead_roof_name(what, kernels::Launched::threads) ||
             roof.name == overhead_roof_name(what, kernels::Launched::graph);
    });
  }
  return roof.kind != RoofKind::compute || std::ranges::any_of(cases, [&](const Case& what) {
           return std::ranges::count(compute_roof_names(what), roof.name) > 0;
         });
}

bool contains(const std::vector<Roof>& roofs, const Roof& roof) {
  return std::ranges::any_of(roofs, [&](const Roof& other) {
    return other.name == roof.name && other.source == roof.source;
  });
}

}  // namespace

void SweepRun::report_roof(const Roof& roof) {
  forecast_.learn(roof);
  send_(RoofMeasured{number_, device_.info().id, roof});
  if (roof.source != RoofSource::measured) return;
  // What it could do at the clock that it had.
  if (const auto peak = theoretical_roof(device_.info(), roof))
    send_(RoofMeasured{number_, device_.info().id, *peak});
}

void SweepRun::or_warn(const std::function<void()>& find) {
  try {
    find();
  } catch (const kernels::Cancelled&) {
    throw;
  } catch (const kernels::DeviceLost&) {
    throw;
  } catch (const std::exception& error) {
    // Points count without roofs, too.
    warn(fmt::format("some roofs are missing: {}", error.what()));
  }
}

RoofEvents SweepRun::events_into(std::vector<Roof>& measured) {
  RoofEvents events;
  events.roof = [this, &measured](const Roof& roof) {
    measured.push_back(roof);
    report_roof(roof);
  };
  events.problem = [this](std::string problem) { warn(std::move(problem)); };
  return events;
}

RoofBench SweepRun::bench(Phases* phases) {
  const Timing timing{timing_.now, timing_.rest, phases, &last_load_};
  return {device_, policy_, stop_, timing, &cache_, spec_.remeasure};
}

void SweepRun::report_sheet(const std::function<void(const Roof&)>& report) {
  std::vector<std::string> problems;
  for (const Roof& roof : datasheet_roofs(device_.info(), &problems)) report(roof);
  for (std::string& problem : problems) warn(std::move(problem));
}

void SweepRun::find_roofs(const std::vector<Case>& cases, const SweepNeeds& needs) {
  std::vector<Roof> have = needs.known;
  for (const Roof& roof : have) forecast_.learn(roof);
  const auto report_if_new = [&](const Roof& roof) {
    if (!bounds_any(roof, cases) || contains(have, roof)) return;
    have.push_back(roof);
    report_roof(roof);
  };
  or_warn([&] {
    report_sheet(report_if_new);
    for (const Roof& roof : needs.measured) report_if_new(roof);
    timing_.enter("measure roofs");
    // Few rounds of each: the looks at those that bound the points are more.
    RoofBench quick = bench(nullptr);
    quick.rounds = 3;
    const RoofEvents events = events_into(needs.measured);
    measure_roofs(quick, cases, have, events);
    measure_overheads(quick, forecast_.known(), cases, events);
  });
  spend("roofs");
}

void SweepRun::find_all_roofs(const SweepNeeds& needs) {
  needs.measured.clear();  // asked for by name, they are measured again whatever is known
  RoofEvents events = events_into(needs.measured);
  events.tried = [this](Point point) {
    point = named(std::move(point), "");
    spend(series_name(point));
    if (point.status == Status::ok) point.phases = std::exchange(spent_, {});
    report(std::move(point));
  };
  const double begin = timing_.now();
  events.progress = [&](std::size_t done, std::size_t total, std::string next) {
    timing_.enter("");
    needs.between();
    const double each = done > 0 ? (timing_.now() - begin) / static_cast<double>(done) : 0;
    const double left = each * static_cast<double>(total - done);
    send_(Progress{number_, done, total, left, std::move(next)});
  };
  or_warn([&] {
    report_sheet([this](const Roof& roof) { report_roof(roof); });
    measure_all_roofs(bench(&phases_), spec_.data, events);
  });
}

}  // namespace engine
