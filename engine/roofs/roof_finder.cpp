#include "engine/roofs/roof_finder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/measure/run_case.hpp"
#include "engine/measure/statistics.hpp"
#include "engine/measure/watched.hpp"
#include "engine/roofs/shape_search.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

using kernels::Case;
using kernels::Shape;

// Launches are over so soon, and depend so much on what the system does with waiting threads, that
// a few rounds see one mood of it only.
constexpr std::size_t least_rounds_of_launches = 9;
constexpr VisitPlan round_plan{.runs = 3, .most_runs = 64, .seconds = 0.03};
constexpr VisitPlan brief_plan{.runs = 7, .most_runs = 64, .seconds = 0.003};
constexpr VisitPlan quick_plan{.runs = 3, .most_runs = 16, .seconds = 0.005};
// Of one shape among others: only the winner is verified, since checking takes many times longer.
constexpr VisitPlan candidate_plan{.runs = 3, .most_runs = 16, .seconds = 0.005, .verified = false};
// For searching the shape of one roof, s: a cold start of about 20 roofs is to take 20 s on 2
// cores. A GPU has many more shapes of its arithmetic, and one takes about 20 ms there: 5 ms each
// of warming up and measuring, some runs of 1 ms to size the launch.
constexpr double stream_search_time = 0.9;
constexpr double least_search_time = 0.4;
constexpr double longest_search_time = 3;
constexpr double time_of_a_shape = 0.02;
// Of the memory roof's working set: filling it takes longer than measuring, and shapes compare as
// well on a smaller one, if it is still beyond the caches.
constexpr double searched_part = 0.25;
constexpr std::size_t most_attempts = 8;
// With less time for a point than this, s, a search is hasty.
constexpr double least_to_keep = 0.15;
// Of the free memory, for a working set.
constexpr double most_of_free = 0.5;
// Nearer than this, short measurements are alike.
constexpr double alike = 0.95;

bool is_alike(double a, double b) { return std::min(a, b) > alike * std::max(a, b); }

double search_time(const RoofTask& task, const std::vector<kernels::ShapeAxis>& axes) {
  if (task.roof.kind == RoofKind::bandwidth) return stream_search_time;
  double shapes = 1;
  for (const kernels::ShapeAxis& axis : axes)
    shapes *= static_cast<double>(std::max<std::size_t>(axis.values.size(), 1));
  return std::clamp(shapes * time_of_a_shape, least_search_time, longest_search_time);
}

/// A smaller working set on which shapes of this task can be compared.
Case searched_case(const RoofTask& task, const kernels::DeviceInfo& info) {
  Case what = task.what;
  const double whole = kernels::footprint_of(what);
  const double least = kernels::dram_working_set(info);
  if (task.whole || whole <= least || what.repeat > 1) return what;
  const double part = std::max(searched_part, least / whole);
  constexpr std::uint64_t granule = 4096;
  what.elements =
      static_cast<std::uint64_t>(part * static_cast<double>(what.elements)) / granule * granule;
  return what;
}

Point point_of(const RoofTask& task, const TrialFacts& trial, Watched watched) {
  Point point;
  point.what = task.what;
  point.work = trial.work;
  point.checked = true;
  point.cold = trial.cold;
  point.note = trial.note;
  point.values = trial.values;
  point.launched = trial.launched;
  store(std::move(watched.measurement), point);
  point.before = std::move(watched.before);
  point.conditions = std::move(watched.after);
  point.disturbed = watched.disturbed;
  return point;
}

}  // namespace

Policy RoofFinder::policy(bool after_idling) const {
  Policy policy = bench_.policy;
  policy.max_time = std::min(policy.max_time, 0.25);
  policy.warm_up = after_idling ? 0.03 : 0.005;
  return policy;
}

void RoofFinder::report(Point point) {
  if (events_.tried) events_.tried(std::move(point));
}

void RoofFinder::report_missing(const MissingRoof& missing) {
  Case what = missing.task.what;
  report(point_without_time(bench_.device, what, Status::skipped,
                            fmt::format("no {} roof: {}", missing.task.roof.name, missing.why)));
}

double RoofFinder::quick_rate(const RoofTask& task, const Shape& shape, std::vector<Point>& tried) {
  Case what = searched_case(task, bench_.device.info());
  what.shape = shape;
  Point point = run_case(bench_.device, what, policy(tried.empty()), candidate_plan, bench_.stop,
                         bench_.timing);
  const double rate =
      point.status == Status::ok ? point.work.*task.amount / point.seconds.median : 0;
  std::erase_if(tried, [&](const Point& before) { return before.what == point.what; });
  tried.push_back(std::move(point));
  return rate;
}

RoofFinder::Searched RoofFinder::search(const RoofTask& task, std::vector<Point>& tried) {
  const std::vector<kernels::ShapeAxis> axes = bench_.device.shape_axes(task.what);
  const double end = bench_.timing.now() + search_time(task, axes);
  Searched result;
  const auto go_on = [&] {
    result.whole = bench_.timing.now() < end;
    return result.whole;
  };
  const auto quick = [&](const Shape& shape) { return quick_rate(task, shape, tried); };
  const auto found = search_shapes(axes, {quick, go_on});
  result.shapes = halved(finalists(found), quick);
  // Behind them, because the first may be fast for being wrong.
  for (const TriedShape& one : found) {
    if (result.shapes.size() == most_attempts || one.rate <= 0) break;
    if (std::ranges::count(result.shapes, one.shape) == 0) result.shapes.push_back(one.shape);
  }
  // What ran beside others says little of a shape.
  if (std::ranges::any_of(tried, &Point::disturbed)) result.whole = false;
  if (result.shapes.empty()) result.shapes = {Shape{}};  // its error says why none runs
  return result;
}

Roof RoofFinder::measured(const RoofTask& task, const Shape& shape, std::size_t rounds,
                          std::vector<Point>& tried) {
  kernels::Device& device = bench_.device;
  RoofTask shaped = task;
  shaped.what.shape = shape;
  if (std::string why = why_not(device, shaped.what); !why.empty()) throw kernels::Unsupported(why);
  const auto trial = device.prepare(shaped.what, bench_.stop);
  if (const kernels::Check check = trial->verify(bench_.stop); !check.ok) {
    throw kernels::Unsupported(fmt::format("wrong result: {}", check.why));
  }
  TrialFacts facts{trial->work(), {}, trial->cold(), {}};
  std::vector<Round> done;
  for (std::size_t i = 0; i < rounds; ++i) {
    const Policy here = policy(i == 0 && !task.brief);
    const VisitPlan plan = task.brief ? brief_plan : round_plan;
    done.push_back(round_of(
        measure_watched(device, shaped.what.units, *trial, here, plan, bench_.stop, bench_.timing),
        facts.work.*task.amount));
  }
  const kernels::Sample& last = done.back().watched.measurement.last;
  facts.note = last.note;
  if (facts.note.empty()) facts.note = kernels::find_kernel(device.kernels(), shaped.what)->note;
  facts.values = last.values;
  facts.launched = last.launched;
  if (task.launched != kernels::Launched::unknown && facts.launched != task.launched)
    throw kernels::Unsupported("the device launches it in another way");
  Roof roof = roof_of(shaped, facts, done);
  tried.push_back(point_of(shaped, facts, std::move(done.front().watched)));
  return roof;
}

std::optional<Roof> RoofFinder::remembered(const RoofTask& task, std::vector<Point>& tried) {
  if (bench_.cache == nullptr || bench_.remeasure) return std::nullopt;
  const auto winner = bench_.cache->winner(task.roof.name);
  if (!winner) return std::nullopt;
  try {
    Roof roof = measured(at_faster_size(task, *winner, tried), *winner, bench_.rounds, tried);
    // A search may have had bad luck, or an unusual machine (a quota, a battery): its winner must
    // still beat the shape that it began with.
    const Shape usual = default_shape(bench_.device.shape_axes(task.what));
    if (usual != *winner && alike * quick_rate(task, usual, tried) > roof.rate) return std::nullopt;
    report_cached(task);
    return roof;
  } catch (const kernels::Unsupported&) {
    return std::nullopt;  // the device offers other shapes than it did: search again
  }
}

RoofTask RoofFinder::at_faster_size(const RoofTask& task, const Shape& shape,
                                    std::vector<Point>& tried) {
  if (task.larger == 0) return task;
  RoofTask sizes[] = {task, task};
  sizes[1].what.elements = task.larger;
  std::vector<double> rates[2];
  for (const int i : {0, 1, 1, 0}) {  // there and back, so that a drift meets both
    sizes[i].whole = true;
    rates[i].push_back(quick_rate(sizes[i], shape, tried));
  }
  return sizes[median_of(rates[1]) > median_of(rates[0]) ? 1 : 0];
}

Roof RoofFinder::first_of(const RoofTask& task, const std::vector<Shape>& shapes,
                          std::vector<Point>& tried) {
  const bool launches = task.roof.kind == RoofKind::overhead;
  const std::size_t rounds = task.brief ? 1
                             : launches ? std::max(bench_.rounds, least_rounds_of_launches)
                                        : bench_.rounds;
  for (const Shape& shape : shapes) {
    try {
      return measured(task, shape, rounds, tried);
    } catch (const kernels::Cancelled&) {
      throw;
    } catch (const kernels::DeviceLost&) {
      throw;
    } catch (const std::exception& error) {  // what ran on a part may not fit as a whole
      if (&shape == &shapes.back()) throw;
      Case what = task.what;
      what.shape = shape;
      tried.push_back(point_without_time(bench_.device, what, Status::failed, error.what()));
    }
  }
  throw kernels::Unsupported("no shape of its kernel runs");
}

bool RoofFinder::is_searched(const RoofTask& task) const {
  return !task.brief && task.what.shape.empty() && !bench_.device.shape_axes(task.what).empty();
}

/// A roof is called after the memory that it reads: what fits a cache is no roof of DRAM, and a
/// shape that is fastest there need not be so in DRAM.
void RoofFinder::refuse_cached(const RoofTask& task) const {
  const kernels::DeviceInfo& info = bench_.device.info();
  const double cache =
      kernels::reachable_cache(info.last_level_cache(), info.virtual_machine, info.multiprocessors);
  const double bytes = kernels::footprint_of(task.what);
  if (!is_of_dram(task.roof) || bytes >= cache) return;
  throw kernels::Unsupported(
      fmt::format("with {} of free memory it would run in caches; free {}{}",
                  units::bytes(bench_.device.free_bytes()),
                  units::bytes(kernels::dram_working_set(info) / most_of_free),
                  info.kind == "cpu" ? ", or raise the memory limit" : ""));
}

Roof RoofFinder::best_roof(const RoofTask& task, std::vector<Point>& tried) {
  refuse_cached(task);
  const bool searched = is_searched(task);
  if (searched) {
    if (std::optional<Roof> known = remembered(task, tried)) return *std::move(known);
  }
  Searched found{{task.what.shape}};
  if (searched) found = search(task, tried);
  const RoofTask sized = at_faster_size(task, found.shapes.front(), tried);
  Roof roof = first_of(sized, found.shapes, tried);
  // What is kept decides for a long time: no hasty search, none on a machine that was busy, and
  // none partly in cache for want of memory.
  const bool cached = is_of_dram(task.roof) && kernels::footprint_of(task.what) <
                                                   kernels::dram_working_set(bench_.device.info());
  const bool sound =
      found.whole && !cached && flag_of(roof).empty() && bench_.policy.max_time >= least_to_keep;
  if (searched && sound && bench_.cache != nullptr) bench_.cache->keep(roof, tried);
  return roof;
}

void RoofFinder::report_cached(const RoofTask& task) {
  const Case searched = searched_case(task, bench_.device.info());
  for (const Point& point : bench_.cache->tried()) {
    Case plain = point.what;
    plain.shape = {};
    Case larger = task.what;
    larger.elements = task.larger;
    if (point.what.shape.empty()) continue;
    if (plain == searched || plain == task.what || plain == larger) report(point);
  }
}

void RoofFinder::find(const RoofTask& task) {
  if (bench_.stop.stop_requested()) throw kernels::Cancelled();
  std::vector<Point> tried;
  try {
    Roof best = best_roof(task, tried);
    const auto other = rates_.find(task.apart_from);
    const bool own = other == rates_.end() || !is_alike(best.rate, other->second);
    rates_[task.roof.name] = best.rate;
    if (own && is_of_dram(best)) memory_.push_back(best);
    if (own && (best.disturbed || best.conditions.throttled.value_or(false)))
      (best.disturbed && held_by_quota(best.conditions) ? over_quota_ : disturbed_)
          .push_back(task.roof.name);
    if (own) events_.roof(std::move(best));
  } catch (const kernels::Cancelled&) {
    throw;
  } catch (const kernels::DeviceLost&) {
    throw;
  } catch (const std::exception& error) {  // unsupported, or no memory for it: the rest goes on
    // In place of a kernel's own overhead stands that of an empty launch.
    if (events_.problem && !task.brief) {
      events_.problem(fmt::format("no {} roof: {}", task.roof.name, error.what()));
    }
  }
  for (Point& point : tried) report(std::move(point));
}

void RoofFinder::doubt_memory(kernels::Data data) {
  auto level = rates_.find(roof_name_on("L3", data));
  if (level == rates_.end()) level = rates_.find(roof_name_on("L2", data));
  if (level == rates_.end()) return;
  for (Roof& roof : memory_) {
    if (roof.rate <= level->second / alike) continue;
    roof.partly_cached = true;
    events_.roof(roof);
    if (bench_.cache != nullptr) bench_.cache->forget(roof.name);
    if (!events_.problem) continue;
    events_.problem(
        fmt::format("{} ({}) is faster than {} ({}), so caches hold part of what the memory roofs "
                    "move, or other work "
                    "slowed {} down; measure the roofs again when the machine is idle",
                    roof.name, units::bytes_per_second(roof.rate), level->first,
                    units::bytes_per_second(level->second), level->first));
  }
}

void RoofFinder::report_disturbed() const {
  if (!events_.problem) return;
  if (!over_quota_.empty()) {
    events_.problem(
        fmt::format("unreliable, since the processor quota of this control group held back every "
                    "round: {}; measure "
                    "the roofs again with a larger one",
                    fmt::join(over_quota_, ", ")));
  }
  if (disturbed_.empty()) return;
  events_.problem(
      fmt::format("unreliable, since other work or a throttled clock disturbed every round: {}; "
                  "measure the roofs "
                  "again when the machine is idle",
                  fmt::join(disturbed_, ", ")));
}

std::uint64_t RoofFinder::growth_beyond_caches(const RoofTask& read) {
  // Twice the size reads slower by more than noise: part of it came from a cache.
  constexpr double flat = 0.9;
  constexpr std::uint64_t most = 16;
  constexpr int rounds = 2;
  std::uint64_t growth = 1;
  for (; growth < most; growth *= 2) {
    RoofTask sizes[] = {read, read};
    sizes[0].what.elements *= growth;
    sizes[1].what.elements *= 2 * growth;
    const double free = bench_.device.free_bytes();
    if (kernels::footprint_of(sizes[1].what) > most_of_free * free) break;
    std::vector<double> rates[2];
    for (int i = 0; i < 2 * rounds; ++i) {  // in turn, so that a drift meets both
      const RoofTask& task = sizes[i % 2];
      const Point point = run_case(bench_.device, task.what, policy(i == 0), quick_plan,
                                   bench_.stop, bench_.timing);
      if (point.status != Status::ok) return growth;
      rates[i % 2].push_back(point.work.*task.amount / point.seconds.median);
    }
    if (median_of(rates[1]) >= flat * median_of(rates[0])) break;
  }
  return growth;
}

std::vector<CurvePoint> RoofFinder::level_curve(kernels::Data data) {
  const kernels::DeviceInfo& info = bench_.device.info();
  std::vector<CurvePoint> curve;
  for (const kernels::Op op : {kernels::Op::read, kernels::Op::l2}) {
    for (const double bytes : curve_sizes(info)) {
      if (bench_.stop.stop_requested()) throw kernels::Cancelled();
      Case what = read_over(info, bytes, data);
      what.ops = op;
      if (!why_not(bench_.device, what).empty()) break;
      const Point point = run_case(bench_.device, what, policy(curve.empty()), quick_plan,
                                   bench_.stop, bench_.timing);
      report(point);
      if (point.status != Status::ok) continue;
      curve.push_back(
          {kernels::footprint_of(what), point.bytes_per_second(), op == kernels::Op::l2});
    }
  }
  return curve;
}

}  // namespace engine
