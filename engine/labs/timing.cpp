// The lab `timing`: one kernel timed in ways in which measuring goes wrong, beside the truth, and
// what a number of samples is worth.
#include "kernels/families/timing/timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "engine/labs/lab.hpp"
#include "engine/labs/parts/measured.hpp"
#include "engine/measure/statistics.hpp"
#include "engine/session/session_file.hpp"
#include "engine/verdict/quotient.hpp"
#include "kernels/families/family.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

using kernels::Family;
using kernels::Way;

constexpr std::array on_cpu{Way::proper, Way::unfinished, Way::new_memory, Way::after_rest,
                            Way::cold,   Way::zeros,      Way::sustained};
constexpr std::array on_gpu{Way::proper,     Way::unfinished, Way::with_launch, Way::new_memory,
                            Way::after_rest, Way::cold,       Way::zeros,       Way::sustained};

constexpr LabKnob elements =
    LabKnob::number("timed-elements", "Elements of the kernel that is timed.", "auto",
                    kernels::least_elements, std::uint64_t{1} << 28);
/// Of each core: input and output, 2 MiB, fit into its L2 or nearly so.
constexpr std::uint64_t elements_of_core = std::uint64_t{1} << 18;
/// At most, of a GPU: 16 MiB, which an L2 of 50 MB holds.
constexpr std::uint64_t elements_of_gpu = std::uint64_t{1} << 21;
/// So that a GPU takes longer for them than for a launch.
constexpr std::uint64_t ops_of_gpu = 256;
/// Of one run: far below 250 ms, within which a stop is to be seen.
constexpr std::uint64_t most_work = std::uint64_t{1} << 34;
constexpr LabKnob operations =
    LabKnob::number("ops", "fma on each element.", "32", 1, kernels::max_repeat);
/// What a measurement may be off before it counts as wrong.
constexpr double tolerance = 0.05;
/// Width of an interval that is narrow.
constexpr double narrow = 0.01;
constexpr int bins = 24;

/// Input and output fit into the L2: half of that of a GPU, as far as it is known.
std::uint64_t elements_of(const kernels::DeviceInfo& device) {
  if (device.kind == "cpu")
    return elements_of_core * static_cast<std::uint64_t>(std::max(device.multiprocessors, 1));
  constexpr double both = 2 * sizeof(float);
  const double fit = device.l2_bytes > 0 ? device.l2_bytes / 2 / both : double{elements_of_gpu};
  return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(fit), std::uint64_t{1} << 16,
                                   elements_of_gpu);
}

Plan plan(const Spec& spec, const Place& place, const Results&) {
  std::uint64_t many = number_of(spec, elements, elements_of(place.info));
  many = std::max<std::uint64_t>(many / kernels::least_elements, 1) * kernels::least_elements;
  const std::uint64_t ops = number_on(place, spec, operations, ops_of_gpu);
  if (many * ops > most_work)
    throw BadInput(fmt::format("--timed-elements {} are too many for --ops {}: choose at most {}",
                               many, ops, most_work / ops));
  Plan plan;
  const auto ask = [&](std::span<const Way> ways) {
    for (const Way way : ways) {
      const kernels::Case what = kernels::timing_case(way, many, ops);
      if (fits(elements, spec, place, what)) plan.asks.push_back({what});
    }
  };
  place.info.kind == "cpu" ? ask(on_cpu) : ask(on_gpu);
  return plan;
}

// ---- the points

bool is_timed(const Point& point, Way way) {
  return point.status == Status::ok && point.what.family == Family::timing &&
         kernels::way_of(point.what) == way;
}

const Point* find(const Results& results, Way way) {
  return last_measured(results.points, [&](const kernels::Case& what) {
    return what.family == Family::timing && kernels::way_of(what) == way;
  });
}

/// The one in a row's chart and run that tells the truth.
const Point* truth_of(const Row& row) {
  const Point* found = nullptr;
  for (const Point* point : row.all)
    if (is_timed(*point, Way::proper) && point->run == row.point.run) found = point;
  return found;
}

/// Time in that way against the truth.
std::optional<Interval> factor_of(const Row& row, std::string_view) {
  const Point* const truth = truth_of(row);
  if (truth == nullptr) return std::nullopt;
  return times_as_long(row.point, *truth);
}

// ---- what samples say

/// Medians of the visits to a point among its first samples, in order.
std::vector<double> visits_of(const Point& point, std::size_t count) {
  std::vector<double> medians;
  const std::span<const double> samples = std::span(point.seconds.samples).first(count);
  for (std::size_t i = 0; i < point.visits.size(); ++i) {
    const std::size_t first = point.visits[i].first;
    const std::size_t next = i + 1 < point.visits.size() ? point.visits[i + 1].first : count;
    const std::size_t end = std::min(next, count);
    if (first < end) medians.push_back(median_of(samples.subspan(first, end - first)));
  }
  if (medians.empty()) medians.push_back(median_of(samples));
  return medians;
}

/// Intervals of the first samples, 6 and more, over their number.
struct Narrowing {
  Curve upper{"upper end", {}, {}, true}, lower{"lower end", {}, {}, true};
  std::size_t enough = 0;  ///< samples from which on it is narrow; 0: it never is
};
Narrowing narrowing_of(const Point& point) {
  Narrowing narrowing;
  const std::span<const double> samples(point.seconds.samples);
  for (std::size_t count = least_for_interval; count <= samples.size();) {
    const std::span<const double> some = samples.first(count);
    const Ends ends = time_interval(some, visits_of(point, count));
    narrowing.upper.add(static_cast<double>(count), ends.high);
    narrowing.lower.add(static_cast<double>(count), ends.low);
    const bool is_narrow = ends.high - ends.low <= narrow * median_of(some);
    if (!is_narrow) narrowing.enough = 0;
    if (is_narrow && narrowing.enough == 0) narrowing.enough = count;
    // Steps of 5 %, and the last one.
    const std::size_t next = std::max(count + 1, count + count / 20);
    count = count == samples.size() ? count + 1 : std::min(next, samples.size());
  }
  return narrowing;
}

/// What one sample alone can say at worst: the factor farthest from 1.
double worst_of(const Seconds& seconds) {
  const Ends ends = range_of(seconds.samples);
  const double above = ends.high / seconds.median, below = ends.low / seconds.median;
  return above * below > 1 ? above : below;
}

// ---- the charts

/// "proper", "unfinished".
constexpr Label way_label{"way", [](const Row& row, std::string_view) {
                            return kernels::text_of(row.point.what.family->axes.front(),
                                                    row.point.what.more[0]);
                          }};

std::optional<Interval> samples_of(const Row& row, std::string_view) {
  return Interval{static_cast<double>(row.point.seconds.samples.size())};
}
constexpr Metric number_of_samples =
    metric_of("samples", "Samples", "", samples_of, {1, 100}, {Trait::plain, Trait::linear});

bool is_proper(const Row& row) { return is_timed(row.point, Way::proper); }

/// Of the kernel as it is timed properly, by the number of samples.
Chart of_samples(std::string_view id, std::string_view title) {
  Chart chart = chart_of(id, title, number_of_samples, metrics::runtime, way_label);
  chart.y.log = false;
  chart.shows = is_proper;
  return chart;
}

/// Samples in each of `bins` equal ranges of time, as steps.
Curve histogram_of(const std::vector<double>& samples) {
  Curve steps{"samples in a range", {}, {}, true};
  const Ends ends = range_of(samples);
  if (!(ends.high > ends.low)) return steps;
  std::array<double, bins> counts{};
  const double width = (ends.high - ends.low) / bins;
  for (const double sample : samples)
    ++counts[std::min<std::size_t>(static_cast<std::size_t>((sample - ends.low) / width),
                                   bins - 1)];
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double from = ends.low + static_cast<double>(i) * width;
    steps.x.insert(steps.x.end(), {from, from + width});
    steps.y.insert(steps.y.end(), {counts[i], counts[i]});
  }
  return steps;
}

/// Samples of the point in the range that holds its median.
std::optional<Interval> samples_about_median(const Row& row, std::string_view) {
  if (row.point.seconds.samples.empty()) return std::nullopt;
  const Curve steps = histogram_of(row.point.seconds.samples);
  for (std::size_t i = 0; i + 1 < steps.x.size(); i += 2)
    if (row.point.seconds.median <= steps.x[i + 1]) return Interval{steps.y[i]};
  return std::nullopt;
}

std::vector<Chart> charts(const Results& results) {
  const Metric factor = metric_of("factor", "Time against the truth", "x", factor_of, {0.01, 10});
  const Chart factors =
      chart_of("timing", "Time in each way, against the truth", way_label, factor, labels::family);
  Chart over_time = of_samples("timing-samples", "Samples in their order");
  Chart intervals = of_samples("timing-interval", "Interval by the number of samples");
  Chart histogram = of_samples("timing-histogram", "How samples are distributed");
  Metric time = metrics::runtime;
  time.log = false;
  histogram.x = time;
  histogram.y = metric_of("samples in a range", "Samples", "", samples_about_median, {0, 100},
                          {Trait::plain, Trait::linear});
  const Point* const proper = find(results, Way::proper);
  if (proper != nullptr && !proper->seconds.samples.empty()) {
    const std::vector<double>& samples = proper->seconds.samples;
    Curve order{"samples", std::vector<double>(samples.size()), samples, true};
    std::iota(order.x.begin(), order.x.end(), 1.0);
    over_time.curves.push_back(std::move(order));
    const Narrowing narrowing = narrowing_of(*proper);
    if (narrowing.upper.x.size() > 1) intervals.curves = {narrowing.upper, narrowing.lower};
    histogram.curves.push_back(histogram_of(samples));
  }
  return {factors, over_time, intervals, histogram};
}

// ---- the verdict

void add_samples(const Point& proper, LabVerdict& verdict) {
  const std::vector<double>& samples = proper.seconds.samples;
  if (samples.size() < least_for_interval) return;
  verdict.inform("one sample alone, at worst", Interval{worst_of(proper.seconds)}, "x");
  const double sum = std::accumulate(samples.begin(), samples.end(), 0.0);
  verdict.inform("the mean of all samples, against the median",
                 Interval{sum / static_cast<double>(samples.size()) / proper.seconds.median}, "x");
  if (const std::size_t enough = narrowing_of(proper).enough; enough > 0)
    verdict.inform("samples until the interval is 1 % wide", Interval{static_cast<double>(enough)},
                   "");
  if (const std::vector<double> visits = visits_of(proper, samples.size()); visits.size() > 1) {
    const Ends ends = range_of(visits);
    verdict.inform("the slowest visit against the fastest: what drift can do",
                   Interval{ends.high / ends.low}, "x");
  }
}

LabVerdict verdict(const Results& results) {
  LabVerdict verdict;
  const Point* const proper = find(results, Way::proper);
  const Point* const unfinished = find(results, Way::unfinished);
  const Point* const fresh = find(results, Way::new_memory);
  if (proper == nullptr || unfinished == nullptr || fresh == nullptr)
    return cannot_say(
        "Measure the kernel properly, without waiting for the end, and on new memory.");
  verdict.inform("the kernel, timed properly", time_of(*proper), "s");
  for (const Point* point : results.points) {
    if (point->status != Status::ok || point == proper) continue;
    const Way way = kernels::way_of(point->what);
    const Interval factor = times_as_long(*point, *proper);
    const std::string what = fmt::format("timed {}", kernels::words_of(way));
    if (way == Way::unfinished)
      verdict.judge(what, {}, factor, "x", 0, 1 - tolerance);
    else if (way == Way::new_memory)
      verdict.judge(what, {}, factor, "x", 1 + tolerance);
    else
      verdict.inform(what, factor, "x");
  }
  add_samples(*proper, verdict);
  verdict.says = conclude(verdict.rows);
  const auto times = [&](const Point& point) {
    return text_of(Interval{point.seconds.median / proper->seconds.median}, "x");
  };
  verdict.headline = fmt::format(
      "The kernel takes {}; a clock that does not wait for its end says {} of that, one that "
      "includes new memory {}.",
      units::seconds(proper->seconds.median), times(*unfinished), times(*fresh));
  distrust_unsure(verdict, std::array{proper, unfinished, fresh});
  return verdict;
}

}  // namespace

extern constinit const Lab timing_lab{
    .name = "timing",
    .title = "Timing",
    .group = "Overhead",
    .question = "How wrong is a time that is measured carelessly?",
    .about =
        "One kernel, fma on data that fit into caches, is timed in several ways. Properly: "
        "after a warm-up, on warm data, until its end, again and again, by the median. Without "
        "waiting: the clock is stopped when the work is started, which on a GPU every launch "
        "allows. With launch and wait: the clock of the host around each run. On new memory: "
        "memory for the result is allocated within the time, as in the first run of a script. "
        "After a rest: a single run of a device that has slept. With cold caches, on zeros, and "
        "under a long load, as a power limit allows it. The factor says how far each is off: "
        "each of the others times something else. The other charts show what samples are worth: "
        "their order, their distribution, and how the interval narrows with their number.",
    .needs =
        "The kernel timed in seven ways on a CPU, in eight on a GPU. The verdict compares the "
        "unfinished time and that on new memory with the proper one; the others inform.",
    .claim = {"A launch returns before the kernel has ended: wait for its end before the clock is "
              "read.",
              "CUDA C++ Best Practices Guide, Using CPU Timers"},
    .knobs = {elements, operations},
    .plan = plan,
    .charts = charts,
    .verdict = verdict,
    .time = 8,
};

}  // namespace engine
