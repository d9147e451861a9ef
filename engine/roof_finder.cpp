#include "engine/roof_finder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/precision.hpp"
#include "engine/roof_facts.hpp"
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

/// "best of 3 rounds (98.1 GB/s, 97.5 GB/s, 60.2 GB/s)": none is hidden, so that everybody sees how
/// well they agree.
std::string rounds_in_words(const Roof& roof, const std::vector<Round>& rounds) {
  if (roof.kind == RoofKind::overhead) return fmt::format("median of {} rounds", rounds.size());
  std::vector<std::string> rates;
  for (const Round& round : rounds) rates.push_back(rate_text(roof, round.rate));
  return fmt::format("best of {} rounds ({})", rounds.size(), fmt::join(rates, ", "));
}

/// What its rounds suffered from, for a roof that nobody should rely on; else empty.
std::string flaws_of(const Watched& watched) {
  if (watched.disturbed) return "other work took a share of the device in every round";
  if (watched.after.throttled.value_or(false)) return "the clock was held back";
  return "";
}

std::string citation(const RoofTask& task, const Roof& roof, const kernels::Work& work,
                     const std::vector<Round>& rounds, const std::string& note) {
  std::string how = fmt::format("{} {}", name_of(task.what.family), name_of(task.what.op));
  if (roof.kind == RoofKind::bandwidth) how += fmt::format(", {} moved", units::bytes(work.bytes));
  if (roof.kind == RoofKind::overhead)
    how = fmt::format("{} empty kernels in a row", task.what.repeat);
  if (!task.what.shape.empty()) how += fmt::format(", {}", text_of(task.what.shape));
  const bool said = std::ranges::count(task.what.shape, note, &kernels::ShapeChoice::value) > 0;
  if (!note.empty() && !said) how += fmt::format(", {}", note);
  const double reach = std::max(roof.rate_high - roof.rate, roof.rate - roof.rate_low) / roof.rate;
  how += fmt::format("; {}, 95 % interval ±{} %", rounds_in_words(roof, rounds),
                     units::number(100 * reach, 2));
  if (const std::string flaws = flaws_of(rounds.front().watched); !flaws.empty())
    how += "; " + flaws;
  return how;
}

/// Of launches the typical round first, since their cost is no ceiling but what everybody pays;
/// else the best.
void sort_rounds(RoofKind kind, std::vector<Round>& rounds) {
  std::ranges::stable_sort(rounds, better);
  if (kind == RoofKind::overhead) std::swap(rounds.front(), rounds[rounds.size() / 2]);
}

// Half a percent is what whole runs differ by where their rounds agree to a thousandth: other
// pages, another clock (the repeatability target measures it).
constexpr double between_runs = 0.005;

/// The roof that its rounds, sorted, amount to. Its interval is that of the first round or, where
/// that is wider, of the scatter between rounds: samples of one round know nothing of the next.
Roof roof_of(const RoofTask& task, const std::vector<Round>& rounds) {
  const Round& first = rounds.front();
  Roof roof = task.roof;
  roof.source = RoofSource::measured;
  roof.shape = task.what.shape;
  roof.conditions = first.watched.after;
  roof.rate = first.rate;
  std::vector<double> rates;
  for (const Round& round : rounds) {
    if (round.watched.disturbed == first.watched.disturbed) rates.push_back(round.rate);
  }
  const double scatter =
      std::max(rates.size() > 1 ? student_half_width(rates) : 0, between_runs * first.rate);
  roof.rate_low = std::max(std::min(first.low, first.rate - scatter), 0.01 * first.rate);
  roof.rate_high = std::max(first.high, first.rate + scatter);
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
  const kernels::Work work = trial->work();
  std::string note = trial->note();
  if (note.empty()) note = kernels::find_kernel(device.kernels(), shaped.what)->note;
  std::vector<Round> all;
  for (int i = 0; i < rounds; ++i) {
    all.push_back(round_of(measure_watched(device, *trial, brief, bench_.stop, bench_.timing),
                           work.*task.amount));
  }
  sort_rounds(task.roof.kind, all);
  Measured result{roof_of(shaped, all), flaws_of(all.front().watched)};
  result.roof.cite = citation(shaped, result.roof, work, all, note);
  if (result.roof.name.starts_with("DRAM") && !trial->cold()) {
    result.roof.cite += "; part of it in cache, so the memory itself is slower";
  }
  tried.push_back(point_of(shaped.what, work, std::move(all.front().watched), trial->cold(), note));
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

RoofFinder::Measured RoofFinder::best_roof(const RoofTask& task, std::vector<Point>& tried) {
  const bool searched = task.what.shape.empty() && !bench_.device.shape_axes(task.what).empty();
  if (searched) {
    if (std::optional<Measured> known = remembered(task, tried)) return *std::move(known);
  }
  Searched found{{task.what.shape}};
  if (searched) found = search(task, tried);
  const bool launches = task.roof.kind == RoofKind::overhead;
  Measured result = measured(task, fastest(task, found.candidates, tried),
                             launches ? rounds_of_launches : rounds_of_winner, tried);
  // What is kept decides for a long time: no hasty search, and none on a machine that was busy.
  const bool sound =
      found.whole && result.flaws.empty() && bench_.policy.max_time >= max_round_time;
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

void RoofFinder::report_flaws() {
  for (const auto& [flaw, names] : flawed_) {
    if (!events_.problem) return;
    events_.problem(
        fmt::format("do not rely on {} ({}): {}; measure again when the machine is idle",
                    names.size() == 1 ? "this roof" : "these roofs", fmt::join(names, ", "), flaw));
  }
}

void RoofFinder::find(const RoofTask& task) {
  if (bench_.stop.stop_requested()) throw kernels::Cancelled();
  std::vector<Point> tried;
  try {
    const Measured found = best_roof(task, tried);
    events_.roof(found.roof);
    if (!found.flaws.empty()) flawed_[found.flaws].push_back(found.roof.name);
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
  }
  return curve;
}

}  // namespace engine
