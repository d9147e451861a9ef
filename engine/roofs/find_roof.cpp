// One roof: the fastest shape from the cache or a search, then a proper measurement.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/measure/run_case.hpp"
#include "engine/measure/statistics.hpp"
#include "engine/roofs/roofs.hpp"
#include "engine/roofs/shape_search.hpp"
#include "kernels/families/family.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

using kernels::Case;
using kernels::Shape;

// Launches are over so soon, and depend so much on what the system does with waiting threads, that
// a few rounds see one mood of it only.
constexpr std::size_t least_rounds_of_launches = 9;
constexpr VisitPlan round_plan{.runs = 3, .most_runs = 64, .seconds = 0.03};
constexpr VisitPlan brief_round{.runs = 7, .most_runs = 64, .seconds = 0.003};
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
constexpr double free_for_search = 0.5;

Policy policy_of(const RoofBench& bench, bool after_idling) {
  Policy policy = bench.policy;
  policy.max_time = std::min(policy.max_time, 0.25);
  policy.warm_up = after_idling ? 0.03 : 0.005;
  return policy;
}

double rate_of(const RoofTask& task, const Point& point) {
  return point.status == Status::ok ? point.work.*task.amount / point.seconds.median : 0;
}

/// A note without the value of an axis that it begins with: "AVX-512, huge pages" -> "huge pages".
std::string beyond_shape(const Shape& shape, const std::string& note) {
  for (const kernels::ShapeChoice& choice : shape) {
    if (note == choice.value) return {};
    if (note.starts_with(choice.value + ", ")) return note.substr(choice.value.size() + 2);
  }
  return note;
}

std::string citation(const Roof& roof, const Point& typical) {
  const Case& what = typical.what;
  std::string how = fmt::format("{} {}", name_of(what.family), name_of(what.op()));
  if (roof.kind == RoofKind::bandwidth)
    how += fmt::format(", {} moved", units::bytes(typical.work.bytes));
  if (what.family->role == kernels::Role::overhead)
    how = fmt::format("{} empty kernels in a row", what.repeat);
  else if (roof.kind == RoofKind::overhead && what.elements > 0)
    how += fmt::format(", {} elements", what.elements);
  if (!what.shape.empty()) how += fmt::format(", {}", text_of(what.shape));
  if (const std::string more = beyond_shape(what.shape, typical.note); !more.empty())
    how += fmt::format(", {}", more);
  if (typical.disturbed && held_by_quota(typical.conditions))
    return how + "; a processor quota held back every round";
  if (typical.disturbed) return how + "; other work used the device in every round";
  if (typical.conditions.throttled.value_or(false)) return how + "; the clock was throttled";
  return how;
}

/// The roof of its rounds, which are sorted so that a typical one comes first. Rounds that others
/// disturbed do not count, unless there are no others.
Roof roof_of(const RoofTask& task, std::vector<Point>& rounds) {
  std::ranges::stable_partition(rounds, [](const Point& round) { return !round.disturbed; });
  const auto end = std::ranges::find_if(
      rounds, [&](const Point& round) { return round.disturbed != rounds.front().disturbed; });
  const std::span<Point> counting(rounds.begin(), end);
  std::vector<double> rates;
  for (const Point& round : counting) rates.push_back(rate_of(task, round));
  Roof roof = task.roof;
  roof.source = RoofSource::measured;
  roof.shape = rounds.front().what.shape;
  set_rounds(roof, std::move(rates));
  std::swap(rounds.front(), *std::ranges::min_element(counting, {}, [&](const Point& round) {
              return std::abs(rate_of(task, round) - roof.rate);
            }));
  const Point& typical = rounds.front();
  roof.conditions = typical.conditions;
  for (const Point& round : counting)
    roof.highest_clock = std::max(roof.highest_clock, round.conditions.clock_hz.value_or(0));
  roof.disturbed = typical.disturbed;
  roof.cite = citation(roof, typical);
  roof.partly_cached = is_of_dram(roof) && !typical.cold;
  return roof;
}

/// One task, on one bench.
class Finder {
 public:
  Finder(const RoofBench& bench, const RoofTask& task, std::vector<Point>& tried)
      : bench_(bench), task_(task), tried_(tried), axes_(bench.device.shape_axes(task.what)) {}

  Roof best() {
    refuse_cached();
    const bool searched = !task_.brief && task_.what.shape.empty() && !axes_.empty();
    if (searched) {
      if (std::optional<Roof> known = remembered()) return *std::move(known);
    }
    Searched found{{task_.what.shape}};
    if (searched) found = search();
    Roof roof = first_of(at_faster_size(found.shapes.front()), found.shapes);
    // What is kept decides for a long time: no hasty search, none on a machine that was busy, and
    // none partly in cache for want of memory.
    const bool cached =
        is_of_dram(task_.roof) &&
        kernels::footprint_of(task_.what) < kernels::dram_working_set(bench_.device.info());
    const bool sound =
        found.whole && !cached && flag_of(roof).empty() && bench_.policy.max_time >= least_to_keep;
    if (searched && sound && bench_.cache != nullptr) bench_.cache->keep(roof, tried_);
    return roof;
  }

 private:
  struct Searched {
    std::vector<Shape> shapes;  ///< the fastest first
    bool whole = true;  ///< false: its time was over before it came to an end, or it was disturbed
  };

  double search_time() const {
    if (task_.roof.kind == RoofKind::bandwidth) return stream_search_time;
    double shapes = 1;
    for (const kernels::ShapeAxis& axis : axes_)
      shapes *= static_cast<double>(std::max<std::size_t>(axis.values.size(), 1));
    return std::clamp(shapes * time_of_a_shape, least_search_time, longest_search_time);
  }

  /// A smaller working set on which shapes can be compared.
  Case searched_case() const {
    Case what = task_.what;
    const double whole = kernels::footprint_of(what);
    const double least = kernels::dram_working_set(bench_.device.info());
    if (task_.whole || whole <= least || what.repeat > 1) return what;
    const double part = std::max(searched_part, least / whole);
    constexpr std::uint64_t granule = 4096;
    what.elements =
        static_cast<std::uint64_t>(part * static_cast<double>(what.elements)) / granule * granule;
    return what;
  }

  /// From a short measurement; 0: it does not run.
  double quick_rate(Case what, const Shape& shape) {
    what.shape = shape;
    Point point = measure_once(bench_, what, tried_.empty(), candidate_plan);
    const double rate = rate_of(task_, point);
    std::erase_if(tried_, [&](const Point& before) { return before.what == what; });
    tried_.push_back(std::move(point));
    return rate;
  }

  Searched search() {
    const double end = bench_.timing.now() + search_time();
    const Case what = searched_case();
    Searched result;
    const auto go_on = [&] {
      result.whole = bench_.timing.now() < end;
      return result.whole;
    };
    const auto quick = [&](const Shape& shape) { return quick_rate(what, shape); };
    const auto found = search_shapes(axes_, {quick, go_on});
    result.shapes = halved(finalists(found), quick);
    // Behind them, because the first may be fast for being wrong.
    for (const TriedShape& one : found) {
      if (result.shapes.size() == most_attempts || one.rate <= 0) break;
      if (std::ranges::count(result.shapes, one.shape) == 0) result.shapes.push_back(one.shape);
    }
    // What ran beside others says little of a shape.
    if (std::ranges::any_of(tried_, &Point::disturbed)) result.whole = false;
    if (result.shapes.empty()) result.shapes = {Shape{}};  // its error says why none runs
    return result;
  }

  /// Over the working set on which this shape is faster, where there is another one.
  Case at_faster_size(const Shape& shape) {
    Case sizes[] = {task_.what, task_.what};
    if (task_.larger == 0) return sizes[0];
    sizes[1].elements = task_.larger;
    std::vector<double> rates[2];
    for (const int i : {0, 1, 1, 0})  // there and back, so that a drift meets both
      rates[i].push_back(quick_rate(sizes[i], shape));
    return sizes[median_of(rates[1]) > median_of(rates[0]) ? 1 : 0];
  }

  Roof measured(Case what, const Shape& shape, std::size_t rounds) {
    what.shape = shape;
    Trials trials;
    std::vector<Point> done;
    for (std::size_t i = 0; i < rounds; ++i) {
      done.push_back(run_case(bench_.device, what, policy_of(bench_, i == 0 && !task_.brief),
                              task_.brief ? brief_round : round_plan, bench_.stop, bench_.timing,
                              &trials));
      const Point& round = done.back();
      if (round.status != Status::ok) throw kernels::Unsupported(round.why);
      if (const double rate = rate_of(task_, round); !(rate > 0 && rate < 1e24))
        throw kernels::Unsupported("the clock returned no usable time");
    }
    if (task_.launched != kernels::Launched::unknown && done.back().launched != task_.launched)
      throw kernels::Unsupported("the device launches it in another way");
    Roof roof = roof_of(task_, done);
    tried_.push_back(std::move(done.front()));
    return roof;
  }

  /// With the shape that an earlier search found; nothing when there was none, when it runs no
  /// more, or when it is no longer the better one.
  std::optional<Roof> remembered() {
    if (bench_.cache == nullptr || bench_.remeasure) return std::nullopt;
    const auto winner = bench_.cache->winner(task_.roof.name);
    if (!winner) return std::nullopt;
    try {
      Roof roof = measured(at_faster_size(*winner), *winner, bench_.rounds);
      // A search may have had bad luck, or an unusual machine (a quota, a battery): its winner must
      // still beat the shape that it began with.
      const Shape usual = default_shape(axes_);
      if (usual != *winner && alike_rates * quick_rate(searched_case(), usual) > roof.rate)
        return std::nullopt;
      show_cached();
      return roof;
    } catch (const kernels::Unsupported&) {
      return std::nullopt;  // the device offers other shapes than it did: search again
    }
  }

  /// Before what was tried now.
  void show_cached() {
    Case larger = task_.what;
    larger.elements = task_.larger;
    std::vector<Point> shown;
    for (const Point& point : bench_.cache->tried()) {
      Case plain = point.what;
      plain.shape = {};
      const bool ours = plain == searched_case() || plain == task_.what || plain == larger;
      if (ours && !point.what.shape.empty()) shown.push_back(point);
    }
    tried_.insert(tried_.begin(), shown.begin(), shown.end());
  }

  /// Of the first shape that runs.
  Roof first_of(Case what, const std::vector<Shape>& shapes) {
    const bool launches = task_.roof.kind == RoofKind::overhead;
    const std::size_t rounds = task_.brief ? 1
                               : launches  ? std::max(bench_.rounds, least_rounds_of_launches)
                                           : bench_.rounds;
    for (const Shape& shape : shapes) {
      try {
        return measured(what, shape, rounds);
      } catch (const kernels::Unsupported& error) {  // what ran on a part may not fit as a whole
        if (&shape == &shapes.back()) throw;
        what.shape = shape;
        tried_.push_back(point_without_time(bench_.device, what, Status::failed, error.what()));
      }
    }
    throw kernels::Unsupported("no shape of its kernel runs");
  }

  /// A roof is called after the memory that it reads: what fits a cache is no roof of DRAM, and a
  /// shape that is fastest there need not be so in DRAM.
  void refuse_cached() const {
    const kernels::DeviceInfo& info = bench_.device.info();
    const double cache = kernels::reachable_cache(info.last_level_cache(), info.virtual_machine,
                                                  info.multiprocessors);
    if (!is_of_dram(task_.roof) || kernels::footprint_of(task_.what) >= cache) return;
    throw kernels::Unsupported(
        fmt::format("with {} of free memory it would run in caches; free {}{}",
                    units::bytes(bench_.device.free_bytes()),
                    units::bytes(kernels::dram_working_set(info) / free_for_search),
                    info.kind == "cpu" ? ", or raise the memory limit" : ""));
  }

  const RoofBench& bench_;
  const RoofTask& task_;
  std::vector<Point>& tried_;
  std::vector<kernels::ShapeAxis> axes_;
};

/// By how much the working set of a roof of the memory has to grow until one of twice the size is
/// read as fast: 1, 2, 4, ...; where memory ends before, as far as it goes.
std::uint64_t growth_beyond_caches(const RoofBench& bench, const RoofTask& read) {
  // Twice the size reads slower by more than noise: part of it came from a cache.
  constexpr double flat = 0.9;
  constexpr std::uint64_t most = 16;
  constexpr int rounds = 2;
  std::uint64_t growth = 1;
  for (; growth < most; growth *= 2) {
    Case sizes[] = {read.what, read.what};
    sizes[0].elements *= growth;
    sizes[1].elements *= 2 * growth;
    if (kernels::footprint_of(sizes[1]) > free_for_search * bench.device.free_bytes()) break;
    std::vector<double> rates[2];
    for (int i = 0; i < 2 * rounds; ++i) {  // in turn, so that a drift meets both
      const double rate = rate_of(read, measure_once(bench, sizes[i % 2], i == 0));
      if (rate <= 0) return growth;
      rates[i % 2].push_back(rate);
    }
    if (median_of(rates[1]) >= flat * median_of(rates[0])) break;
  }
  return growth;
}

}  // namespace

void set_rounds(Roof& roof, std::vector<double> rates) {
  roof.rate = median_of(rates);
  const Ends ends = median_interval(rates).value_or(Ends{});
  roof.rate_low = ends.low;
  roof.rate_high = ends.high;
  roof.best = range_of(rates).high;
  roof.rounds = std::move(rates);
}

Point measure_once(const RoofBench& bench, const Case& what, bool after_idling,
                   const VisitPlan& plan) {
  if (bench.stop.stop_requested()) throw kernels::Cancelled();
  return run_case(bench.device, what, policy_of(bench, after_idling), plan, bench.stop,
                  bench.timing);
}

bool is_offered(const kernels::Device& device, const Case& what) {
  const std::vector<kernels::ShapeAxis> axes = device.shape_axes(what);
  return std::ranges::all_of(what.shape, [&](const kernels::ShapeChoice& choice) {
    const auto axis = std::ranges::find(axes, choice.axis, &kernels::ShapeAxis::name);
    return axis != axes.end() && std::ranges::count(axis->values, choice.value) > 0;
  });
}

FoundRoof find_roof(const RoofBench& bench, RoofTask task) {
  if (bench.stop.stop_requested()) throw kernels::Cancelled();
  FoundRoof found;
  const auto say = [&](const std::string& why) {
    return fmt::format("no {} roof: {}", task.roof.name, why);
  };
  if (!task.why_not.empty()) {
    found.tried.push_back(
        point_without_time(bench.device, task.what, Status::skipped, say(task.why_not)));
    return found;
  }
  if (!is_offered(bench.device, task.what)) task.what.shape = {};
  try {
    found.roof = Finder(bench, task, found.tried).best();
  } catch (const kernels::Cancelled&) {
    throw;
  } catch (const kernels::DeviceLost&) {
    throw;
  } catch (const std::exception& error) {  // unsupported, or no memory for it: the rest goes on
    // In place of a kernel's own overhead stands that of an empty launch.
    if (!task.brief) found.why_not = say(error.what());
  }
  return found;
}

std::string grow_beyond_caches(const RoofBench& bench, std::vector<RoofTask>& tasks) {
  const auto is_of_memory = [](const RoofTask& task) { return is_of_dram(task.roof); };
  const auto read = std::ranges::find_if(tasks, is_of_memory);
  if (read == tasks.end() || read->what.op() != kernels::Op::read) return "";
  const std::uint64_t growth = growth_beyond_caches(bench, *read);
  if (growth == 1) return "";
  for (RoofTask& task : tasks) {
    if (!is_of_memory(task)) continue;
    task.what.elements *= growth;
    task.whole = true;
    if (task.larger <= task.what.elements) task.larger = 0;
  }
  return fmt::format(
      "{} hold part of a working set of {}, so the memory roofs were measured over {}; sweep "
      "chains with --elements {} to measure memory alone",
      bench.device.info().kind == "cpu" ? "caches of this machine" : "caches of this GPU",
      units::bytes(kernels::footprint_of(read->what) / static_cast<double>(growth)),
      units::bytes(kernels::footprint_of(read->what)), read->what.elements / 2);
}

}  // namespace engine
