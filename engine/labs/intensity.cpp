// The lab `intensity`: points along the axis of ops per element.

#include <fmt/format.h>

#include <algorithm>
#include <numbers>
#include <set>
#include <utility>

#include "engine/labs/lab.hpp"
#include "engine/verdict/knee.hpp"
#include "engine/verdict/predict.hpp"
#include "kernels/families/family.hpp"

namespace engine {
namespace {

using kernels::Case;
using kernels::Dtype;
using kernels::Family;
using kernels::Fusion;
using kernels::Op;
using kernels::Units;

/// A family without an unfused form has one.
std::vector<Fusion> fusions_of(FusionChoice choice, Family family) {
  if (!family->fuses) return {Fusion::fused};
  if (choice == FusionChoice::both) return {Fusion::fused, Fusion::unfused};
  return {choice == FusionChoice::fused ? Fusion::fused : Fusion::unfused};
}

std::vector<Units> units_of(UnitsChoice choice) {
  if (choice == UnitsChoice::both) return {Units::vector, Units::matrix};
  return {choice == UnitsChoice::vector ? Units::vector : Units::matrix};
}

/// Fused first, then by dtype and units; each series by ascending repeat.
Plan plan(const Spec& spec, const Place& place, const Results&) {
  const Family family = spec.family();
  const Op op = spec.op_of(family);
  const std::set<std::uint64_t> repeats(spec.repeats.begin(), spec.repeats.end());
  Plan plan;
  for (const Fusion fusion : fusions_of(spec.fusion, family)) {
    for (const Dtype dtype : spec.dtypes) {
      const std::uint64_t elements = elements_of(spec, family, dtype, place.info, place.free_bytes);
      for (const Units units : units_of(spec.units)) {
        for (const std::uint64_t repeat : repeats)
          plan.asks.push_back(
              {Case{family, op, dtype, fusion, units, elements, repeat, spec.data}});
      }
    }
  }
  return plan;
}

/// One element type has one colour; its lines are told apart by their markers.
Chart over_repeats(std::string_view id, std::string_view title, const Metric& y,
                   std::vector<Overlay> overlays) {
  Chart chart = chart_of(id, title, metrics::axis("repeat"), y, labels::series);
  chart.colour = labels::dtype;
  chart.overlays = std::move(overlays);
  chart.empty = "No measured points yet. Press Space in the window, or run ridgepoint sweep.";
  return chart;
}

std::vector<Chart> charts(const Results&) {
  using enum Overlay;
  Chart roofline = over_repeats("roofline", "Roofline", metrics::flops,
                                {roofs, ridge, regions, best, trail, cursor, what_if});
  roofline.x = metrics::intensity;
  Chart speedup = over_repeats("speedup", "Speed-up", metrics::factor, {even, best, trail, cursor});
  speedup.versus = {{labels::fusion, "unfused", "fused"}, {labels::units, "vector", "matrix"}, {}};
  speedup.apart = true;
  speedup.empty =
      "Nothing to compare yet. Measure fused and unfused, matrix and vector units, or open another "
      "session with the same cases.";
  return {roofline,
          over_repeats("runtime", "Runtime", metrics::runtime,
                       {launch_floor, attainable, what_if, knee, trail, cursor}),
          over_repeats("flops", "Achieved compute throughput", metrics::flops,
                       {roofs, attainable, what_if, best, trail, cursor}),
          over_repeats("bandwidth", "Achieved bandwidth", metrics::bandwidth,
                       {roofs, attainable, what_if, best, trail, cursor}),
          speedup};
}

/// The fused chains that are like the first one, by ascending repeat.
Points fused_series(const Results& results) {
  Points series;
  for (const Point* point : results.points) {
    const Case& what = point->what;
    const bool fused_chain = what.family == Family::chain && what.fusion == Fusion::fused;
    if (point->status != Status::ok || point->probe || !fused_chain) continue;
    Case like_first = series.empty() ? what : series.front()->what;
    like_first.repeat = what.repeat;
    if (what == like_first) series.push_back(point);
  }
  std::ranges::sort(series, {}, [](const Point* point) { return point->what.repeat; });
  return series;
}

/// The ops per element at which both roofs take as long, as one calculates them: the peak FLOP/s
/// times the bytes of an element over the bandwidth, over the FLOP of an op.
std::optional<Interval> calculated_knee(const Results& results, const Point& point) {
  const Prediction at_roofs = predict(results.session, point.what, point.work);
  if (!at_roofs.complete()) return std::nullopt;
  return Interval{static_cast<double>(point.what.repeat) * at_roofs.bandwidth_seconds /
                  at_roofs.compute_seconds};
}

/// The share of a roof that a point reaches: its time at that roof over its own.
double share_of(const Results& results, const Point& point, double Prediction::*seconds) {
  return predict(results.session, point).*seconds / point.seconds.median;
}

/// How far memory, and from where arithmetic, is used well: without a gap from the first point on,
/// and to the last one. The border lies between two points.
void add_reach(const Results& results, const Points& series, LabVerdict& verdict) {
  constexpr double well = 0.9;
  const auto poor = [&](double Prediction::*seconds) {
    return [&results, seconds](const Point* point) {
      return share_of(results, *point, seconds) < well;
    };
  };
  const auto at = [](const Point* point) { return static_cast<double>(point->what.repeat); };
  std::optional<Interval> up_to, from;
  const auto past = std::ranges::find_if(series, poor(&Prediction::bandwidth_seconds));
  if (past != series.begin()) {
    up_to = Interval{at(past[-1])};
    if (past != series.end()) up_to = Interval{at(past[-1]), at(past[-1]), at(*past)};
  }
  const auto last_poor =
      std::find_if(series.rbegin(), series.rend(), poor(&Prediction::compute_seconds));
  if (last_poor != series.rbegin()) {
    const auto first = last_poor.base();
    from = Interval{at(*first)};
    if (first != series.begin()) from = Interval{at(*first), at(first[-1]), at(*first)};
  }
  verdict.inform("90 % of the bandwidth, up to", up_to, "ops");
  verdict.inform("90 % of the peak FLOP/s, from", from, "ops");
}

/// Why the knee of a series is not that of memory and arithmetic, in a sentence; empty: it is.
std::string_view why_no_knee(const Results& results, const Points& series) {
  if (series.empty()) return {};
  const Prediction at_roofs = predict(results.session, *series.front());
  if (at_roofs.regime() == Regime::overhead)
    return "Overhead, not memory, bounds so few elements: measure more elements.";
  // Where the overhead of its way to launch was not measured, nothing else explains the time.
  constexpr double unexplained = 0.1;
  const double longest = std::max(at_roofs.bandwidth_seconds, at_roofs.compute_seconds);
  if (at_roofs.complete() && longest < unexplained * series.front()->seconds.median)
    return "Neither memory nor arithmetic bounds so few elements: measure more elements.";
  return {};
}

LabVerdict verdict(const Results& results) {
  LabVerdict verdict;
  const Points series = fused_series(results);
  if (const std::string_view why = why_no_knee(results, series); results.ended && !why.empty())
    return cannot_say(std::string(why));
  const std::optional<Interval> knee = series.empty() ? std::nullopt : knee_of(series);
  const std::optional<Interval> calculated =
      series.empty() ? std::nullopt : calculated_knee(results, *series.front());
  if (!knee || !calculated) {
    // A few points are measured for what they are, not for the knee.
    constexpr std::size_t least_for_knee = 4;
    if (!results.ended || series.size() < least_for_knee) return verdict;
    return cannot_say(
        "Measure fused chains on both sides of the knee, with the roofs of memory and arithmetic.");
  }
  // As near as the usual steps can tell: each doubles the ops, so half a step to either side.
  constexpr double half_step = std::numbers::sqrt2;
  verdict.judge(
      fmt::format("{} knee, calculated from the roofs here", name_of(series.front()->what.dtype)),
      calculated, *knee, "ops", calculated->median / half_step, calculated->median * half_step);
  add_reach(results, series, verdict);
  verdict.conclude(
      "The knee is where the roofs put it: up to there arithmetic is free.",
      "The knee is not where the roofs put it.", series,
      "The interval of the knee is too wide: measure more points, or when the machine is idle.");
  return verdict;
}

}  // namespace

extern constinit const Lab intensity_lab{
    .name = "intensity",
    .title = "Intensity",
    .group = "Roofline",
    .question = "How much arithmetic is free?",
    .about =
        "Runtime, FLOP/s and bandwidth as the ops per element grow, across the knee of the "
        "roofline. A chain of ops reads each element once and writes it once, however many ops it "
        "applies. While memory is the limit, more ops cost nothing. Past the ridge point the "
        "runtime grows with every op. Unfused, each op reads from memory and writes back. The ops "
        "at the knee are (peak FLOP/s x bytes per element) / (bandwidth x FLOP per op).",
    .needs =
        "1 to 1024 ops per element in 11 steps, each twice the one before, so that some lie on "
        "each side of the knee; and the roofs of memory and arithmetic. The knee needs at least "
        "four points.",
    .claim = {"Until about a hundred ops per element, an A100 spends more time on memory than on "
              "compute; the roofs tell where.",
              "Making Deep Learning Go Brrrr, memory bandwidth"},
    .reads = {"kernel", "op", "dtype", "fusion", "units", "repeat", "data", "elements"},
    .plan = plan,
    .charts = charts,
    .verdict = verdict,
    .says_early = true,
    .slider = "repeat",
    .time_of_point = 1.2,
};

}  // namespace engine
