// The roofs of a sweep: those that bound its cases, and those that its plan asks for.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/roofs/roof_facts.hpp"
#include "engine/roofs/roof_tasks.hpp"
#include "engine/verdict/predict.hpp"
#include "engine/watch/rates.hpp"
#include "engine/worker/sweep_run.hpp"
#include "kernels/families/family.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

using kernels::Case;

constexpr std::size_t few_rounds = 3;  // of each: the looks at those that bound the points are more
constexpr std::ptrdiff_t most_rounds = 500;  // with the looks

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

/// Libraries have convolutions that do fewer operations than the plain sum (Winograd), for which
/// the roof does not hold.
bool may_do_fewer_operations(const Case& what) {
  return what.family == kernels::Family::conv && what.by == kernels::By::library;
}

}  // namespace

void SweepRun::report_roof(const Roof& roof) {
  forecast_.learn(roof);
  needs_.send(RoofMeasured{number_, device_.info().id, roof});
  if (roof.source != RoofSource::measured) return;
  // What it could do at the clock that it had.
  if (const auto peak = theoretical_roof(device_.info(), roof))
    needs_.send(RoofMeasured{number_, device_.info().id, *peak});
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

void SweepRun::report_measured(const Roof& roof) {
  std::vector<Roof>& measured = needs_.measured;
  const auto old = std::ranges::find(measured, roof.name, &Roof::name);
  (old == measured.end() ? measured.emplace_back() : *old) = roof;
  report_roof(roof);
}

void SweepRun::report_sheet(const std::function<void(const Roof&)>& report) {
  std::vector<std::string> problems;
  for (const Roof& roof : datasheet_roofs(device_.info(), &problems)) report(roof);
  for (std::string& problem : problems) warn(std::move(problem));
}

RoofBench SweepRun::bench(bool asked) {
  RoofBench bench{device_, policy_, needs_.stop, timing_, &needs_.cache, spec_.remeasure};
  if (asked) return bench;
  bench.timing.phases = nullptr;  // all that it does is one phase
  bench.rounds = few_rounds;
  return bench;
}

void SweepRun::save_cache() {
  needs_.cache.save();
  const std::string warning = needs_.cache.take_warning();
  if (!warning.empty() && said_.insert(warning).second) warn(warning);
}

void SweepRun::find(const RoofTask& task, bool asked) {
  FoundRoof found = find_roof(bench(asked), task);
  save_cache();
  if (found.roof) {
    const Roof* other = measured_roof(forecast_.known().roofs, task.apart_from);
    const double rate = found.roof->rate;
    const bool own = other == nullptr ||
                     std::min(rate, other->rate) <= alike_rates * std::max(rate, other->rate);
    if (own) report_measured(*found.roof);
  }
  if (!found.why_not.empty()) warn(std::move(found.why_not));
  if (!asked) return;
  for (Point& point : found.tried) report_tried(named(std::move(point), ""));
}

void SweepRun::report_tried(Point point) {
  take_phases(series_name(point));
  if (point.status == Status::ok) point.phases = std::exchange(spent_, {});
  report(std::move(point));
}

void SweepRun::find_roofs(const std::vector<Case>& cases) {
  std::vector<Roof> have = forecast_.known().roofs;
  const auto report_if_new = [&](const Roof& roof) {
    if (!bounds_any(roof, cases) || roof_named(have, roof.name, roof.source) != nullptr) return;
    have.push_back(roof);
    report_roof(roof);
  };
  or_warn([&] {
    report_sheet(report_if_new);
    for (const Roof& roof : needs_.measured) report_if_new(roof);
    timing_.enter("measure roofs");
    for (const RoofTask& task : sweep_roofs(device_, cases, have)) find(task, false);
    for (const RoofTask& task : overheads(device_, forecast_.known(), cases)) find(task, false);
    save_cache();
  });
  take_phases("roofs");
}

void SweepRun::report_search(std::string now) {
  timing_.enter("");
  needs_.between();
  const double passed = timing_.now() - search_begin_;
  const double each = found_ > 0 ? passed / static_cast<double>(found_) : 0;
  const double left = each * static_cast<double>(to_find_ - found_);
  needs_.send(Progress{number_, found_, to_find_, left, "roof " + std::move(now)});
}

bool SweepRun::find_asked(Plan plan) {
  const bool first = to_find_ == 0 && !plan.roofs.empty();
  std::erase_if(plan.roofs, [&](const RoofTask& task) {
    const bool none = task.optional && !is_offered(device_, task.what);
    return none || !said_.insert(task.roof.name).second;
  });
  std::erase_if(plan.asks, [&](const Ask& ask) {
    return !ask.once || std::ranges::count(visited_once_, ask) > 0;
  });
  std::erase_if(plan.notes, [&](const std::string& note) { return !said_.insert(note).second; });
  for (std::string& note : plan.notes) warn(std::move(note));
  if (plan.roofs.empty() && plan.asks.empty()) return false;
  or_warn([&] {
    if (first) {
      needs_.measured.clear();  // asked for by name, they are measured again whatever is known
      report_sheet([this](const Roof& roof) { report_roof(roof); });
      search_begin_ = timing_.now();
    }
    const std::size_t levels = first ? cache_levels(device_.info()).size() : 0;
    const auto possible = std::ranges::count(plan.roofs, "", &RoofTask::why_not);
    if (!plan.roofs.empty()) to_find_ = found_ + static_cast<std::size_t>(possible) + levels;
    if (first) {
      report_search("of memory (looking for a working set beyond the caches)");
      const std::string grown = grow_beyond_caches(bench(true), plan.roofs);
      if (!grown.empty()) warn(grown);
    }
    for (const RoofTask& task : plan.roofs) {
      if (task.why_not.empty()) report_search(task.roof.name);
      find(task, true);
      if (task.why_not.empty()) ++found_;
    }
    if (!plan.asks.empty() && to_find_ > 0) report_search("of each memory level");
    for (std::size_t done = 0; const Ask& ask : plan.asks) {
      if (to_find_ == 0)
        needs_.send(Progress{number_, done, plan.asks.size(), 0, kernels::describe(ask.what)});
      ++done;
      Point point = named(measure_once(bench(true), ask.what, visited_once_.empty()), ask.label);
      visited_once_.push_back(ask);
      forecast_.learn(point);
      report_tried(std::move(point));
    }
  });
  return true;
}

void SweepRun::doubt_asked() {
  const std::vector<Roof> found = needs_.measured;
  const Roof* level = measured_roof(found, roof_name_on("L3", spec_.data));
  if (level == nullptr) level = measured_roof(found, roof_name_on("L2", spec_.data));
  for (Roof roof : found) {
    if (level == nullptr || !is_of_dram(roof) || roof.rate <= level->rate / alike_rates) continue;
    roof.partly_cached = true;
    report_measured(roof);
    needs_.cache.forget(roof.name);
    warn(fmt::format(
        "{} ({}) is faster than {} ({}), so caches hold part of what the memory roofs move, or "
        "other work slowed {} down; measure the roofs again when the machine is idle",
        roof.name, units::bytes_per_second(roof.rate), level->name,
        units::bytes_per_second(level->rate), level->name));
  }
  save_cache();
  std::vector<std::string> disturbed, over_quota;  // names
  for (const Roof& roof : found) {
    const bool throttled = roof.conditions.throttled.value_or(false);
    if (!roof.disturbed && !throttled) continue;
    const bool by_quota = roof.disturbed && held_by_quota(roof.conditions);
    (by_quota ? over_quota : disturbed).push_back(roof.name);
  }
  if (!over_quota.empty()) {
    warn(
        fmt::format("unreliable, since the processor quota of this control group held back every "
                    "round: {}; measure the roofs again with a larger one",
                    fmt::join(over_quota, ", ")));
  }
  if (disturbed.empty()) return;
  warn(
      fmt::format("unreliable, since other work or a throttled clock disturbed every round: {}; "
                  "measure the roofs again when the machine is idle",
                  fmt::join(disturbed, ", ")));
}

std::optional<Roof> SweepRun::searched_again(const std::string& name,
                                             const std::vector<Case>& cases) {
  const std::vector<RoofTask> tasks = sweep_roofs(device_, cases, {});
  const auto task =
      std::ranges::find(tasks, name, [](const RoofTask& one) { return one.roof.name; });
  if (task == tasks.end()) return std::nullopt;
  RoofBench again = bench(false);
  again.remeasure = true;
  report_progress(fmt::format("searching the kernel of the {} roof", name));
  timing_.enter("measure roofs");
  std::optional<Roof> found;
  or_warn([&] { found = find_roof(again, *task).roof; });
  save_cache();
  take_phases("roofs");
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

bool SweepRun::doubt_roofs() {
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
    needs_.between();
    const Roof* known = measured_roof(forecast_.known().roofs, name);
    const double before = known == nullptr ? 0 : known->rate;
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
    report_measured(*again);
    forget_looks(name);
    faster = true;
  }
  if (faster && end_by_) end_by_ = timing_.now() + time_;
  return faster;
}

void SweepRun::forget_looks(const std::string& roof) {
  looks_.erase(roof);
  for (Asked& one : asked_) {
    const bool beside = one.beside && std::ranges::count(*one.beside, roof, &ControlCase::roof) > 0;
    if (beside) one = {.ask = one.ask, .run = fresh_run(one.ask), .again = true};
  }
}

void SweepRun::keep_looks(const Visit& visit, std::optional<double> clock_hz) {
  if (probe_of_) return;
  for (const Look& look : visit.looks) {
    Looks& looks = looks_[look.roof];
    if (visit.set_aside.empty())
      looks.highest_clock = std::max(looks.highest_clock, clock_hz.value_or(0));
    (visit.set_aside.empty() ? looks.alone : looks.disturbed).push_back(look.rate);
  }
}

void SweepRun::publish_looks() {
  for (auto& [name, looks] : looks_) {
    const Roof* known = measured_roof(needs_.measured, name);
    if (known == nullptr) continue;
    Roof roof = *known;
    if (looks.before.empty()) looks.before = roof.rounds;
    if (roof.disturbed && !looks.alone.empty()) {  // these say what the rounds before could not
      looks.before.resize(1);
      roof.disturbed = false;
    }
    std::vector<double> rounds = looks.before;
    const std::vector<double>& counting = looks.alone.empty() ? looks.disturbed : looks.alone;
    rounds.insert(rounds.end(), counting.begin(), counting.end());
    // Enough for any interval; a file need not hold more. The first one stays: by it a session
    // knows the measurement again.
    if (rounds.size() > most_rounds)
      rounds.erase(rounds.begin() + 1, rounds.end() - (most_rounds - 1));
    set_rounds(roof, std::move(rounds));
    roof.highest_clock = std::max(roof.highest_clock, looks.highest_clock);
    report_measured(roof);
  }
}

void SweepRun::find_sustained(bool every) {
  const double seconds = device_.pace().sustained;
  if (seconds <= 0) return;
  timing_.enter("measure roofs");
  for (const ControlCase& one : matrix_roofs(device_, needs_.measured)) {
    if (spec_.time > 0 && time_is_over()) break;
    Roof roof = *measured_roof(needs_.measured, one.roof);
    const bool needed = every || looks_.contains(one.roof);
    if (!needed || roof.sustained > 0) continue;
    needs_.between();
    or_warn([&] {
      const auto trial = device_.prepare(one.what, needs_.stop);
      CountedRun run;
      const Around around = watch(device_, one.what.units, timing_, [&](bool) {
        run = run_counted(device_, *trial, seconds, needs_.stop);
      });
      if (!around.disturbance().empty()) return;
      roof.sustained = trial->work().*one.amount / run.last.seconds;
      roof.sustained_conditions = around.after;
      roof.counted_busy = run.counted ? busy_while_loaded(*run.counted, counted_of(roof)) : 0;
      if (run.last.clock_hz) roof.sustained_conditions.clock_hz = run.last.clock_hz;
      report_measured(roof);
    });
  }
  take_phases("roofs");
}

}  // namespace engine
