// The lab `doubling`: one op over 1 to 2^26 elements, each point beside that of twice its size.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/labs/lab.hpp"
#include "kernels/families/family.hpp"

namespace engine {
namespace {

constexpr int doublings = 26;
constexpr std::size_t small_sizes = 5;  // whose median is the overhead
constexpr std::array<std::string_view, 3> reads{"op", "dtype", "data"};

// Twice the data in less than this is hardly longer.
constexpr double hardly_longer = 1.2;
/// Elements up to which doubling must be nearly free. The overhead is that of 1 to 16.
constexpr double least_free = 64;

Plan plan(const Spec& spec, const Place& place, const Results&) {
  refuse_contradictions(spec);
  Plan plan;
  for (const kernels::Dtype dtype : spec.dtypes) {
    kernels::Case what = usual_case(spec, place, kernels::Family::chain, dtype);
    for (int i = 0; i <= doublings; ++i) {
      what.elements = std::uint64_t{1} << i;
      if (!leaves_room(place, what)) break;
      plan.asks.push_back({what});
    }
  }
  return plan;
}

/// time = overhead + bytes / bandwidth, through both ends: the smallest cases are overhead alone,
/// and the largest gives the bandwidth. Caches between them are faster.
struct Fit {
  double overhead = 0, bandwidth = 0;
  double border = 0;  ///< elements at which the runtime is twice the overhead, between two points
};

std::vector<const Point*> ascending(const Results& results) {
  std::vector<const Point*> points;
  for (const Point* point : results.points) {
    const bool first_dtype = points.empty() || points.front()->what.dtype == point->what.dtype;
    if (point->status == Status::ok && first_dtype) points.push_back(point);
  }
  std::ranges::sort(points, {}, [](const Point* point) { return point->what.elements; });
  return points;
}

std::optional<Fit> fit_of(const std::vector<const Point*>& points) {
  if (points.size() < 8) return std::nullopt;
  std::vector<double> small;
  for (std::size_t i = 0; i < small_sizes; ++i) small.push_back(points[i]->seconds.median);
  std::ranges::sort(small);
  Fit fit;
  fit.overhead = small[small_sizes / 2];
  const double twice = 2 * fit.overhead;
  const Point& last = *points.back();
  if (last.seconds.median <= twice) return std::nullopt;
  fit.bandwidth = last.work.bytes / (last.seconds.median - fit.overhead);
  for (std::size_t i = points.size() - 1; i > 0 && points[i]->seconds.median > twice; --i) {
    const Point &below = *points[i - 1], &above = *points[i];
    const double share =
        (twice - below.seconds.median) / (above.seconds.median - below.seconds.median);
    const auto from = static_cast<double>(below.what.elements);
    fit.border = from + std::max(0.0, share) * (static_cast<double>(above.what.elements) - from);
  }
  return fit;
}

std::vector<Chart> charts(const Results& results) {
  Chart runtime{.id = "doubling", .title = "Runtime as the tensor doubles"};
  runtime.x = metrics::axis("elements");
  runtime.y = metrics::runtime;
  runtime.series = labels::series;
  runtime.colour = labels::dtype;
  runtime.along = "elements";
  const std::vector<const Point*> points = ascending(results);
  if (const std::optional<Fit> fit = fit_of(points)) {
    Curve curve{"overhead + bytes / bandwidth", {}, {}};
    for (const Point* point : points) {
      curve.x.push_back(static_cast<double>(point->what.elements));
      curve.y.push_back(fit->overhead + point->work.bytes / fit->bandwidth);
    }
    runtime.curves.push_back(std::move(curve));
    runtime.notes.push_back({Note::At::x, fit->border, 0, "twice the overhead"});
  }
  Chart bandwidth = runtime;
  bandwidth.id = "doubling-bandwidth";
  bandwidth.title = "Bandwidth as the tensor doubles";
  bandwidth.y = metrics::bandwidth;
  bandwidth.curves.clear();
  bandwidth.overlays = {Overlay::roofs};
  return {runtime, bandwidth};
}

/// The largest size that takes hardly longer than a launch, below all that take longer: one noisy
/// point among the small ones changes nothing.
std::size_t free_up_to(const std::vector<const Point*>& points, double overhead) {
  std::size_t i = points.size() - 1;
  while (i > 0 && points[i]->seconds.median > hardly_longer * overhead) --i;
  return i;
}

/// What the fit and the border are read from: the small sizes, both sides of the border, the
/// largest size.
std::vector<const Point*> behind(const std::vector<const Point*>& points, std::size_t border) {
  std::vector<const Point*> behind;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool at_border = i == border || i == border + 1;
    if (i < small_sizes || at_border || i + 1 == points.size()) behind.push_back(points[i]);
  }
  return behind;
}

LabVerdict verdict(const Results& results) {
  LabVerdict verdict;
  const std::vector<const Point*> points = ascending(results);
  const std::optional<Fit> fit = fit_of(points);
  if (!results.ended) return verdict;
  if (!fit) {
    verdict.says = Says::cannot_say;
    verdict.headline =
        "Measure at least eight sizes, up to one that takes more than twice as long as a launch.";
    return verdict;
  }
  const std::size_t border = free_up_to(points, fit->overhead);
  const auto up_to = static_cast<double>(points[border]->what.elements);
  verdict.rows = {{"overhead of this kernel", {}, Interval{fit->overhead}, "s"},
                  {"bandwidth at the largest size", {}, Interval{fit->bandwidth}, "B/s"},
                  {"runtime is twice the overhead at", {}, Interval{fit->border}, "elements"},
                  judged("doubling is nearly free up to", {}, Interval{up_to}, "elements",
                         least_free, HUGE_VAL)};
  verdict.says = conclude(verdict.rows);
  verdict.headline =
      verdict.says == Says::holds
          ? fmt::format("Up to {:.0f} elements, twice the data takes hardly any longer.", up_to)
          : "Twice the data takes longer from the first element on.";
  distrust_unsure(verdict, behind(points, border));
  return verdict;
}

}  // namespace

extern const Lab doubling_lab;
constinit const Lab doubling_lab{
    .name = "doubling",
    .title = "Double the data",
    .group = "Overhead",
    .question = "At what size does twice the data take twice as long?",
    .about =
        "One pointwise op runs over 1 to 2^26 elements. While a launch takes longer than the work, "
        "twice the data costs nothing. Beyond that, memory is the limit and the runtime doubles. "
        "The dashed line is the overhead plus bytes over the bandwidth at the largest size.",
    .needs =
        "27 sizes from 1 to 2^26 elements, each twice the one before, where half of the memory "
        "holds them. The verdict needs at least eight, the last of which takes more than twice as "
        "long as a launch.",
    .claim = {"If twice the data takes hardly any longer, you are overhead-bound.",
              "Making Deep Learning Go Brrrr, Overhead"},
    .reads = reads,
    .plan = plan,
    .charts = charts,
    .verdict = verdict,
    .time = 10,
};

}  // namespace engine
