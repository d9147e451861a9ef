#include "engine/roof_tasks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/spec.hpp"

namespace engine {
namespace {

using kernels::Case;
using kernels::Family;
using kernels::Kernel;
using kernels::Op;

constexpr std::uint64_t launches =
    256;  // in a row: enough to hide the first, few enough for any queue
constexpr auto peak_repeat =
    kernels::max_repeat;  // the longest chain: starting it is the least of the time
// Bytes that each core (multiprocessor) reads in one launch over a small working set, so that
// starting it on all of them, some microseconds, is the least of the time: about 100 us of a GPU's
// L1 at 128 B per clock (method.md, "Published results"), 40 us of a CPU's at two 64-byte loads.
constexpr double gpu_pass_bytes = 24.0 * 1024 * 1024;
constexpr double cpu_pass_bytes = 16.0 * 1024 * 1024;

RoofTask bandwidth_task(const kernels::Device& device, Op op, kernels::Data data) {
  RoofTask task;
  task.roof.name = roof_name_on(fmt::format("DRAM {}", name_of(op)), data);
  task.roof.kind = RoofKind::bandwidth;
  task.roof.data = data;
  task.what.family = Family::stream;
  task.what.op = op;
  task.what.data = data;
  // The working set of the default sweep, so that roof and points see the same memory: as much in
  // one tensor where a sweep has two.
  const bool alone = op == Op::read || op == Op::write;
  task.what.elements = (alone ? 2 : 1) * default_elements(device.info(), device.free_bytes(),
                                                          Family::chain, kernels::Dtype::fp32);
  task.amount = &kernels::Work::bytes;
  return task;
}

/// Launches one after the other, or through a graph where the device offers the choice.
RoofTask launch_task(const kernels::Device& device, std::string name, const char* how) {
  RoofTask task;
  task.roof.name = std::move(name);
  task.roof.kind = RoofKind::overhead;
  task.what.family = Family::launch;
  task.what.op = Op::none;
  task.what.repeat = launches;
  for (const kernels::ShapeAxis& axis : device.shape_axes(task.what)) {
    const bool offered = axis.name == "launch" && std::ranges::count(axis.values, how) > 0;
    if (offered) task.what.shape = {{"launch", how}};
  }
  task.amount = &kernels::Work::launches;
  return task;
}

RoofTask compute_task(const Kernel& row, kernels::Data data) {
  RoofTask task;
  task.roof.name = roof_name_on(compute_roof_name(row.dtype, row.units, row.op), data);
  task.roof.data = data;
  task.roof.dtype = row.dtype;
  task.roof.units = row.units;
  task.what.family = Family::peak;
  task.what.op = row.op;
  task.what.dtype = row.dtype;
  task.what.units = row.units;
  task.what.repeat = peak_repeat;
  task.what.data = data;
  task.amount = &kernels::Work::flops;
  return task;
}

/// The dot products of tiles that are some, where the device has them.
const Kernel* dots_for(const kernels::Device& device, const Case& of) {
  if (!may_be_dots(of)) return nullptr;
  Case peak = of;
  peak.family = Family::peak;
  peak.op = Op::mma;
  const Kernel* row = kernels::find_kernel(device.kernels(), peak);
  return row != nullptr && row->runs ? row : nullptr;
}

/// The peak of what a case computes with: dot products, FMA, or mul or add alone for a chain of
/// them.
RoofTask compute_task(const kernels::Device& device, const Case& of) {
  if (const Kernel* dots = dots_for(device, of)) return compute_task(*dots, of.data);
  const bool single = of.op == Op::mul || of.op == Op::add;
  Kernel row;
  row.op = single ? of.op : Op::fma;
  row.dtype = computing_dtype(of);
  row.units = of.units;
  RoofTask task = compute_task(row, of.data);
  // Matrix units have one op only; a device may list it by its own name.
  if (kernels::find_kernel(device.kernels(), task.what) == nullptr) task.what.op = Op::mma;
  return task;
}

bool contains(const std::vector<RoofTask>& tasks, const RoofTask& task) {
  return std::ranges::any_of(
      tasks, [&](const RoofTask& other) { return other.roof.name == task.roof.name; });
}

void add_launches(const kernels::Device& device, RoofPlan& plan) {
  plan.tasks.push_back(launch_task(device, "launch", "stream"));
  RoofTask graph = launch_task(device, "launch graph", "graph");
  if (!graph.what.shape.empty()) plan.tasks.push_back(std::move(graph));
}

/// Every peak that the device lists, in its order; mul and add alone are no roof of anything else.
void add_peaks(const kernels::Device& device, kernels::Data data, RoofPlan& plan) {
  for (const Kernel& row : device.kernels()) {
    if (row.family != Family::peak || row.op == Op::mul || row.op == Op::add) continue;
    RoofTask task = compute_task(row, data);
    if (contains(plan.tasks, task)) continue;
    if (row.runs) {
      plan.tasks.push_back(std::move(task));
    } else {
      plan.missing.push_back({std::move(task), row.why_not});
    }
  }
  // One kernel of several for the same roof is enough.
  std::erase_if(plan.missing,
                [&](const MissingRoof& one) { return contains(plan.tasks, one.task); });
}

/// Reads of the memory that the threads of a multiprocessor share: a quarter of what it and the L1
/// have together fits every block there is.
RoofTask shared_task(const kernels::DeviceInfo& info, kernels::Data data) {
  const double cores = std::max(info.multiprocessors, 1);
  RoofTask task;
  task.what = read_over(info, std::max(info.l1_bytes / 4, 16384.0) * cores, data);
  task.what.op = Op::shared;
  task.roof.name = roof_name_on("shared", data);
  task.roof.kind = RoofKind::bandwidth;
  task.roof.data = data;
  task.amount = &kernels::Work::bytes;
  return task;
}

}  // namespace

std::vector<RoofTask> sweep_roofs(const kernels::Device& device, const std::vector<Case>& cases,
                                  const std::vector<Roof>& have) {
  // A ceiling is that of ordinary data, whatever the points hold.
  constexpr kernels::Data data = kernels::Data::random;
  std::vector<RoofTask> tasks{bandwidth_task(device, Op::copy, data),
                              launch_task(device, "launch", "stream")};
  const auto add_compute = [&](const Case& what) {
    RoofTask task = compute_task(device, what);
    if (!contains(tasks, task)) tasks.push_back(std::move(task));
  };
  for (const Case& of : cases) {
    Case what = of;
    const bool computes =
        what.family == Family::chain || what.family == Family::tile || what.family == Family::peak;
    if (!computes) continue;
    what.data = data;
    add_compute(what);
    what.op = Op::fma;  // the peak that everybody quotes, beside that of mul or add
    what.family = Family::peak;
    what.dtype = computing_dtype(of);
    add_compute(what);
  }
  std::erase_if(tasks, [&](const RoofTask& task) {
    return std::ranges::any_of(have, [&](const Roof& roof) {
      return roof.source == RoofSource::measured && roof.name == task.roof.name;
    });
  });
  return tasks;
}

RoofPlan all_roofs(const kernels::Device& device, kernels::Data data) {
  RoofPlan plan;
  for (const Op op : {Op::read, Op::write, Op::copy, Op::triad}) {
    RoofTask task = bandwidth_task(device, op, data);
    if (kernels::find_kernel(device.kernels(), task.what) != nullptr) {
      plan.tasks.push_back(std::move(task));
    }
  }
  RoofTask shared = shared_task(device.info(), data);
  const Kernel* row = kernels::find_kernel(device.kernels(), shared.what);
  if (row != nullptr && row->runs) plan.tasks.push_back(std::move(shared));
  add_launches(device, plan);
  add_peaks(device, data, plan);
  return plan;
}

Case read_over(const kernels::DeviceInfo& info, double bytes, kernels::Data data) {
  Case what;
  what.family = Family::stream;
  what.op = Op::read;
  what.data = data;
  what.elements = static_cast<std::uint64_t>(bytes) / size_of(what.dtype);
  const double cores = std::max(info.multiprocessors, 1);
  const double pass = cores * (info.kind == "cuda" ? gpu_pass_bytes : cpu_pass_bytes);
  const double passes = std::clamp(std::round(pass / bytes), 1.0, double{kernels::max_repeat});
  what.repeat = static_cast<std::uint64_t>(passes);
  return what;
}

RoofTask level_roof(const kernels::DeviceInfo& info, const Plateau& plateau, kernels::Data data) {
  RoofTask task;
  task.roof.name = roof_name_on(plateau.level, data);
  task.roof.kind = RoofKind::bandwidth;
  task.roof.data = data;
  task.what = read_over(info, plateau.bytes, data);
  task.amount = &kernels::Work::bytes;
  return task;
}

}  // namespace engine
