#include "engine/roofs/roof_tasks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/roofs/roofs.hpp"
#include "engine/spec.hpp"
#include "engine/verdict/predict.hpp"
#include "kernels/families/family.hpp"

namespace engine {
namespace {

using kernels::Case;
using kernels::Data;
using kernels::Kernel;
using kernels::Op;

constexpr std::uint64_t launches =
    256;  // in a row: enough to hide the first, few enough for any queue
// Bytes that each core (multiprocessor) reads in one launch over a small working set, so that
// starting it on all of them and filling the caches, 5 to 8 us of a GPU, is less than 1 % of the
// time: 1.1 ms of a GPU's L1 at 128 B per clock and 0.4 to 1 ms of an H200's L2 (docs/lab-notes.md,
// "Caches of a GPU"), 40 us of a CPU's L1 at two 64-byte loads.
constexpr double gpu_l1_pass_bytes = 256.0 * 1024 * 1024;
constexpr double gpu_pass_bytes = 64.0 * 1024 * 1024;
constexpr double cpu_pass_bytes = 16.0 * 1024 * 1024;

RoofTask task_of(std::string name, RoofKind kind, const Case& what, Data data = Data::random) {
  RoofTask task;
  task.roof.name = roof_name_on(std::move(name), data);
  task.roof.kind = kind;
  task.roof.data = data;
  task.what = what;
  task.amount = kind == RoofKind::bandwidth ? &kernels::Work::bytes
                : kind == RoofKind::compute ? &kernels::Work::flops
                                            : &kernels::Work::launches;
  return task;
}

/// The working set of the default sweep, so that roof and points see the same memory: as much in
/// one tensor where a sweep has two.
RoofTask bandwidth_task(const kernels::DeviceInfo& info, double free_bytes, Op op, Data data) {
  const std::uint64_t elements = default_elements(info, free_bytes, {}, kernels::Dtype::fp32);
  const bool alone = op->tensors_read + op->tensors_written == 1;
  return task_of(fmt::format("DRAM {}", name_of(op)), RoofKind::bandwidth,
                 kernels::stream_case(op, (alone ? 2 : 1) * elements, data), data);
}

/// The roof of the memory with the mix of reads and writes of a case; of copies, where the device
/// has no kernel for that.
RoofTask memory_task(const kernels::Device& device, const Case& what) {
  const std::string_view own = kernels::bounds_of(what).memory;
  for (const Op op : {Op::read, Op::write, Op::triad}) {
    RoofTask task = bandwidth_task(device.info(), device.free_bytes(), op, Data::random);
    const Kernel* row = kernels::find_kernel(device.kernels(), task.what);
    if (task.roof.name == own && row != nullptr && row->runs) return task;
  }
  return bandwidth_task(device.info(), device.free_bytes(), Op::copy, Data::random);
}

/// Launches one after the other, or through a graph where the device offers the choice.
RoofTask launch_task(std::string name, const char* how) {
  RoofTask task = task_of(std::move(name), RoofKind::overhead, kernels::launch_case(launches));
  task.what.shape = {{"launch", how}};
  return task;
}

RoofTask compute_task(const Kernel& row, Data data) {
  RoofTask task = task_of(compute_roof_name(row.dtype, row.units, row.op), RoofKind::compute,
                          kernels::peak_case(row.op, row.dtype, row.units, data), data);
  task.roof.dtype = row.dtype;
  task.roof.units = row.units;
  return task;
}

/// The kernel that measures a peak, where the device has one that runs. Matrix units have one op
/// only; a device lists it by its own name.
const Kernel* kernel_of(const kernels::Device& device, const kernels::ComputeBound& bound) {
  const bool matrix = bound.units == kernels::Units::matrix;
  for (const Op op : {bound.op, matrix ? Op::fma : bound.op}) {
    const Case peak = kernels::peak_case(op, bound.dtype, bound.units, Data::random);
    const Kernel* row = kernels::find_kernel(device.kernels(), peak);
    if (row != nullptr) return row;
  }
  return nullptr;
}

bool runs(const kernels::Device& device, const kernels::ComputeBound& bound) {
  const Kernel* row = kernel_of(device, bound);
  return row != nullptr && row->runs;
}

/// The peaks to measure for a case: that of its own op where there is one, and that of the FMA, or
/// of the matrix units, which everybody quotes, or what stands in for it.
std::vector<kernels::ComputeBound> peaks_of(const kernels::Device& device, const Case& what) {
  const std::vector<kernels::ComputeBound> bounds = kernels::bounds_of(what).compute;
  std::vector<kernels::ComputeBound> peaks;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const bool here = runs(device, bounds[i]), last = i + 1 == bounds.size();
    if (bounds[i].stands_in && (!here || runs(device, bounds[i - 1]))) continue;
    const bool replaced = !last && bounds[i + 1].stands_in && runs(device, bounds[i + 1]);
    const bool own_op = i == 0 && !last && !bounds[i + 1].stands_in;
    if (!here && (own_op || replaced)) continue;
    peaks.push_back(bounds[i]);
  }
  return peaks;
}

bool contains(const std::vector<RoofTask>& tasks, const RoofTask& task) {
  return std::ranges::any_of(
      tasks, [&](const RoofTask& other) { return other.roof.name == task.roof.name; });
}

/// Every peak that the device lists, in its order; mul and add alone are no roof of anything else.
/// One kernel of several for the same roof is enough.
void add_peaks(const Place& place, Data data, std::vector<RoofTask>& tasks) {
  std::vector<RoofTask> missing;
  for (const Kernel& row : place.kernels) {
    if (row.family->role != kernels::Role::compute || row.op->flops == 1) continue;
    RoofTask task = compute_task(row, data);
    task.why_not = row.runs ? "" : row.why_not;
    if (!contains(tasks, task)) (row.runs ? tasks : missing).push_back(std::move(task));
  }
  std::ranges::copy_if(missing, std::back_inserter(tasks),
                       [&](const RoofTask& one) { return !contains(tasks, one); });
}

/// A launch over 512 MiB lasts 125 us on an H200, of which starting and ending on all
/// multiprocessors take some; 2 GiB are another candidate, where they leave half of the memory
/// free. In elements; 0: none.
std::uint64_t larger_working_set(const Place& place, const Case& what) {
  constexpr double bytes = 2.0 * 1024 * 1024 * 1024;
  constexpr double most_of_free = 0.5;
  const double now = kernels::footprint_of(what);
  if (place.info.kind != "cuda" || now <= 0 || now >= bytes) return 0;
  if (bytes > most_of_free * place.free_bytes) return 0;
  constexpr std::uint64_t granule = 4096;
  return static_cast<std::uint64_t>(bytes / now * static_cast<double>(what.elements)) / granule *
         granule;
}

/// Reads of the memory that the threads of a multiprocessor share: what the block there holds.
RoofTask shared_task(const kernels::DeviceInfo& info, Data data) {
  Case what = read_over(info, 32768.0 * std::max(info.multiprocessors, 1), data);
  what.ops = Op::shared;
  return task_of("shared", RoofKind::bandwidth, what, data);
}

/// Reads of the cache that holds a case; nothing for what is in DRAM.
std::optional<RoofTask> roof_of_level(const kernels::Device& device, const Case& what) {
  const auto level = level_of(device.info(), what);
  if (!level || kernels::footprint_of(what) <= 0) return std::nullopt;
  const kernels::DeviceInfo& info = device.info();
  RoofTask task = level_roof(
      info, {.level = roof_name_of(info, *level, what), .bytes = roof_set_of(info, *level)},
      Data::random);
  if (kernels::find_kernel(device.kernels(), task.what) == nullptr) return std::nullopt;
  return task;
}

/// What takes this much of the time of the other roof can become the longer one: the memory of a
/// shared host was seen to double its speed, and to halve it, within a sweep. A wider border costs
/// time at more points.
constexpr double near_ridge = 0.45;

/// What a run must take at least so that its launch is no part of it worth mentioning.
double seconds_beyond_launch(const Session& known, kernels::Launched launched) {
  // The host launches the next one meanwhile, but a run that is shorter than that waits for it.
  constexpr double in_a_stream = 2, added = 100;
  const Roof* launch = launch_roof(known, launched);
  if (launch == nullptr) launch = launch_roof(known, kernels::Launched::stream);
  if (launch == nullptr || !(launch->rate > 0)) return 0;
  return (launched == kernels::Launched::stream ? in_a_stream : added) / launch->rate;
}

std::optional<ControlCase> memory_control(const kernels::Device& device, const Session& known,
                                          const Case& what, const kernels::Work& work,
                                          kernels::Launched launched) {
  const auto level = roof_of_level(device, what);
  RoofTask task = level ? *level : memory_task(device, what);
  const Roof* roof = measured_roof(known.roofs, task.roof.name);
  if (roof == nullptr && !level) {
    task = bandwidth_task(device.info(), device.free_bytes(), Op::copy, Data::random);
    roof = measured_roof(known.roofs, task.roof.name);
  }
  if (roof == nullptr) return std::nullopt;
  task.what.shape = roof->shape;
  // As much as a launch of the case moves, so that both find the same memory: in caches that
  // nobody tells of, and on the same pages. But no copy that mostly waits for its launch.
  if (!level && work.launches > 0) {
    const double of_an_element =
        kernels::work_of(task.what).bytes / static_cast<double>(task.what.elements);
    const auto moving = [&](double bytes) {
      return static_cast<std::uint64_t>(bytes / of_an_element);
    };
    const double least = seconds_beyond_launch(known, launched) * roof->rate;
    // One launch passes over all of its memory, also over what lies between words that it reads.
    const double moved = work.bytes / work.launches;
    const double passed = work.launches == 1 ? std::max(moved, kernels::footprint_of(what)) : moved;
    task.what.elements = std::max(moving(passed), std::min(task.what.elements, moving(least)));
  }
  return ControlCase{roof->name, task.what, task.amount, work.bytes};
}

std::optional<ControlCase> compute_control(const kernels::Device& device, const Session& known,
                                           const Case& what, const kernels::Work& work) {
  for (const kernels::ComputeBound& bound : kernels::bounds_of(what).compute) {
    const Roof* roof =
        compute_roof(known, bound.dtype, bound.units, RoofSource::measured, bound.op);
    const Kernel* row = kernel_of(device, bound);
    if (roof == nullptr || row == nullptr || !row->runs) continue;
    RoofTask task = compute_task(*row, roof->data);
    task.what.shape = roof->shape;
    return ControlCase{roof->name, task.what, task.amount, work.flops / bound.share};
  }
  return std::nullopt;
}

/// A launch that takes more than so many empty ones is not bound by overhead: a kernel with nothing
/// to do takes two or three of these on a CPU.
constexpr double most_launches = 20;

/// How a case is launched, where what that takes beside the work can be most of it.
std::optional<kernels::Launched> brief_launch(const Session& known, const Case& what) {
  const kernels::Work work = kernels::work_of(what, known.device.kind);
  const Prediction at_roofs = predict(known, what, work);
  const Roof* empty = launch_roof(known, kernels::Launched::stream);
  const double longer = std::max(at_roofs.bandwidth_seconds, at_roofs.compute_seconds);
  if (empty == nullptr || longer * empty->rate >= most_launches * work.launches)
    return std::nullopt;
  // In a stream it is the host that takes its time, whatever the kernel.
  if (at_roofs.launched == kernels::Launched::stream) return std::nullopt;
  return at_roofs.launched;
}

RoofTask overhead_task(const Case& least, kernels::Launched launched) {
  RoofTask task = task_of(overhead_roof_name(least, launched), RoofKind::overhead, least);
  task.roof.dtype = least.dtype;
  task.roof.units = least.units;
  task.launched = launched;
  task.brief = true;
  return task;
}

std::optional<ControlCase> overhead_control(const Session& known, const Case& what,
                                            const kernels::Work& work, kernels::Launched launched) {
  const std::optional<Case> least = kernels::least_of(what);
  const Roof* roof = least ? overhead_roof(known, *least, launched) : nullptr;
  if (roof == nullptr) return std::nullopt;
  return ControlCase{roof->name, *least, &kernels::Work::launches, work.launches};
}

}  // namespace

std::vector<RoofTask> overheads(const kernels::Device& device, const Session& known,
                                const std::vector<Case>& cases) {
  std::vector<RoofTask> tasks;
  for (const Case& what : cases) {
    const std::optional<Case> least = kernels::least_of(what);
    if (!least || !why_not(device, *least).empty()) continue;
    const auto launched = brief_launch(known, what);
    if (!launched || overhead_roof(known, *least, *launched) != nullptr) continue;
    RoofTask task = overhead_task(*least, *launched);
    if (!contains(tasks, task)) tasks.push_back(std::move(task));
  }
  return tasks;
}

std::vector<RoofTask> sweep_roofs(const kernels::Device& device, const std::vector<Case>& cases,
                                  const std::vector<Roof>& have) {
  // A ceiling is that of ordinary data, whatever the points hold.
  constexpr Data data = Data::random;
  const auto elsewhere = [](const Case& what) {
    return what.family->limit == kernels::Limit::elsewhere;
  };
  if (!cases.empty() && std::ranges::all_of(cases, elsewhere)) return {};
  std::vector<RoofTask> tasks{bandwidth_task(device.info(), device.free_bytes(), Op::copy, data),
                              launch_task("launch", "stream")};
  for (const Case& what : cases) {
    if (elsewhere(what)) continue;
    const auto level = roof_of_level(device, what);
    const RoofTask memory = level ? *level : memory_task(device, what);
    if (!contains(tasks, memory)) tasks.push_back(memory);
    for (const kernels::ComputeBound& bound : peaks_of(device, what)) {
      const Kernel* row = kernel_of(device, bound);
      const Kernel missing{.op = bound.op, .dtype = bound.dtype, .units = bound.units};
      RoofTask task = compute_task(row != nullptr ? *row : missing, data);  // which says why
      if (!contains(tasks, task)) tasks.push_back(std::move(task));
    }
  }
  std::erase_if(
      tasks, [&](const RoofTask& task) { return measured_roof(have, task.roof.name) != nullptr; });
  return tasks;
}

std::vector<ControlCase> controls_of(const kernels::Device& device, const Session& known,
                                     const Case& what) {
  if (what.data != Data::random) return {};  // roofs hold random data
  if (what.family->limit != kernels::Limit::roofs) return {};
  const kernels::Work work = kernels::work_of(what, device.info().kind);
  const Prediction at_roofs = predict(known, what, work);
  std::vector<ControlCase> controls;
  const auto add = [&](std::optional<ControlCase> control) {
    if (control) controls.push_back(std::move(*control));
  };
  if (at_roofs.regime() == Regime::overhead)
    add(overhead_control(known, what, work, at_roofs.launched));
  if (at_roofs.regime() != Regime::bandwidth && at_roofs.regime() != Regime::compute)
    return controls;
  const double longer = std::max(at_roofs.bandwidth_seconds, at_roofs.compute_seconds);
  const auto bounds = [&](double seconds) { return seconds > near_ridge * longer; };
  if (bounds(at_roofs.bandwidth_seconds))
    add(memory_control(device, known, what, work, at_roofs.launched));
  if (bounds(at_roofs.compute_seconds)) add(compute_control(device, known, what, work));
  return controls;
}

std::vector<ControlCase> matrix_roofs(const kernels::Device& device,
                                      const std::vector<Roof>& measured) {
  std::vector<ControlCase> controls;
  for (const Kernel& row : device.kernels()) {
    const bool own = row.family->role == kernels::Role::compute && row.op != Op::gemm;
    if (!own || !row.runs || row.units != kernels::Units::matrix) continue;
    RoofTask task = compute_task(row, Data::random);
    const Roof* roof = measured_roof(measured, task.roof.name);
    if (roof == nullptr) continue;
    task.what.shape = roof->shape;
    controls.push_back({.roof = roof->name, .what = task.what, .amount = task.amount});
  }
  return controls;
}

std::vector<RoofTask> all_roofs(const Place& place, Data data) {
  std::vector<RoofTask> tasks;
  for (const Op op : {Op::read, Op::write, Op::copy, Op::triad}) {
    RoofTask task = bandwidth_task(place.info, place.free_bytes, op, data);
    task.larger = larger_working_set(place, task.what);
    if (kernels::find_kernel(place.kernels, task.what) != nullptr) tasks.push_back(std::move(task));
  }
  RoofTask shared = shared_task(place.info, data);
  if (place.runs(shared.what)) tasks.push_back(std::move(shared));
  tasks.push_back(launch_task("launch", "stream"));
  tasks.push_back(launch_task("launch graph", "graph"));
  tasks.back().optional = true;
  add_peaks(place, data, tasks);
  return tasks;
}

Case read_over(const kernels::DeviceInfo& info, double bytes, Data data) {
  Case what = kernels::stream_case(Op::read, 0, data);
  what.elements = static_cast<std::uint64_t>(bytes) / size_of(what.dtype);
  const double cores = std::max(info.multiprocessors, 1);
  const double of_gpu = bytes <= cores * info.l1_bytes ? gpu_l1_pass_bytes : gpu_pass_bytes;
  const double pass = cores * (info.kind == "cuda" ? of_gpu : cpu_pass_bytes);
  const double passes = std::clamp(std::round(pass / bytes), 1.0, double{kernels::max_repeat});
  what.repeat = static_cast<std::uint64_t>(passes);
  return what;
}

std::vector<Case> level_reads(const Place& place, Data data) {
  std::vector<Case> reads;
  for (const Op op : {Op::read, Op::l2}) {
    for (const double bytes : curve_sizes(place.info)) {
      Case what = read_over(place.info, bytes, data);
      what.ops = op;
      if (place.runs(what)) reads.push_back(what);
    }
  }
  return reads;
}

RoofTask level_roof(const kernels::DeviceInfo& info, const Plateau& plateau, Data data) {
  RoofTask task =
      task_of(plateau.level, RoofKind::bandwidth, read_over(info, plateau.bytes, data), data);
  if (info.kind == "cuda" && plateau.level == "L2") task.what.ops = Op::l2;
  if (plateau.level == slices_of_l2) {
    task.what.ops = Op::l2_slices;
    task.apart_from = roof_name_on("L2", data);
  }
  return task;
}

std::vector<RoofTask> level_roofs(const kernels::DeviceInfo& info, const Plateau& plateau,
                                  Data data) {
  std::vector<RoofTask> tasks{level_roof(info, plateau, data)};
  if (info.kind == "cuda" && plateau.level == "L2") {
    Plateau slices = plateau;
    slices.level = slices_of_l2;
    tasks.push_back(level_roof(info, slices, data));
  }
  return tasks;
}

}  // namespace engine
