// The lab `divergence`: neighbouring elements take different paths of a branch, in a warp or in a
// SIMD register.
#include "kernels/families/divergence/divergence.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/labs/lab.hpp"
#include "engine/labs/parts/measured.hpp"
#include "engine/verdict/predict.hpp"
#include "engine/verdict/quotient.hpp"
#include "kernels/families/family.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

using kernels::Family;
using kernels::Op;

constexpr LabKnob paths =
    LabKnob::numbers("paths", "Paths among which 32 neighbouring elements divide.", "1,2,4,8,16,32",
                     1, kernels::most_paths);
constexpr LabKnob length =
    LabKnob::number("path-length", "fma on each path.", "256", 1, kernels::max_repeat);
constexpr std::string_view paths_axis = "paths";

/// Of each core or multiprocessor where nobody says: some 0.1 ms of the fastest kernel, and of the
/// slowest little enough for several samples.
constexpr std::uint64_t elements_per_core = std::uint64_t{1} << 17;
/// How far from the number of paths a factor may be that still is it.
constexpr double about = 0.15;

std::uint64_t elements_for(const Spec& spec, const Place& place, const kernels::Case& what) {
  const auto cores = static_cast<std::uint64_t>(std::max(place.info.multiprocessors, 1));
  std::uint64_t elements = spec.elements > 0 ? spec.elements : cores * elements_per_core;
  const double each = kernels::footprint_of(kernels::with(what, "elements", 1));
  if (spec.elements == 0 && place.free_bytes > 0)
    elements = std::min(elements, static_cast<std::uint64_t>(place.free_bytes / 2 / each));
  constexpr std::uint64_t granule = kernels::divergence_granule;
  return std::max(elements / granule, std::uint64_t{1}) * granule;
}

Plan plan(const Spec& spec, const Place& place, const Results&) {
  Plan plan;
  for (const std::uint64_t many : numbers_of(spec, paths)) {
    for (const Op op : Family::divergence->ops) {
      kernels::Case what{.family = Family::divergence, .ops = op, .data = spec.data};
      what.repeat = number_of(spec, length);
      what = kernels::with(what, paths_axis, many);
      what.elements = elements_for(spec, place, what);
      if (place.kernels.empty() || place.runs(what)) plan.asks.push_back({what});
    }
  }
  return plan;
}

std::string why_not(const Place& place) {
  return why_none(place, Family::divergence, "This device has no kernel with branches.");
}

/// The points of an op, by ascending number of paths.
Points points_of(const Results& results, Op op) {
  return measured_by(kernels::paths_of, results.points, [&](const kernels::Case& what) {
    return what.family == Family::divergence && what.op() == op;
  });
}

/// Where neighbours share their instructions: masks on a CPU; on a GPU a warp does so by itself.
Points in_step(const Results& results) {
  Points masked = points_of(results, Op::masked);
  return masked.empty() ? points_of(results, Op::branches) : masked;
}

double paths_in(const Point& point) { return static_cast<double>(kernels::paths_of(point.what)); }

std::vector<Chart> charts(const Results& results) {
  const auto chart = [](const char* id, const char* title, const Metric& y) {
    return chart_of(id, title, metrics::axis(paths_axis, "Paths among 32 neighbours"), y,
                    labels::op);
  };
  Chart runtime = chart("divergence", "Runtime by the number of paths", metrics::runtime);
  const Points points = in_step(results);
  if (points.size() > 1) {
    Curve all{"all paths, one after the other"};
    for (const Point* point : points)
      all.add(paths_in(*point),
              points.front()->seconds.median * paths_in(*point) / paths_in(*points.front()));
    runtime.curves.push_back(std::move(all));
  }
  Chart flops = chart("divergence-flops", "FLOP/s on the elements' own paths", metrics::flops);
  flops.overlays = {Overlay::roofs, Overlay::best};
  return {runtime, flops};
}

/// From how many paths on branches are faster than masks; nothing where they never are.
std::optional<double> branches_win_from(const Results& results) {
  for (const Point* branches : points_of(results, Op::branches)) {
    for (const Point* masked : points_of(results, Op::masked)) {
      const bool alike = masked->what.more == branches->what.more;
      if (alike && branches->seconds.median < masked->seconds.median) return paths_in(*branches);
    }
  }
  return std::nullopt;
}

/// Seconds that a run spends on memory and launches, by the roofs; 0: not known.
double beside_paths(const Results& results, const Point& point) {
  const Prediction roofs = predict(results.session, point.what, point.work);
  return roofs.bandwidth_seconds + roofs.overhead_seconds;
}

/// What of the runs does not depend on the paths, on a line from the fewest to the most, where
/// memory and launches explain it; else 0.
double fixed_part(const Results& results, const Points& points) {
  const Point &few = *points.front(), &most = *points.back();
  const double each = (most.seconds.median - few.seconds.median) / (paths_in(most) - paths_in(few));
  const double fixed = few.seconds.median - paths_in(few) * each;
  const bool explained = fixed <= (1 + about) * beside_paths(results, few);
  return fixed > 0 && explained ? fixed : 0;
}

/// Why a factor stays below the number of paths; empty where nothing is fixed.
std::string shortfall(const Results& results, const Point& few, double fixed) {
  constexpr double matters = 0.05;
  const double share = fixed / few.seconds.median;
  if (share < matters) return "";
  return fmt::format(
      " {} of every run, {:.0f} % of the shortest, do not depend on the paths: by the roofs, "
      "memory and the launch take up to {}.",
      units::seconds(fixed), 100 * share, units::seconds(beside_paths(results, few)));
}

LabVerdict verdict(const Results& results) {
  LabVerdict verdict;
  const Points points = in_step(results);
  if (points.size() < 2 || paths_in(*points.front()) == paths_in(*points.back()))
    return cannot_say("Measure two numbers of paths.");
  const Point& few = *points.front();
  const Point* decides = points.back();
  const double fixed = fixed_part(results, points);
  for (const Point* many : points) {
    if (many == &few) continue;
    const double factor = paths_in(*many) / paths_in(few);
    // Each path takes its time; what is fixed is there once.
    const double expected = factor - (factor - 1) * fixed / few.seconds.median;
    const Says before = conclude(verdict.rows);
    verdict.judge(
        fmt::format("{:.0f} paths against {:.0f}, at most", paths_in(*many), paths_in(few)),
        Interval{factor}, times_as_long(*many, few), "x", expected * (1 - about),
        factor * (1 + about));
    const Says now = conclude(verdict.rows);
    if (now != before && now != Says::holds) decides = many;
  }
  if (!points_of(results, Op::branches).empty() && !points_of(results, Op::masked).empty()) {
    const std::optional<double> from = branches_win_from(results);
    verdict.advice.push_back(
        from ? fmt::format("Branches are faster than masks from {:.0f} paths on.", *from)
             : "Masks are faster than branches at every number of paths here.");
  }
  const Interval taken = times_as_long(*decides, few);
  const double most = paths_in(*decides), factor = most / paths_in(few);
  verdict.conclude(
      fmt::format("{:.0f} paths take {} as long as {:.0f}: the paths run one after the other.",
                  most, text_of(taken, "x"), paths_in(few)) +
          shortfall(results, few, fixed),
      fmt::format("{:.0f} paths take {} as long as {:.0f}: {}.", most, text_of(taken, "x"),
                  paths_in(few),
                  taken.median < factor ? "less than proportional"
                                        : fmt::format("more than {:.0f}x", factor)),
      points);
  return verdict;
}

}  // namespace

extern constinit const Lab divergence_lab{
    .name = "divergence",
    .title = "Divergent branches",
    .group = "Compute",
    .question = "What does a branch cost whose neighbours take different paths?",
    .about =
        "The threads of a warp share one instruction at a time, and so do the lanes of a SIMD "
        "register. Where a branch sends them along different paths, the hardware runs the paths "
        "one after the other, and masks out the lanes that are not on the current path. Here 32 "
        "neighbouring elements divide among 1 to 32 paths of equal length, in an order that no "
        "branch predictor learns. On a GPU each thread takes a branch. On a CPU SIMD code computes "
        "all paths and masks the results; for comparison, scalar code branches: it computes only "
        "the path that an element takes, but one element at a time. FLOP are those of an element's "
        "own path. The dashed line is the first point times the number of paths; what does not "
        "depend on the paths, memory traffic and the launch, keeps the points below it.",
    .needs =
        "1, 2, 4, 8, 16 and 32 paths, on a CPU with masks and with branches: 12, and 6 on a GPU. "
        "Every number of paths is compared with the smallest one. The claim is a factor of at most "
        "the number of paths: the verdict takes off what memory and launches explain.",
    .claim = {"A warp executes each path that its threads take, one after the other.",
              "CUDA C++ Programming Guide, SIMT architecture"},
    .reads = {"elements", "data"},
    .knobs = {paths, length},
    .why_not = why_not,
    .plan = plan,
    .charts = charts,
    .verdict = verdict,
    .time = 8,
};

}  // namespace engine
