// The roofs of a sweep: those that bound its cases, or all.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/roofs/roof_facts.hpp"
#include "engine/verdict/predict.hpp"
#include "engine/worker/sweep_run.hpp"
#include "kernels/families/family.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

using kernels::Case;

constexpr std::size_t few_rounds = 3;  // of each: the looks at those that bound the points are more

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

bool is_measured(const Roof& roof, const std::string& name) {
  return roof.name == name && roof.source == RoofSource::measured;
}

/// Libraries have convolutions that do fewer operations than the plain sum (Winograd), for which
/// the roof does not hold.
bool may_do_fewer_operations(const Case& what) {
  return what.family == kernels::Family::conv && what.by == kernels::By::library;
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
    std::erase_if(measured, [&](const Roof& old) { return is_measured(old, roof.name); });
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
  std::vector<Roof> have = forecast_.known().roofs;
  const auto report_if_new = [&](const Roof& roof) {
    if (!bounds_any(roof, cases) || contains(have, roof)) return;
    have.push_back(roof);
    report_roof(roof);
  };
  or_warn([&] {
    report_sheet(report_if_new);
    for (const Roof& roof : needs.measured) report_if_new(roof);
    timing_.enter("measure roofs");
    RoofBench quick = bench(nullptr);
    quick.rounds = few_rounds;
    const RoofEvents events = events_into(needs.measured);
    measure_roofs(quick, cases, have, events);
    measure_overheads(quick, forecast_.known(), cases, events);
  });
  spend("roofs");
}

std::optional<Roof> SweepRun::searched_again(const std::string& name,
                                             const std::vector<Case>& cases) {
  std::vector<Roof> others = forecast_.known().roofs;
  std::erase_if(others, [&](const Roof& roof) { return is_measured(roof, name); });
  std::optional<Roof> found;
  RoofEvents events;
  events.roof = [&](const Roof& roof) {
    if (roof.name == name) found = roof;
  };
  RoofBench quick = bench(nullptr);
  quick.rounds = few_rounds;
  quick.remeasure = true;
  report_progress(fmt::format("searching the kernel of the {} roof", name));
  timing_.enter("measure roofs");
  or_warn([&] { measure_roofs(quick, cases, others, events); });
  spend("roofs");
  return found;
}

std::map<std::string, SweepRun::Above> SweepRun::exceeded_roofs() const {
  std::map<std::string, Above> above;
  for (const Asked& one : asked_) {
    const Point point = one.run.point();
    if (!point.share || !is_sure(point) || may_do_fewer_operations(point.what)) continue;
    if (kind_beside(point) == RoofKind::overhead) continue;  // no kernel to search
    const Interval& share = point.share->of;
    if (share.low.value_or(share.median) <= far_above_roof) continue;
    Above& found = above[point.share->roof];
    found.cases.push_back(point.what);
    found.most = std::max(found.most, share.median);
  }
  return above;
}

bool SweepRun::doubt_roofs(const SweepNeeds& needs) {
  bool faster = false;
  for (const auto& [name, above] : exceeded_roofs()) {
    if (!doubted_.insert(name).second) continue;
    const std::string seen =
        fmt::format("{} of {} points exceeded the {} roof, by up to {}", above.cases.size(),
                    asked_.size(), name, units::percent(above.most - 1));
    if (spec_.time > 0) {  // the user's limit is for what was asked for
      warn(fmt::format("{}: search its kernel again (ridgepoint sweep --lab roofs --remeasure)",
                       seen));
      continue;
    }
    needs.between();
    const auto& roofs = forecast_.known().roofs;
    const auto known =
        std::ranges::find_if(roofs, [&](const Roof& roof) { return is_measured(roof, name); });
    const double before = known == roofs.end() ? 0 : known->rate;
    const std::optional<Roof> again = searched_again(name, above.cases);
    if (!again) {
      warn(fmt::format("{}, which could not be measured again", seen));
      continue;
    }
    if (again->rate <= far_above_roof * before) {
      warn(fmt::format("{}: its kernel was searched again, and no faster one was found", seen));
      continue;
    }
    warn(
        fmt::format("{}: its kernel was searched again, and a faster one gives {}, not {}; points "
                    "beside it were measured again",
                    seen, rate_text(*again), rate_text(*again, before)));
    replace_roof(*again, needs.measured);
    faster = true;
  }
  if (faster && end_by_) end_by_ = timing_.now() + time_;
  return faster;
}

void SweepRun::replace_roof(const Roof& roof, std::vector<Roof>& measured) {
  std::erase_if(measured, [&](const Roof& old) { return is_measured(old, roof.name); });
  measured.push_back(roof);
  report_roof(roof);
  looks_.erase(roof.name);
  rounds_before_.erase(roof.name);
  for (Asked& one : asked_) {
    const bool beside =
        one.beside && std::ranges::count(*one.beside, roof.name, &ControlCase::roof) > 0;
    if (beside) one = {.ask = one.ask, .run = fresh_run(one.ask), .again = true};
  }
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
