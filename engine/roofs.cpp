#include "engine/roofs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "engine/precision.hpp"
#include "engine/units.hpp"

namespace engine {
namespace {

// A roof is a ceiling: of several tries the best counts, since a disturbance only ever makes a try
// slower.
constexpr int rounds = 3;
constexpr double max_round_time = 0.5;  // s
constexpr std::uint64_t launches =
    256;  // in a row: enough to hide the first, few enough for any queue
constexpr auto peak_repeat =
    kernels::max_repeat;  // the longest chain: starting it is the least of the time

/// A roof to measure: how it will be called, the case that measures it, and what of its work is
/// counted.
struct Task {
  Roof roof;
  kernels::Case what;
  double kernels::Work::*amount = nullptr;
};

Task bandwidth_task(const kernels::Device& device) {
  Task task;
  task.roof.name = "DRAM copy";
  task.roof.kind = RoofKind::bandwidth;
  task.what.family = kernels::Family::stream;
  task.what.op = kernels::Op::copy;
  // The size of the default sweep, so that roof and points see the same memory.
  task.what.elements = default_elements(device.info(), device.free_bytes(), kernels::Family::chain,
                                        kernels::Dtype::fp32);
  task.amount = &kernels::Work::bytes;
  return task;
}

Task launch_task() {
  Task task;
  task.roof.name = "launch";
  task.roof.kind = RoofKind::overhead;
  task.what.family = kernels::Family::launch;
  task.what.op = kernels::Op::none;
  task.what.repeat = launches;
  task.amount = &kernels::Work::launches;
  return task;
}

/// The peak of what a case computes with: FMA, or mul or add alone for a chain of them.
Task compute_task(const kernels::Device& device, const kernels::Case& of) {
  Task task;
  const kernels::Dtype dtype = computing_dtype(of);
  task.roof.name = compute_roof_name(dtype, of.units, of.op);
  task.roof.dtype = dtype;
  task.roof.units = of.units;
  task.what.family = kernels::Family::peak;
  const bool single = of.op == kernels::Op::mul || of.op == kernels::Op::add;
  task.what.op = single ? of.op : kernels::Op::fma;
  task.what.dtype = dtype;
  task.what.units = of.units;
  task.what.repeat = peak_repeat;
  task.amount = &kernels::Work::flops;
  // Matrix units have one op only; a device may list it by its own name.
  if (kernels::find_kernel(device.kernels(), task.what) == nullptr) {
    task.what.op = kernels::Op::mma;
  }
  return task;
}

std::vector<Task> tasks_for(const kernels::Device& device, const std::vector<kernels::Case>& cases,
                            const std::vector<Roof>& have) {
  std::vector<Task> tasks{bandwidth_task(device), launch_task()};
  const auto add_compute = [&](const kernels::Case& what) {
    Task task = compute_task(device, what);
    const bool known = std::ranges::any_of(
        tasks, [&](const Task& other) { return other.roof.name == task.roof.name; });
    if (!known) tasks.push_back(std::move(task));
  };
  for (kernels::Case what : cases) {
    const bool computes = what.family == kernels::Family::chain ||
                          what.family == kernels::Family::tile ||
                          what.family == kernels::Family::peak;
    if (!computes) continue;
    add_compute(what);
    what.op = kernels::Op::fma;  // the peak that everybody quotes, beside that of mul or add
    add_compute(what);
  }
  std::erase_if(tasks, [&](const Task& task) {
    return std::ranges::any_of(have, [&](const Roof& roof) {
      return roof.source == RoofSource::measured && roof.name == task.roof.name;
    });
  });
  return tasks;
}

/// The note of the kernel that answers; throws Unsupported with its reason when there is none.
std::string note_of(const kernels::Device& device, const kernels::Case& what) {
  const kernels::Kernel* kernel = kernels::find_kernel(device.kernels(), what);
  if (kernel == nullptr) throw kernels::Unsupported("this device has no kernel that measures it");
  if (!kernel->runs) throw kernels::Unsupported(kernel->why_not);
  return kernel->note;
}

struct Best {
  Measurement measurement;
  kernels::Conditions conditions;
  bool cold = true;
};

Best best_of_rounds(kernels::Device& device, kernels::Trial& trial, const Policy& policy,
                    std::stop_token stop) {
  std::optional<Best> best;
  for (int round = 0; round < rounds; ++round) {
    Measurement measurement = measure(trial, policy, stop);
    if (!best || measurement.seconds.median < best->measurement.seconds.median) {
      best = Best{std::move(measurement), device.conditions(), trial.cold()};
    }
  }
  return *best;
}

std::string citation(const Task& task, const kernels::Work& work, const Best& best,
                     const std::string& note) {
  const Seconds& seconds = best.measurement.seconds;
  std::string how = fmt::format("{} {}", name_of(task.what.family), name_of(task.what.op));
  if (task.roof.kind == RoofKind::bandwidth)
    how += fmt::format(", {} moved", units::bytes(work.bytes));
  if (task.roof.kind == RoofKind::overhead)
    how = fmt::format("{} empty kernels in a row", launches);
  if (!note.empty()) how += fmt::format(", {}", note);
  return fmt::format("{}; median of {} samples, best of {} rounds, {}{}", how,
                     seconds.samples.size(), rounds, precision_in_words(seconds),
                     best.measurement.stop == Stop::time_limit ? " at the time limit" : "");
}

Roof measure_roof(kernels::Device& device, const Task& task, const Policy& policy,
                  std::stop_token stop) {
  const std::string note = note_of(device, task.what);
  const auto trial = device.prepare(task.what, stop);
  if (const kernels::Check check = trial->verify(stop); !check.ok) {
    throw kernels::Unsupported(fmt::format("wrong result: {}", check.why));
  }
  const Best best = best_of_rounds(device, *trial, policy, stop);
  const kernels::Work work = trial->work();
  const Seconds& seconds = best.measurement.seconds;
  Roof roof = task.roof;
  roof.rate = work.*task.amount / seconds.median;
  roof.rate_low = work.*task.amount / seconds.high;
  roof.rate_high = work.*task.amount / seconds.low;
  if (!(roof.rate > 0 && roof.rate_high < 1e24)) {
    throw kernels::Unsupported("the clock gave no time for it");
  }
  roof.source = RoofSource::measured;
  roof.cite = citation(task, work, best, note);
  roof.conditions = best.conditions;
  if (roof.kind == RoofKind::bandwidth && !best.cold) {
    roof.cite += "; part of it in cache, so the memory itself is slower";
  }
  return roof;
}

}  // namespace

void measure_roofs(kernels::Device& device, const std::vector<kernels::Case>& cases,
                   const std::vector<Roof>& have, const Policy& policy, std::stop_token stop,
                   const std::function<void(const Roof&)>& report,
                   std::vector<std::string>& problems) {
  Policy brief = policy;
  brief.max_time = std::min(policy.max_time, max_round_time);
  for (const Task& task : tasks_for(device, cases, have)) {
    if (stop.stop_requested()) throw kernels::Cancelled();
    try {
      report(measure_roof(device, task, brief, stop));
    } catch (const kernels::Cancelled&) {
      throw;
    } catch (const kernels::DeviceLost&) {
      throw;
    } catch (const std::exception& error) {  // unsupported, or no memory for it: the sweep goes on
      problems.push_back(fmt::format("no {} roof: {}", task.roof.name, error.what()));
    }
  }
}

}  // namespace engine
