#include "engine/roofs/roofs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/roofs/roof_finder.hpp"
#include "engine/roofs/roof_tasks.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

void report_progress(const RoofEvents& events, std::size_t done, std::size_t total,
                     const std::string& name) {
  if (events.progress) events.progress(done, total, fmt::format("roof {}", name));
}

/// Saves what was found however it ends. What the cache could not read or write is said; the roofs
/// are measured all the same.
void with_cache(const RoofBench& bench, const RoofEvents& events,
                const std::function<void()>& measure) {
  const auto save = [&] {
    if (bench.cache == nullptr) return;
    bench.cache->save();
    std::string warning = bench.cache->take_warning();
    if (!warning.empty() && events.problem) events.problem(std::move(warning));
  };
  try {
    measure();
  } catch (...) {
    save();
    throw;
  }
  save();
}

/// The levels that the curve shows, as tasks; the others are said with their reasons.
std::vector<RoofTask> level_tasks(const RoofBench& bench, RoofFinder& finder, kernels::Data data,
                                  const RoofEvents& events) {
  const kernels::DeviceInfo& info = bench.device.info();
  std::vector<RoofTask> tasks;
  for (const Plateau& plateau : plateaus_of(finder.level_curve(data), cache_levels(info))) {
    if (plateau.why.empty()) {
      std::ranges::move(level_roofs(info, plateau, data), std::back_inserter(tasks));
    } else if (events.problem) {
      events.problem(fmt::format("no {} roof: {}", plateau.level, plateau.why));
    }
  }
  return tasks;
}

bool is_of_memory(const RoofTask& task) { return is_of_dram(task.roof); }

/// Where caches are larger than the system says, the working set of the memory roofs grows.
void grow_beyond_caches(const RoofBench& bench, RoofFinder& finder, std::vector<RoofTask>& tasks,
                        const RoofEvents& events) {
  const auto read = std::ranges::find_if(tasks, is_of_memory);
  if (read == tasks.end() || read->what.op() != kernels::Op::read) return;
  const std::uint64_t growth = finder.growth_beyond_caches(*read);
  if (growth == 1) return;
  for (RoofTask& task : tasks) {
    if (!is_of_memory(task)) continue;
    task.what.elements *= growth;
    task.whole = true;
    if (task.larger <= task.what.elements) task.larger = 0;
  }
  if (!events.problem) return;
  events.problem(fmt::format(
      "{} hold part of a working set of {}, so the memory roofs were measured over {}; sweep "
      "chains with --elements {} to measure memory alone",
      bench.device.info().kind == "cpu" ? "caches of this machine" : "caches of this GPU",
      units::bytes(kernels::footprint_of(read->what) / static_cast<double>(growth)),
      units::bytes(kernels::footprint_of(read->what)), read->what.elements / 2));
}

}  // namespace

void measure_roofs(const RoofBench& bench, const std::vector<kernels::Case>& cases,
                   const std::vector<Roof>& have, const RoofEvents& events) {
  with_cache(bench, events, [&] {
    RoofFinder finder(bench, events);
    for (const RoofTask& task : sweep_roofs(bench.device, cases, have)) finder.find(task);
  });
}

void measure_overheads(const RoofBench& bench, const Session& known,
                       const std::vector<kernels::Case>& cases, const RoofEvents& events) {
  RoofFinder finder(bench, events);
  for (const RoofTask& task : overheads(bench.device, known, cases)) finder.find(task);
}

void measure_all_roofs(const RoofBench& bench, kernels::Data data, const RoofEvents& events) {
  with_cache(bench, events, [&] {
    RoofFinder finder(bench, events);
    RoofPlan plan = all_roofs(bench.device, data);
    std::size_t total = plan.tasks.size() + cache_levels(bench.device.info()).size();
    std::size_t done = 0;
    report_progress(events, done, total, "of memory (looking for a working set beyond the caches)");
    grow_beyond_caches(bench, finder, plan.tasks, events);
    for (const RoofTask& task : plan.tasks) {
      report_progress(events, done++, total, task.roof.name);
      finder.find(task);
    }
    report_progress(events, done, total, "of each memory level");
    const std::vector<RoofTask> levels = level_tasks(bench, finder, data, events);
    total = done + levels.size();
    for (const RoofTask& task : levels) {
      report_progress(events, done++, total, task.roof.name);
      finder.find(task);
    }
    finder.doubt_memory(data);
    for (const MissingRoof& missing : plan.missing) finder.report_missing(missing);
    finder.report_disturbed();
  });
}

}  // namespace engine
