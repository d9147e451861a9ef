#include "engine/roof_finder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/precision.hpp"
#include "engine/run_case.hpp"
#include "engine/shape_search.hpp"
#include "engine/statistics.hpp"
#include "engine/units.hpp"
#include "engine/watched.hpp"

namespace engine {
namespace {

using kernels::Case;
using kernels::Family;
using kernels::Shape;

// A roof is a ceiling: of several rounds the best counts, since a disturbance only ever makes one
// slower.
constexpr int rounds_of_winner = 3;
// Launches are over so soon, and depend so much on what the system does with waiting threads, that a
// few rounds see one mood of it only.
constexpr int rounds_of_launches = 9;
constexpr double max_round_time = 0.15;  // s
// For searching the shape of one roof, s: a cold start of about 20 roofs is to take 10 s on 2
// cores.
constexpr double search_time = 0.2;
constexpr double stream_search_time = 0.45;
// Of the memory roof's working set: filling it takes longer than measuring, and shapes compare as
// well on a smaller one, if it is still beyond the caches.
constexpr double searched_part = 0.25;
constexpr double caches_over = 4;

/// A smaller working set on which shapes of this task can be compared.
Case searched_case(const RoofTask& task, const kernels::DeviceInfo& info) {
  Case what = task.what;
  const double whole = kernels::footprint_of(what);
  const double cache = caches_over * info.last_level_cache();
  if (whole <= cache || what.repeat > 1) return what;
  const double part = std::max(searched_part, cache / whole);
  constexpr std::uint64_t granule = 4096;
  what.elements =
      static_cast<std::uint64_t>(part * static_cast<double>(what.elements)) / granule * granule;
  return what;
}

/// One round of a roof, and what it moved or computed.
struct Round {
  double rate = 0;
  double low = 0;
  double high = 0;
  Watched watched{};
};

Round round_of(Watched watched, double amount) {
  const Seconds& seconds = watched.measurement.seconds;
  Round round{
      .rate = amount / seconds.median, .low = amount / seconds.high, .high = amount / seconds.low};
  if (!(round.rate > 0 && round.high < 1e24)) {
    throw kernels::Unsupported("the clock gave no time for it");
  }
  round.watched = std::move(watched);
  return round;
}

/// An undisturbed round before a disturbed one, then the faster.
bool better(const Round& a, const Round& b) {
  if (a.watched.disturbed != b.watched.disturbed) return !a.watched.disturbed;
  return a.rate > b.rate;
}

std::string citation(const RoofTask& task, const kernels::Work& work, const Seconds& seconds,
                     int rounds, const std::string& note) {
  std::string how = fmt::format("{} {}", name_of(task.what.family), name_of(task.what.op));
  if (task.roof.kind == RoofKind::bandwidth)
    how += fmt::format(", {} moved", units::bytes(work.bytes));
  if (task.roof.kind == RoofKind::overhead)
    how = fmt::format("{} empty kernels in a row", task.what.repeat);
  if (!task.what.shape.empty()) how += fmt::format(", {}", text_of(task.what.shape));
  if (!note.empty()) how += fmt::format(", {}", note);
  return fmt::format("{}; median of {} samples, best of {} rounds, {}", how, seconds.samples.size(),
                     rounds, precision_in_words(seconds));
}

/// The roof that its rounds, best first, amount to. Its interval is that of the best round or, where
/// that is wider, of the scatter between rounds: samples of one round know nothing of the next.
Roof roof_of(const RoofTask& task, const std::vector<Round>& rounds) {
  const Round& best = rounds.front();
  Roof roof = task.roof;
  roof.source = RoofSource::measured;
  roof.shape = task.what.shape;
  roof.conditions = best.watched.after;
  roof.rate = best.rate;
  std::vector<double> rates;
  for (const Round& round : rounds) {
    if (round.watched.disturbed == best.watched.disturbed) rates.push_back(round.rate);
  }
  const double scatter = rates.size() > 1 ? student_half_width(rates) : 0;
  roof.rate_low = std::max(std::min(best.low, best.rate - scatter), 0.01 * best.rate);
  roof.rate_high = std::max(best.high, best.rate + scatter);
  return roof;
}

Point point_of(const Case& what, const kernels::Work& work, Watched watched, bool cold,
               const std::string& note) {
  Point point;
  point.what = what;
  point.work = work;
  point.checked = true;
  point.cold = cold;
  point.note = note;
  store(std::move(watched), point);
  return point;
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

void RoofFinder::report_missing(const MissingRoof& missing) {
  Case what = missing.task.what;
  report(point_without_time(what, Status::skipped,
                            fmt::format("no {} roof: {}", missing.task.roof.name, missing.why)));
}

std::vector<Shape> RoofFinder::search(const RoofTask& task, std::vector<Point>& tried) {
  const bool stream = task.roof.kind == RoofKind::bandwidth;
  Case what = searched_case(task, bench_.device.info());
  const double end = bench_.timing.now() + (stream ? stream_search_time : search_time);
  const auto quick = [&](const Shape& shape) {
    what.shape = shape;
    Point point =
        run_case(bench_.device, what, quick_policy(tried.empty()), "", bench_.stop, bench_.timing);
    const double median = point.seconds.median;
    const double rate = point.status == Status::ok ? point.work.*task.amount / median : 0;
    tried.push_back(std::move(point));
    return rate;
  };
  const auto go_on = [&] { return bench_.timing.now() < end; };
  return finalists(search_shapes(bench_.device.shape_axes(what), {quick, go_on}));
}

Roof RoofFinder::measured(const RoofTask& task, const Shape& shape, int rounds,
                          std::vector<Point>& tried) {
  kernels::Device& device = bench_.device;
  RoofTask shaped = task;
  shaped.what.shape = shape;
  const kernels::Kernel* kernel = kernels::find_kernel(device.kernels(), shaped.what);
  const std::string note = kernel != nullptr ? kernel->note : "";
  if (std::string why = why_not(device, shaped.what); !why.empty()) throw kernels::Unsupported(why);
  const auto trial = device.prepare(shaped.what, bench_.stop);
  if (const kernels::Check check = trial->verify(bench_.stop); !check.ok) {
    throw kernels::Unsupported(fmt::format("wrong result: {}", check.why));
  }
  Policy brief = bench_.policy;
  brief.max_time = std::min(brief.max_time, max_round_time);
  const kernels::Work work = trial->work();
  std::vector<Round> all;
  for (int i = 0; i < rounds; ++i) {
    all.push_back(round_of(measure_watched(device, *trial, brief, bench_.stop, bench_.timing),
                           work.*task.amount));
  }
  std::ranges::stable_sort(all, better);
  Roof roof = roof_of(shaped, all);
  roof.cite = citation(shaped, work, all.front().watched.measurement.seconds, rounds, note);
  if (roof.name.starts_with("DRAM") && !trial->cold()) {
    roof.cite += "; part of it in cache, so the memory itself is slower";
  }
  tried.push_back(point_of(shaped.what, work, std::move(all.front().watched), trial->cold(), note));
  return roof;
}

std::optional<Roof> RoofFinder::remembered(const RoofTask& task) {
  if (bench_.cache == nullptr || bench_.remeasure) return std::nullopt;
  const auto winner = bench_.cache->winner(task.roof.name);
  if (!winner) return std::nullopt;
  std::vector<Point> tried;
  try {
    Roof roof = measured(task, *winner, rounds_of_winner, tried);
    report_cached(task);
    for (Point& point : tried) report(std::move(point));
    return roof;
  } catch (const kernels::Unsupported&) {
    return std::nullopt;  // the device offers other shapes than it did: search again
  }
}

Roof RoofFinder::best_roof(const RoofTask& task) {
  const bool searched = task.what.shape.empty() && !bench_.device.shape_axes(task.what).empty();
  if (searched) {
    if (std::optional<Roof> roof = remembered(task)) return *std::move(roof);
  }
  std::vector<Point> tried;
  std::vector<Shape> candidates{task.what.shape};
  if (searched) candidates = search(task, tried);
  if (candidates.empty()) candidates = {Shape{}};  // whose error then says why none runs
  if (candidates.size() > 1) {
    std::vector<std::pair<double, Shape>> again;
    for (const Shape& shape : candidates) {
      again.emplace_back(measured(task, shape, 1, tried).rate, shape);
    }
    candidates = {std::ranges::max(again, {}, &std::pair<double, Shape>::first).second};
  }
  const bool launches = task.roof.kind == RoofKind::overhead;
  Roof roof = measured(task, candidates.front(), launches ? rounds_of_launches : rounds_of_winner,
                       tried);
  if (searched && bench_.cache != nullptr) bench_.cache->keep(roof, tried);
  for (Point& point : tried) report(std::move(point));
  return roof;
}

const Point* RoofFinder::cached(const Case& what) const {
  if (bench_.cache == nullptr || bench_.remeasure) return nullptr;
  const auto& points = bench_.cache->tried();
  const auto found =
      std::ranges::find_if(points, [&](const Point& point) { return point.what == what; });
  return found == points.end() ? nullptr : &*found;
}

void RoofFinder::report_cached(const RoofTask& task) {
  if (bench_.cache == nullptr) return;
  const Case searched = searched_case(task, bench_.device.info());
  for (const Point& point : bench_.cache->tried()) {
    Case plain = point.what;
    plain.shape = {};
    if (!point.what.shape.empty() && (plain == searched || plain == task.what)) report(point);
  }
}

void RoofFinder::find(const RoofTask& task) {
  if (bench_.stop.stop_requested()) throw kernels::Cancelled();
  try {
    events_.roof(best_roof(task));
  } catch (const kernels::Cancelled&) {
    throw;
  } catch (const kernels::DeviceLost&) {
    throw;
  } catch (const std::exception& error) {  // unsupported, or no memory for it: the rest goes on
    if (events_.problem) {
      events_.problem(fmt::format("no {} roof: {}", task.roof.name, error.what()));
    }
  }
}

std::vector<CurvePoint> RoofFinder::level_curve(kernels::Data data) {
  const kernels::DeviceInfo& info = bench_.device.info();
  std::vector<Point> points;
  for (const double bytes : curve_sizes(info)) {
    if (bench_.stop.stop_requested()) throw kernels::Cancelled();
    const Case what = read_over(info, bytes, data);
    if (!why_not(bench_.device, what).empty()) break;
    const Point* known = cached(what);
    points.push_back(known != nullptr ? *known
                                      : run_case(bench_.device, what, quick_policy(points.empty()),
                                                 "", bench_.stop, bench_.timing));
    report(points.back());
  }
  if (bench_.cache != nullptr) bench_.cache->keep(points);
  std::vector<CurvePoint> curve;
  for (const Point& point : points) {
    if (point.status != Status::ok) continue;
    curve.push_back({kernels::footprint_of(point.what), point.bytes_per_second()});
  }
  return curve;
}

}  // namespace engine
