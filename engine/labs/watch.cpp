// The lab `watch`: what a device counts of all that runs on it, whoever started it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "engine/labs/lab.hpp"
#include "engine/watch/windows.hpp"
#include "kernels/counted.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

namespace counted = kernels::counted;

std::string refusal_of_every(std::string_view text) {
  const auto seconds = units::parse_seconds(text);
  return seconds && *seconds >= 0.1 && *seconds <= 60 ? "" : "a time from 0.1s to 60s";
}

constexpr std::array<std::string_view, 4> tensor_types{"bf16", "fp16", "tf32", "fp8"};
constexpr std::array own_knobs{
    LabKnob{
        LabKnob::Kind::text, "every", "Length of a window.", "0.1s", 1, 1, {}, refusal_of_every},
    LabKnob{LabKnob::Kind::choice, "tensor",
            "Type of what runs on matrix units, whose counter does not tell it.", "bf16", 1, 1,
            tensor_types}};

std::string why_not(const Place& place) {
  return place.info.kind == "cuda" || place.kernels.empty()
             ? ""
             : "The counters of a CPU are not read yet: watch needs an NVIDIA GPU.";
}

Plan plan(const Spec&, const Place&, const Results&) { return {}; }

// ---- the charts

std::string limit_of_row(const Row& row, std::string_view) {
  return std::string(limit_word(main_limit_of(row.session, row.point)));
}
constexpr Label limit_label{"limit", limit_of_row};

constexpr double percent = 100;

std::optional<Interval> begin_of(const Row& row, std::string_view) {
  return Interval{value_of(row.point, time_value) + row.point.seconds.median / 2};
}
constexpr Metric time_metric{.name = "time",
                             .title = "Time",
                             .unit = "s",
                             .of = begin_of,
                             .si_prefix = false,
                             .log = false,
                             .low = 0,
                             .high = 60};

std::optional<Interval> busy_of(const Row& row, std::string_view) {
  return Interval{value_of(row.point, counted::busy)};
}

std::optional<Interval> pcie_sent_of(const Row& row, std::string_view) {
  return Interval{value_of(row.point, counted::pcie_sent)};
}

std::optional<Interval> power_of(const Row& row, std::string_view) {
  const auto power = row.point.conditions.power_w;
  return power ? std::optional(Interval{*power}) : std::nullopt;
}

std::optional<Interval> clock_of(const Row& row, std::string_view) {
  const auto clock = row.point.conditions.clock_hz;
  return clock ? std::optional(Interval{*clock}) : std::nullopt;
}

/// A window in which hardly anything ran tells nothing of a program.
bool has_dot(const Row& row) {
  constexpr double least_busy = 0.01;
  return row.point.work.flops > 0 && row.point.work.bytes > 0 &&
         value_of(row.point, counted::busy) >= least_busy;
}

/// Of its marker: the last minute fades away, and what lies before is density alone.
double recency_of(const Row& row) {
  constexpr double minute = 60, faintest = 0.15;  // s
  if (row.all.empty()) return 1;
  const double age = value_of(*row.all.back(), time_value) - value_of(row.point, time_value);
  return age > minute ? 0 : faintest + (1 - faintest) * (1 - age / minute);
}

/// Where the phases lie that took a large part of the time.
std::vector<Note> centroids(const Results& results) {
  constexpr double least_part = 0.05;
  constexpr std::size_t most = 5;
  double seconds = 0;
  for (const Point* point : results.points) seconds += point->seconds.median;
  std::vector<Note> notes;
  for (const Point& phase : phases_of(results.points)) {
    const double part = phase.seconds.median / seconds;
    if (part < least_part || notes.size() == most) break;
    if (has_dot({phase, results.session, {}}))
      notes.push_back({Note::At::spot, phase.work.intensity(), phase.flops_per_second(),
                       text_of(Interval{part}, "%")});
  }
  return notes;
}

/// One value of all windows over time.
Curve curve_of(const Results& results, std::string_view name) {
  Curve curve{std::string(name), {}, {}, true};
  double most = 0;
  for (const Point* point : results.points) {
    curve.x.push_back(value_of(*point, time_value) + point->seconds.median / 2);
    curve.y.push_back(name == counted::dram ? memory_share(results.session, *point)
                                            : value_of(*point, name));
    most = std::max(most, curve.y.back());
  }
  constexpr double least = 0.01;  // never above 1 %: not worth a line
  return most >= least ? curve : Curve{};
}

/// On a linear axis from 0.
Metric linear(std::string_view name, std::string_view title, std::string_view unit,
              std::optional<Interval> (*of)(const Row&, std::string_view), double high) {
  return {.name = name,
          .title = title,
          .unit = unit,
          .of = of,
          .si_prefix = unit != "%",
          .log = false,
          .low = 0,
          .high = high};
}

Chart over_time(std::string_view id, std::string_view title, const Metric& y) {
  Chart chart{.id = id, .title = title};
  chart.markers = false;
  chart.x = time_metric;
  chart.y = y;
  chart.series = {"counted", [](const Row&, std::string_view name) { return std::string(name); },
                  y.name};
  chart.colour = chart.series;
  chart.along = "dtype";
  return chart;
}

std::vector<Chart> charts(const Results& results) {
  Chart roofline{.id = "watch-roofline", .title = "What ran, under the roofs"};
  roofline.x = metrics::intensity;
  roofline.y = metrics::flops;
  roofline.series = limit_label;
  roofline.colour = limit_label;
  roofline.shows = has_dot;
  roofline.overlays = {Overlay::roofs, Overlay::density};
  roofline.strength = recency_of;
  roofline.notes = centroids(results);
  if (!results.ended && !results.points.empty()) {
    const Point& now = *results.points.back();
    if (now.work.flops > 0 && now.work.bytes > 0)
      roofline.notes.push_back(
          {Note::At::spot, now.work.intensity(), now.flops_per_second(), "now"});
  }
  Chart shares = over_time("watch-shares", "Shares over time",
                           linear("SM busy", "Share", "%", busy_of, percent));
  for (const std::string_view name : {counted::dram, counted::fp64, counted::fp32, counted::fp16,
                                      counted::dmma, counted::hmma, counted::imma}) {
    Curve curve = curve_of(results, name);
    if (!curve.x.empty()) shares.curves.push_back(std::move(curve));
  }
  Chart links = over_time("watch-links", "Links over time",
                          linear("PCIe sent", "Bandwidth", "B/s", pcie_sent_of, 1e9));
  for (const std::string_view name :
       {counted::pcie_received, counted::nvlink_sent, counted::nvlink_received}) {
    Curve curve = curve_of(results, name);
    if (!curve.x.empty()) links.curves.push_back(std::move(curve));
  }
  const Chart clock =
      over_time("watch-clock", "Clock over time", linear("clock", "Clock", "Hz", clock_of, 2e9));
  const Chart power =
      over_time("watch-power", "Power over time", linear("power", "Power", "W", power_of, 700));
  return {roofline, shares, clock, power, links};
}

// ---- the verdict

/// Means over all windows, by their time.
struct Means {
  double seconds = 0, any_kernel = 0, memory = 0, busy = 0;
  std::array<double, limits.size()> division{};  ///< s
  Busiest pipe{};                                ///< of all of the time
};

Means means_of(const Results& results) {
  Means means;
  std::array pipes{Busiest{counted::fp64}, Busiest{counted::fp32}, Busiest{counted::fp16},
                   Busiest{counted::dmma}, Busiest{counted::hmma}, Busiest{counted::imma}};
  for (const Point* point : results.points) {
    const double seconds = point->seconds.median;
    means.seconds += seconds;
    means.any_kernel += value_of(*point, counted::any_kernel) * seconds;
    means.busy += value_of(*point, counted::busy) * seconds;
    means.memory += memory_share(results.session, *point) * seconds;
    for (Busiest& pipe : pipes) pipe.share += value_of(*point, pipe.counted) * seconds;
    const auto division = division_of(results.session, *point);
    for (std::size_t i = 0; i < division.size(); ++i) means.division[i] += division[i];
  }
  if (means.seconds <= 0) return means;
  for (double* one : {&means.any_kernel, &means.busy, &means.memory}) *one /= means.seconds;
  for (double& part : means.division) part /= means.seconds;
  means.pipe = *std::ranges::max_element(pipes, {}, &Busiest::share);
  means.pipe.share /= means.seconds;
  return means;
}

std::string_view advice_of(Regime limit) {
  switch (limit) {
    case Regime::compute:
      return "Smaller types or fewer FLOP: the units are busy.";
    case Regime::bandwidth:
      return "Fuse operators, use smaller types, keep data in caches: the memory is busy.";
    case Regime::overhead:
      return "Multiprocessors lack work: CUDA graphs, fused operators and data loaded ahead where "
             "nothing runs in between, larger batches or grids where kernels are small.";
    case Regime::unknown:
      break;
  }
  return "Multiprocessors have work, but neither memory nor units are half busy: small kernels, "
         "latency, or several kinds in turn. Profile the longest kernels.";
}

LabVerdict verdict(const Results& results) {
  LabVerdict verdict;
  const Means means = means_of(results);
  if (means.seconds <= 0) return verdict;
  const auto counts = [](const Point* point) { return tells(*point, counted::busy); };
  if (std::ranges::none_of(results.points, counts)) {
    verdict.says = Says::cannot_say;
    verdict.headline =
        fmt::format("This GPU counts neither work nor bytes of other programs. GPU-Util says {}.",
                    text_of(Interval{means.any_kernel}, "%"));
    return verdict;
  }
  if (means.busy == 0 && means.any_kernel == 0) {
    verdict.says = Says::cannot_say;
    verdict.headline = "Nothing ran on the device.";
    return verdict;
  }
  std::size_t most = 0;
  for (std::size_t i = 0; i < limits.size(); ++i) {
    if (means.division[i] > means.division[most]) most = i;
    verdict.rows.push_back({fmt::format("of the time {}", limit_word(limits[i])),
                            {},
                            Interval{means.division[i]},
                            "%"});
  }
  verdict.rows.push_back({"multiprocessors had work", {}, Interval{means.busy}, "%"});
  verdict.rows.push_back({"of the memory's bandwidth", {}, Interval{means.memory}, "%"});
  verdict.rows.push_back({fmt::format("of the time the {} units were busy", means.pipe.counted),
                          {},
                          Interval{means.pipe.share},
                          "%"});
  for (const kernels::Value& value : results.points.back()->values)
    if (value.name.starts_with(counted::memory_prefix))
      verdict.rows.push_back({value.name,
                              {},
                              value.value > 0 ? std::optional(Interval{value.value}) : std::nullopt,
                              "B"});
  constexpr double apart = 0.1;
  const double used = std::max(means.memory, means.pipe.share);
  verdict.rows.push_back({"GPU-Util says",
                          {},
                          Interval{means.any_kernel},
                          "%",
                          means.any_kernel > used + apart ? Says::holds : Says::differs});
  verdict.says = verdict.rows.back().says;
  verdict.headline = fmt::format(
      "GPU-Util says {}; {} of the {} units and {} of the memory are used. The largest part of the "
      "time, {}, is {}.",
      text_of(Interval{means.any_kernel}, "%"), text_of(Interval{means.pipe.share}, "%"),
      means.pipe.counted, text_of(Interval{means.memory}, "%"),
      text_of(Interval{means.division[most]}, "%"),
      limits[most] == Regime::unknown ? "without a clear limit" : limit_word(limits[most]));
  verdict.advice.emplace_back(advice_of(limits[most]));
  return verdict;
}

}  // namespace

extern const Lab watch_lab_of_counters;
constinit const Lab watch_lab_of_counters{
    .name = watch_lab,
    .title = "Watch",
    .group = "Your kernels",
    .question = "What limits the program that runs on this GPU now?",
    .about =
        "Hopper and newer GPUs count for every user how busy their memory and each kind of units "
        "are, whoever's program runs. Ridgepoint reads the counters ten times a second and runs "
        "nothing itself. Each window with FLOP is a dot under the roofs. Multiprocessors "
        "without work are overhead; the rest of the time is of the memory or the units that reach "
        "half of their roof meanwhile. The counter of matrix units does not tell the type, so "
        "choose "
        "it. They are busy for longer than their FLOP take: once all roofs were measured on the "
        "device, their FLOP/s are corrected by that.",
    .needs = "Windows of 0.1 s and longer while another program uses the GPU.",
    .claim = {"GPU-Util is the share of time in which any kernel ran, not how much of the GPU it "
              "used.",
              "NVML API Reference, nvmlUtilization_t"},
    .knobs = own_knobs,
    .why_not = why_not,
    .plan = plan,
    .charts = charts,
    .verdict = verdict,
    .watches = true,
};

}  // namespace engine
