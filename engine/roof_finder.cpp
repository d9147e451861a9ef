#include "engine/roof_finder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "engine/roof_facts.hpp"
#include "engine/run_case.hpp"
#include "engine/shape_search.hpp"
#include "engine/watched.hpp"

namespace engine {
namespace {

using kernels::Case;
using kernels::Shape;

// A roof is a ceiling: of several rounds the best counts, since a disturbance only ever makes one
// slower.
constexpr int rounds_of_winner = 3;
// How often a roof is measured once more because one of its own tries lies above it.
constexpr int most_repetitions = 2;
// Launches are over so soon, and depend so much on what the system does with waiting threads, that
// a few rounds see one mood of it only.
constexpr int rounds_of_launches = 9;
constexpr double max_round_time = 0.15;  // s
// For searching the shape of one roof, s: a cold start of about 20 roofs is to take 10 s on 2
// cores.
constexpr double search_time = 0.2;
constexpr double stream_search_time = 0.9;
// Of the memory roof's working set: filling it takes longer than measuring, and shapes compare as
// well on a smaller one, if it is still beyond the caches.
constexpr double searched_part = 0.25;
// Nearer than this, short measurements are alike.
constexpr double alike = 0.95;

/// A smaller working set on which shapes of this task can be compared.
Case searched_case(const RoofTask& task, const kernels::DeviceInfo& info) {
  Case what = task.what;
  const double whole = kernels::footprint_of(what);
  const double least = kernels::dram_working_set(info);
  if (whole <= least || what.repeat > 1) return what;
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
  store(std::move(watched), point);
  return point;
}

bool is_of_memory(const Roof& roof) {
  return roof.kind == RoofKind::bandwidth && roof.name.starts_with("DRAM");
}

/// The fastest of the tries that do the same work as a task, or nullptr: tries on less memory say
/// nothing of all of it.
const Point* fastest_try(const RoofTask& task, const std::vector<Point>& tried) {
  const Point* fastest = nullptr;
  for (const Point& point : tried) {
    Case what = point.what;
    what.shape = task.what.shape;
    if (point.status != Status::ok || what != task.what) continue;
    if (fastest == nullptr || point.seconds.median < fastest->seconds.median) fastest = &point;
  }
  return fastest;
}

}  // namespace

Policy RoofFinder::quick_policy(bool after_idling) const {
  Policy quick = bench_.policy;
  quick.noise = 0.02;
  quick.max_time = std::min(quick.max_time, 0.25);
  quick.min_samples = 3;
  quick.warm_up = after_idling ? 0.03 : 0.005;
  return quick;
}

void RoofFinder::report(Point point) {
  point.experiment = "roofs";
  if (events_.tried) events_.tried(std::move(point));
}

bool RoofFinder::gives_way(const Measured& found) const {
  return !found.roof.flaws.empty() && events_.higher_known && events_.higher_known(found.roof);
}

void RoofFinder::report(const Measured& found) {
  if (!gives_way(found)) events_.roof(found.roof);
}

void RoofFinder::report_missing(const MissingRoof& missing) {
  Case what = missing.task.what;
  report(point_without_time(what, Status::skipped,
                            fmt::format("no {} roof: {}", missing.task.roof.name, missing.why)));
}

double RoofFinder::quick_rate(const RoofTask& task, const Shape& shape, std::vector<Point>& tried) {
  Case what = searched_case(task, bench_.device.info());
  what.shape = shape;
  Point point =
      run_case(bench_.device, what, quick_policy(tried.empty()), "", bench_.stop, bench_.timing);
  const double rate =
      point.status == Status::ok ? point.work.*task.amount / point.seconds.median : 0;
  tried.push_back(std::move(point));
  return rate;
}

RoofFinder::Searched RoofFinder::search(const RoofTask& task, std::vector<Point>& tried) {
  const bool stream = task.roof.kind == RoofKind::bandwidth;
  const double end = bench_.timing.now() + (stream ? stream_search_time : search_time);
  Searched result;
  const auto go_on = [&] {
    result.whole = bench_.timing.now() < end;
    return result.whole;
  };
  const auto quick = [&](const Shape& shape) { return quick_rate(task, shape, tried); };
  result.candidates = finalists(search_shapes(bench_.device.shape_axes(task.what), {quick, go_on}));
  // What ran beside others says little of a shape.
  if (std::ranges::any_of(tried, &Point::disturbed)) result.whole = false;
  if (result.candidates.empty()) result.candidates = {Shape{}};  // its error says why none runs
  return result;
}

RoofFinder::Measured RoofFinder::measured(const RoofTask& task, const Shape& shape, int rounds,
                                          std::vector<Point>& tried) {
  kernels::Device& device = bench_.device;
  RoofTask shaped = task;
  shaped.what.shape = shape;
  if (std::string why = why_not(device, shaped.what); !why.empty()) throw kernels::Unsupported(why);
  const auto trial = device.prepare(shaped.what, bench_.stop);
  if (const kernels::Check check = trial->verify(bench_.stop); !check.ok) {
    throw kernels::Unsupported(fmt::format("wrong result: {}", check.why));
  }
  Policy brief = bench_.policy;
  brief.max_time = std::min(brief.max_time, max_round_time);
  Measured result;
  result.asked = task;
  result.task = std::move(shaped);
  result.trial = {trial->work(), trial->note(), trial->cold()};
  if (result.trial.note.empty())
    result.trial.note = kernels::find_kernel(device.kernels(), result.task.what)->note;
  for (int i = 0; i < rounds; ++i) {
    result.rounds.push_back(
        round_of(measure_watched(device, *trial, brief, bench_.stop, bench_.timing),
                 result.trial.work.*task.amount));
  }
  result.roof = roof_of(result.task, result.trial, result.rounds);
  tried.push_back(point_of(result.task, result.trial, result.rounds.front().watched));
  return result;
}

template <class Work>
void RoofFinder::or_say(const Roof& roof, const Work& work) {
  try {
    work();
  } catch (const kernels::Cancelled&) {
    throw;
  } catch (const kernels::DeviceLost&) {
    throw;
  } catch (const std::exception& error) {
    if (events_.problem)
      events_.problem(
          fmt::format("the {} roof was not measured again: {}", roof.name, error.what()));
  }
}

void RoofFinder::say_raised(const Roof& roof, double before) {
  if (!events_.problem || alike * roof.rate <= before) return;
  events_.problem(
      fmt::format("the {} roof was measured again: {} instead of {}; {} was slower before",
                  roof.name, rate_text(roof), rate_text(roof, before), bench_.device.info().id));
}

void RoofFinder::measure_more(Measured& known, const Shape& shape, int rounds,
                              std::vector<Point>& tried) {
  or_say(known.roof, [&] {
    Measured more = measured(known.asked, shape, rounds, tried);
    if (shape != known.task.what.shape) {
      if (more.roof.rate > known.roof.rate) known = std::move(more);
      return;
    }
    std::ranges::move(more.rounds, std::back_inserter(known.rounds));
    known.roof = roof_of(known.task, known.trial, known.rounds);
    // Of a case the newest point stays: that of the round that counts.
    tried.back() = point_of(known.task, known.trial, known.rounds.front().watched);
  });
}

RoofFinder::Measured RoofFinder::above_its_tries(Measured result, std::vector<Point>& tried) {
  // Of launches the typical round is the roof.
  if (result.roof.kind == RoofKind::overhead) return result;
  const double before = result.roof.rate;
  for (int again = 0; again < most_repetitions; ++again) {
    const Point* fastest = fastest_try(result.task, tried);
    if (fastest == nullptr) break;
    const double rate = fastest->work.*result.task.amount / fastest->seconds.median;
    if (alike * rate <= result.roof.rate) break;
    const Shape shape = fastest->what.shape;
    measure_more(result, shape, rounds_of_winner, tried);
  }
  say_raised(result.roof, before);
  return result;
}

std::optional<RoofFinder::Measured> RoofFinder::remembered(const RoofTask& task,
                                                           std::vector<Point>& tried) {
  if (bench_.cache == nullptr || bench_.remeasure) return std::nullopt;
  const auto winner = bench_.cache->winner(task.roof.name);
  if (!winner) return std::nullopt;
  try {
    Measured result = measured(task, *winner, rounds_of_winner, tried);
    // A search may have had bad luck: its winner must still beat the shape that it began with.
    const Shape usual = default_shape(bench_.device.shape_axes(task.what));
    if (usual != *winner && alike * quick_rate(task, usual, tried) > result.roof.rate)
      return std::nullopt;
    report_cached(task);
    return result;
  } catch (const kernels::Unsupported&) {
    return std::nullopt;  // the device offers other shapes than it did: search again
  }
}

Shape RoofFinder::fastest(const RoofTask& task, const std::vector<Shape>& candidates,
                          std::vector<Point>& tried) {
  if (candidates.size() == 1) return candidates.front();
  double best = 0;
  Shape winner = candidates.front();
  for (const Shape& shape : candidates) {
    try {
      const double rate = measured(task, shape, 1, tried).roof.rate;
      if (rate > best) winner = shape;
      best = std::max(best, rate);
    } catch (const kernels::Cancelled&) {
      throw;
    } catch (const kernels::DeviceLost&) {
      throw;
    } catch (const std::exception& error) {  // what ran on a part may not fit as a whole
      Case what = task.what;
      what.shape = shape;
      tried.push_back(point_without_time(what, Status::failed, error.what()));
    }
  }
  return winner;
}

bool RoofFinder::is_searched(const RoofTask& task) const {
  return task.what.shape.empty() && !bench_.device.shape_axes(task.what).empty();
}

RoofFinder::Measured RoofFinder::best_roof(const RoofTask& task, std::vector<Point>& tried) {
  const bool searched = is_searched(task);
  if (searched) {
    if (std::optional<Measured> known = remembered(task, tried)) return *std::move(known);
  }
  Searched found{{task.what.shape}};
  if (searched) found = search(task, tried);
  const bool launches = task.roof.kind == RoofKind::overhead;
  Measured result = measured(task, fastest(task, found.candidates, tried),
                             launches ? rounds_of_launches : rounds_of_winner, tried);
  result = above_its_tries(std::move(result), tried);
  // What is kept decides for a long time: no hasty search, and none on a machine that was busy.
  const bool sound =
      found.whole && result.roof.flaws.empty() && bench_.policy.max_time >= max_round_time;
  if (searched && sound && bench_.cache != nullptr) bench_.cache->keep(result.roof, tried);
  return result;
}

void RoofFinder::report_cached(const RoofTask& task) {
  const Case searched = searched_case(task, bench_.device.info());
  for (const Point& point : bench_.cache->tried()) {
    Case plain = point.what;
    plain.shape = {};
    if (!point.what.shape.empty() && (plain == searched || plain == task.what)) report(point);
  }
}

bool RoofFinder::memory_is_faster_now() const {
  return std::ranges::any_of(found_, [&](const Measured& found) {
    return found.task.what.op == kernels::Op::read && is_of_memory(found.roof) &&
           alike * beyond_caches_ > found.roof.rate;
  });
}

std::vector<std::string> RoofFinder::worth_another_look() const {
  // Memory has moods of its own, and filling it takes longer than measuring.
  const bool memory = memory_is_faster_now();
  std::vector<std::string> names;
  for (const Measured& found : found_) {
    const bool launches = found.roof.kind == RoofKind::overhead;
    if (is_of_memory(found.roof) ? memory : !launches) names.push_back(found.roof.name);
  }
  return names;
}

void RoofFinder::look_again(const std::function<void(const std::string& name)>& before) {
  const std::vector<std::string> names = worth_another_look();
  for (Measured& found : found_) {
    if (std::ranges::find(names, found.roof.name) == names.end()) continue;
    if (bench_.stop.stop_requested()) throw kernels::Cancelled();
    before(found.roof.name);
    std::vector<Point> tried;
    const double before_it = found.roof.rate;
    measure_more(found, found.task.what.shape, 1, tried);
    // The shapes were compared while the device was slow, and the winner was one by chance.
    if (alike * found.roof.rate > before_it && is_searched(found.asked)) {
      if (bench_.cache != nullptr) bench_.cache->forget(found.roof.name);
      or_say(found.roof, [&] {
        Measured anew = best_roof(found.asked, tried);
        if (anew.roof.rate > found.roof.rate) found = std::move(anew);
      });
    }
    say_raised(found.roof, before_it);
    report(found);
    for (Point& point : tried) report(std::move(point));
  }
}

void RoofFinder::report_flaws() {
  if (!events_.problem) return;
  std::map<std::string, std::vector<std::string>> flawed, left_out;  // names of roofs, by flaw
  for (const Measured& found : found_) {
    const std::string& flaws = found.roof.flaws;
    if (flaws.empty()) continue;
    (gives_way(found) ? left_out : flawed)[flaws].push_back(found.roof.name);
  }
  for (const auto& [flaw, names] : flawed) {
    events_.problem(
        fmt::format("do not rely on {} ({}): {}; measure again when the machine is idle",
                    names.size() == 1 ? "this roof" : "these roofs", fmt::join(names, ", "), flaw));
  }
  for (const auto& [flaw, names] : left_out) {
    events_.problem(
        fmt::format("the higher rates known before stay for {}: {}", fmt::join(names, ", "), flaw));
  }
}

void RoofFinder::find(const RoofTask& task) {
  if (bench_.stop.stop_requested()) throw kernels::Cancelled();
  std::vector<Point> tried;
  try {
    found_.push_back(best_roof(task, tried));
    report(found_.back());
  } catch (const kernels::Cancelled&) {
    throw;
  } catch (const kernels::DeviceLost&) {
    throw;
  } catch (const std::exception& error) {  // unsupported, or no memory for it: the rest goes on
    if (events_.problem) {
      events_.problem(fmt::format("no {} roof: {}", task.roof.name, error.what()));
    }
  }
  for (Point& point : tried) report(std::move(point));
}

std::vector<CurvePoint> RoofFinder::level_curve(kernels::Data data) {
  const kernels::DeviceInfo& info = bench_.device.info();
  std::vector<Point> points;
  for (const double bytes : curve_sizes(info)) {
    if (bench_.stop.stop_requested()) throw kernels::Cancelled();
    const Case what = read_over(info, bytes, data);
    if (!why_not(bench_.device, what).empty()) break;
    points.push_back(run_case(bench_.device, what, quick_policy(points.empty()), "", bench_.stop,
                              bench_.timing));
    report(points.back());
  }
  std::vector<CurvePoint> curve;
  for (const Point& point : points) {
    if (point.status != Status::ok) continue;
    curve.push_back({kernels::footprint_of(point.what), point.bytes_per_second()});
    if (point.cold && !point.disturbed)
      beyond_caches_ = std::max(beyond_caches_, point.bytes_per_second());
  }
  return curve;
}

}  // namespace engine
