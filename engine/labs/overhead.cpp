// The lab `overhead`: one op over 1 to 2^26 or 2^28 elements: flat while a launch takes longer than
// the work, then linear.
#include "engine/verdict/overhead.hpp"

#include <fmt/format.h>

#include <cmath>

#include "engine/labs/lab.hpp"
#include "engine/labs/parts/measured.hpp"
#include "engine/labs/parts/overhead_fit.hpp"
#include "engine/roofs/levels.hpp"
#include "engine/verdict/quotient.hpp"
#include "kernels/families/family.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

constexpr int doublings = 26;
// To fill and check more takes a few cores as long as all other sizes together.
constexpr int doublings_of_many = 28;
constexpr int few_cores = 8;
constexpr std::size_t least_sizes = 8;
constexpr std::size_t large_sizes = 4;  // that tell the bandwidth, where they are past the caches

// Work that takes less than this of the shortest run does not tell on the overhead.
constexpr double hardly_any = 0.02;
// Twice the data in less than this is hardly longer.
constexpr double hardly_longer = 1.2;
/// Elements up to which doubling must be nearly free. The overhead is that of 1 to 16.
constexpr double least_free = 64;

Plan plan(const Spec& spec, const Place& place, const Results&) {
  const bool many = place.info.kind != "cpu" || place.info.multiprocessors > few_cores;
  Plan plan;
  for (const kernels::Dtype dtype : spec.dtypes) {
    kernels::Case what = usual_case(spec, place, kernels::Family::chain, dtype);
    for (int i = 0; i <= (many ? doublings_of_many : doublings); ++i) {
      what.elements = std::uint64_t{1} << i;
      if (!leaves_room(place, what)) break;
      plan.asks.push_back({what});
    }
  }
  return plan;
}

/// Of the first element type.
Points ascending(const Results& results) {
  const Point* const first =
      first_measured(results.points, [](const kernels::Case&) { return true; });
  return measured_by(&kernels::Case::elements, results.points,
                     [&](const kernels::Case& what) { return what.dtype == first->what.dtype; });
}

/// Those that the fit is made of: caches between the smallest and the largest are faster than the
/// memory behind them.
Points behind_fit(const Results& results, const Points& points) {
  Points behind;
  if (points.size() < least_sizes) return behind;
  const Point &first = *points.front(), &last = *points.back();
  const double bandwidth = last.work.bytes / last.seconds.median;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Point& point = *points[i];
    if (!point.seconds.has_interval()) continue;  // it has no weight in the fit
    const bool small = point.work.bytes / bandwidth < hardly_any * first.seconds.median;
    const bool large = i + large_sizes >= points.size() &&
                       !level_of(results.session.device, point.what).has_value();
    if (small || large || i + 1 == points.size()) behind.push_back(&point);
  }
  return behind;
}

struct Fit {
  OverheadFit line;
  Interval border;  ///< elements at which the runtime is twice the overhead, between two points
};

/// Elements at which the points take so long; 0: never.
double crossing(const Points& points, double seconds) {
  for (std::size_t i = points.size() - 1; i > 0; --i) {
    const Point &below = *points[i - 1], &above = *points[i];
    if (above.seconds.median <= seconds) return 0;
    if (below.seconds.median > seconds) continue;
    const double share =
        (seconds - below.seconds.median) / (above.seconds.median - below.seconds.median);
    const auto from = static_cast<double>(below.what.elements);
    return from + share * (static_cast<double>(above.what.elements) - from);
  }
  return 0;
}

std::optional<Fit> fit_of(const Results& results, const Points& points) {
  std::vector<TimedBytes> timed;
  for (const Point* point : behind_fit(results, points))
    timed.push_back({point->work.bytes, time_of(*point)});
  const std::optional<OverheadFit> line = fit_overhead(timed);
  if (!line) return std::nullopt;
  Fit fit{*line, {}};
  fit.border.median = crossing(points, 2 * line->overhead.median);
  if (fit.border.median <= 0) return std::nullopt;
  const double low = crossing(points, 2 * *line->overhead.low),
               high = crossing(points, 2 * *line->overhead.high);
  if (low > 0 && high > 0) fit.border = {fit.border.median, low, high};
  return fit;
}

/// The point with twice the elements.
const Point* double_of(const Row& row) {
  for (const Point* other : row.all)
    if (other->what.elements == 2 * row.point.what.elements &&
        other->what.dtype == row.point.what.dtype && other->run == row.point.run &&
        other->status == Status::ok)
      return other;
  return nullptr;
}

std::optional<Interval> times_of_double(const Row& row, std::string_view) {
  const Point* twice = double_of(row);
  return twice != nullptr ? std::optional(times_as_long(*twice, row.point)) : std::nullopt;
}

std::string times_text(double value, bool) { return fmt::format("{:.2f}x", value); }

constexpr Metric times_longer =
    metric_of("times longer", "Time of twice the elements over this", "", times_of_double,
              {0.8, 2.2}, {Trait::plain}, times_text);

/// What the fit says along the points.
Curve curve_of(const OverheadFit& line, const Points& points) {
  Curve curve{"overhead + bytes / bandwidth"};
  for (const Point* point : points)
    curve.add(static_cast<double>(point->what.elements),
              line.overhead.median + point->work.bytes / line.bandwidth.median);
  return curve;
}

std::vector<Chart> charts(const Results& results) {
  Chart runtime = chart_of("overhead", "Runtime over the elements", metrics::axis("elements"),
                           metrics::runtime, labels::series);
  runtime.colour = labels::dtype;
  const Points points = ascending(results);
  const std::optional<Fit> fit = fit_of(results, points);
  if (fit) {
    runtime.zones = {{Regime::overhead, 0, fit->border.median},
                     {Regime::bandwidth, fit->border.median, HUGE_VAL}};
    runtime.notes.push_back({Note::At::x, fit->border.median, 0, "twice the overhead"});
  }
  Chart doubling =
      chart_like(runtime, "overhead-doubling", "What twice the data costs", times_longer);
  doubling.notes = {{Note::At::y, 0, 1.5, "half of the time is overhead"}};
  Chart bandwidth =
      chart_like(runtime, "overhead-bandwidth", "Bandwidth over the elements", metrics::bandwidth);
  bandwidth.former_id = "doubling-bandwidth";
  runtime.former_id = "doubling";
  if (fit) runtime.curves.push_back(curve_of(fit->line, points));
  bandwidth.overlays = {Overlay::roofs};
  return {runtime, doubling, bandwidth};
}

/// Elements up to which the article's test says overhead, before it says memory for the first time;
/// 0: nowhere.
double overhead_by_test(const Points& points) {
  double up_to = 0;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const Point &point = *points[i], &twice = *points[i + 1];
    if (twice.what.elements != 2 * point.what.elements) continue;
    const Doubling says = doubling_test(times_as_long(twice, point));
    if (says == Doubling::memory) break;
    if (says == Doubling::overhead) up_to = static_cast<double>(point.what.elements);
  }
  return up_to;
}

LabVerdict verdict(const Results& results) {
  LabVerdict verdict;
  const Points points = ascending(results);
  const bool grows = points.size() >= least_sizes &&
                     points.back()->seconds.median > 2 * points.front()->seconds.median;
  if (!grows)
    return cannot_say(
        "Measure at least eight sizes, up to one that takes more than twice as long as a launch.");
  const std::optional<Fit> fit = fit_of(results, points);
  const double overhead =
      fit ? fit->line.overhead.median : points.front()->seconds.median / hardly_longer;
  const std::size_t border = last_within(hardly_longer * overhead, points);
  const auto up_to = static_cast<double>(points[border]->what.elements);
  if (fit) {
    const std::string_view how = launched_in_words(launched_of(results.session, *points.front()));
    verdict.inform(fmt::format("overhead of one op{}{}", how.empty() ? "" : " ", how),
                   fit->line.overhead, "s");
    verdict.inform("bandwidth without the overhead", fit->line.bandwidth, "B/s");
    verdict.inform("overhead is half of the time at", fit->border, "elements");
  }
  verdict.judge("doubling is nearly free up to", {}, Interval{up_to}, "elements", least_free);
  if (const double tested = overhead_by_test(points); tested > 0)
    verdict.inform("the doubling test says overhead up to", Interval{tested}, "elements");
  verdict.says = conclude(verdict.rows);
  if (verdict.says == Says::holds && !fit) verdict.says = Says::cannot_say;
  if (verdict.says != Says::holds) {
    verdict.headline = verdict.says == Says::differs
                           ? "Twice the data takes longer from the first element on."
                           : "No line of overhead and bandwidth goes through these points.";
  } else {
    verdict.headline = fmt::format(
        "Up to {} elements most of the time is overhead, {} for each launch; up to {}, twice the "
        "data takes hardly any longer.",
        units::count(std::round(fit->border.median)), units::seconds(fit->line.overhead.median),
        units::count(up_to));
  }
  Points behind = behind_fit(results, points);
  behind.push_back(points[border]);
  if (border + 1 < points.size()) behind.push_back(points[border + 1]);
  distrust_unsure(verdict, behind);
  return verdict;
}

}  // namespace

extern constinit const Lab overhead_lab{
    .name = "overhead",
    .former_name = "doubling",
    .title = "Overhead",
    .group = "Overhead",
    .question = "How small may a tensor be before overhead takes most of the time?",
    .about =
        "One pointwise op runs over 1 to 2^28 elements, on up to 8 cores 2^26. While a launch "
        "takes longer than the work, twice the data costs nothing. Beyond that, memory is the "
        "limit and the runtime doubles. The dashed line is the fit: the overhead plus bytes over "
        "the bandwidth. The second chart is the article's test: the time of twice the elements "
        "over the time of these, less one, is the share of the time that grows with the data.",
    .needs =
        "29 sizes from 1 to 2^28 elements, on up to 8 cores 27, each twice the one before, where "
        "half of the memory holds them. The verdict needs at least eight, the last of which takes "
        "more than twice as long as a launch. The overhead is read from the small sizes, the "
        "bandwidth from the largest ones past the caches.",
    .claim = {"If twice the data takes hardly any longer, you are overhead-bound.",
              "Making Deep Learning Go Brrrr, Overhead"},
    .reads = {"op", "dtype", "data"},
    .plan = plan,
    .charts = charts,
    .verdict = verdict,
    .time = 10,
};

}  // namespace engine
