// The lab `watch`: what a device counts of all that runs on it, whoever started it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "engine/labs/lab.hpp"
#include "engine/watch/windows.hpp"
#include "kernels/counted.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

namespace counted = kernels::counted;

Plan plan(const Spec&, const Place&, const Results&) { return {}; }

bool is_cpu(const Session& session) { return session.device.kind == "cpu"; }

// ---- the charts

std::string limit_of_row(const Row& row, std::string_view) {
  return std::string(limit_word(main_limit_of(row.session, row.point)));
}
constexpr Label limit_label{"limit", limit_of_row};

constexpr double percent = 100;

std::optional<Interval> begin_of(const Row& row, std::string_view) {
  return Interval{value_of(row.point, time_value) + row.point.seconds.median / 2};
}
constexpr Metric time_metric =
    metric_of("time", "Time", "s", begin_of, {0, 60}, {Trait::plain, Trait::linear});

std::optional<Interval> busy_of(const Row& row, std::string_view) {
  const std::optional<double> share = busy_share(row.point);
  return share ? std::optional(Interval{*share}) : std::nullopt;
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
  return row.point.work.flops > 0 && row.point.work.bytes > 0 && !is_idle(row.point);
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

/// One value of all windows over time, where it is ever worth a line.
void add_curve(const Results& results, std::string_view name, Chart& chart) {
  Curve curve{std::string(name), {}, {}, true};
  double most = 0;
  for (const Point* point : results.points) {
    const std::optional<double> value =
        name == counted::dram ? memory_share(results.session, *point) : told(*point, name);
    if (!value) continue;
    curve.add(value_of(*point, time_value) + point->seconds.median / 2, *value);
    most = std::max(most, *value);
  }
  constexpr double least = 0.01;
  if (most >= least) chart.curves.push_back(std::move(curve));
}

/// On a linear axis from 0.
Metric linear(std::string_view name, std::string_view title, std::string_view unit,
              std::optional<Interval> (*of)(const Row&, std::string_view), double high) {
  Metric metric = metric_of(name, title, unit, of, {0, high}, {Trait::linear});
  metric.si_prefix = unit != "%";
  return metric;
}

Chart over_time(std::string_view id, std::string_view title, const Metric& y) {
  const auto name_of_it = [](const Row&, std::string_view name) { return std::string(name); };
  Chart chart = chart_of(id, title, time_metric, y, {"counted", name_of_it, y.name});
  chart.markers = false;
  chart.along = "dtype";
  return chart;
}

/// Less traffic than this is control, not data: not worth a chart.
bool uses_links(const Results& results) {
  constexpr double least_traffic = 5e8;  // byte/s
  const auto is_busy = [](const Point* point) {
    return std::ranges::any_of(
        link_names, [&](std::string_view name) { return value_of(*point, name) >= least_traffic; });
  };
  return results.points.empty() || std::ranges::any_of(results.points, is_busy);
}

Chart links_chart(const Results& results) {
  Chart links = over_time("watch-links", "Links over time",
                          linear("PCIe sent", "Bandwidth", "B/s", pcie_sent_of, 1e9));
  for (const std::string_view name : link_names)
    if (name != link_names.front()) add_curve(results, name, links);  // that is of the points
  return links;
}

std::vector<Chart> charts(const Results& results) {
  Chart roofline = chart_of("watch-roofline", "What ran, under the roofs", metrics::intensity,
                            metrics::flops, limit_label);
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
                           linear(is_cpu(results.session) ? counted::cores_busy : counted::busy,
                                  "Share", "%", busy_of, percent));
  add_curve(results, counted::dram, shares);
  for (const std::string_view name : pipe_names) add_curve(results, name, shares);
  const Chart clock =
      over_time("watch-clock", "Clock over time", linear("clock", "Clock", "Hz", clock_of, 2e9));
  const Chart power =
      over_time("watch-power", "Power over time", linear("power", "Power", "W", power_of, 700));
  std::vector<Chart> all{roofline, shares, clock, power};
  if (uses_links(results)) all.push_back(links_chart(results));
  return all;
}

// ---- the verdict

/// Means over all windows, by their time.
struct Means {
  double seconds = 0, any_kernel = 0, memory = 0, busy = 0;
  double idle = 0, power_limited = 0;            ///< parts of the time
  bool knows_roofs = false;                      ///< of any window
  std::array<double, limits.size()> division{};  ///< the same, by `limits`
  std::array<Busiest, pipe_names.size()> pipes{};
};

Means means_of(const Results& results) {
  Means means;
  for (std::size_t i = 0; i < pipe_names.size(); ++i) means.pipes[i].counted = pipe_names[i];
  for (const Point* point : results.points) means.seconds += point->seconds.median;
  for (const Point* point : results.points) {
    const double part = point->seconds.median / means.seconds;
    means.any_kernel += value_of(*point, counted::any_kernel) * part;
    means.busy += busy_share(*point).value_or(0) * part;
    means.memory += memory_share(results.session, *point).value_or(0) * part;
    if (is_idle(*point)) means.idle += part;
    means.power_limited += value_of(*point, counted::power_limited) * part;
    means.knows_roofs = means.knows_roofs || knows_roofs(results.session, *point);
    for (Busiest& pipe : means.pipes) pipe.share += value_of(*point, pipe.counted) * part;
    const auto division = division_of(results.session, *point);
    for (std::size_t i = 0; i < division.size(); ++i)
      means.division[i] += division[i] / means.seconds;
  }
  return means;
}

std::string percent_text(double share) { return text_of(Interval{share}, "%"); }

/// "from 5.0 s: compute-bound, HMMA 92 %" of each phase, and its part of the time.
void add_phases(const Results& results, double seconds, LabVerdict& verdict) {
  constexpr double least_part = 0.05;
  for (const Point& phase : phases_of(results.points)) {
    const double part = phase.seconds.median / seconds;
    if (part < least_part) break;
    const Busiest pipe = busiest_pipe(phase);
    const double memory = memory_share(results.session, phase).value_or(0);
    std::string what = "nothing ran";
    if (!is_idle(phase)) {
      what = limit_word(main_limit_of(results.session, phase));
      if (std::max(memory, pipe.share) >= 0.01)
        what += fmt::format(", {} {}", memory > pipe.share ? counted::dram : pipe.counted,
                            percent_text(std::max(memory, pipe.share)));
    }
    verdict.inform(fmt::format("from {:.1f} s: {}", value_of(phase, time_value), what),
                   Interval{part}, "%");
  }
}

/// The most that each process held; of unknown size where no window told it.
void add_processes(const Results& results, LabVerdict& verdict) {
  std::map<std::string, double> most;
  for (const Point* point : results.points)
    for (const kernels::Value& value : point->values)
      if (value.name.starts_with(counted::memory_prefix))
        most[value.name] = std::max(most[value.name], value.value);
  for (const auto& [name, bytes] : most)
    verdict.inform(name, bytes > 0 ? std::optional(Interval{bytes}) : std::nullopt, "B");
}

/// The limits by their part of the time, the largest first.
std::vector<std::pair<double, Regime>> by_part(const Means& means) {
  std::vector<std::pair<double, Regime>> parts;
  for (std::size_t i = 0; i < limits.size(); ++i) parts.emplace_back(means.division[i], limits[i]);
  std::ranges::stable_sort(parts, std::ranges::greater(), &std::pair<double, Regime>::first);
  return parts;
}

std::string headline_of(const Means& means, const Session& session) {
  std::vector<std::string> parts;
  for (const auto& [part, limit] : by_part(means))
    if (part >= 0.005) parts.push_back(fmt::format("{} {}", percent_text(part), limit_word(limit)));
  std::string text =
      fmt::format("Of {}: {}. ", units::seconds(means.seconds), fmt::join(parts, ", "));
  if (!is_cpu(session)) text += fmt::format("GPU-Util says {}; ", percent_text(means.any_kernel));
  const std::string who(parts_of(session.device));
  text += fmt::format("{} had work for {} of the time",
                      is_cpu(session) ? units::capitalised(who) : who, percent_text(means.busy));
  if (!means.knows_roofs) return text + "; how much of the roofs was used is not known.";
  const Busiest& pipe = std::ranges::max(means.pipes, {}, &Busiest::share);
  return text + fmt::format(", {} units for {}, and {} of the memory's bandwidth was used.",
                            pipe.counted, percent_text(pipe.share), percent_text(means.memory));
}

LabVerdict verdict(const Results& results) {
  constexpr double worth_a_row = 0.005, worth_advice = 0.1;
  LabVerdict verdict;
  const Means means = means_of(results);
  if (means.seconds <= 0) return verdict;
  const bool on_gpu = !is_cpu(results.session);
  const auto counts = [](const Point* point) { return busy_share(*point).has_value(); };
  if (std::ranges::none_of(results.points, counts)) {
    return cannot_say(fmt::format(
        "This device counts neither work nor bytes of other programs.{}",
        on_gpu ? fmt::format(" GPU-Util says {}.", percent_text(means.any_kernel)) : ""));
  }
  if (means.busy == 0 && means.any_kernel == 0) return cannot_say("Nothing ran on the device.");
  const auto add = [&](std::string what, double share) {
    verdict.inform(std::move(what), Interval{share}, "%");
  };
  const auto add_where_seen = [&](std::string what, double share) {
    if (share >= worth_a_row) add(std::move(what), share);
  };
  for (std::size_t i = 0; i < limits.size(); ++i) {
    add(fmt::format("time {}", limit_word(limits[i])), means.division[i]);
    if (limits[i] == Regime::overhead) add_where_seen("of that, nothing ran", means.idle);
  }
  add_phases(results, means.seconds, verdict);
  add_where_seen("time at the power limit", means.power_limited);
  add(fmt::format("{} with work", parts_of(results.session.device)), means.busy);
  if (means.knows_roofs) add("memory bandwidth used", means.memory);
  for (const Busiest& pipe : means.pipes)
    add_where_seen(fmt::format("{} units busy", pipe.counted), pipe.share);
  add_processes(results, verdict);
  if (on_gpu) add("GPU-Util", means.any_kernel);
  verdict.says = Says::holds;
  verdict.headline = headline_of(means, results.session);
  for (const auto& [part, limit] : by_part(means))
    if (part >= worth_advice) verdict.advice.push_back(advice_for(limit, results.session.device));
  return verdict;
}

}  // namespace

extern constinit const Lab watch_lab_of_counters{
    .name = watch_lab,
    .title = "Watch",
    .group = "Your kernels",
    .question = "What limits the programs that run on this device now?",
    .about =
        "Hopper and newer GPUs count for every user how busy their memory and each kind of units "
        "are, whoever's program runs. Ridgepoint reads the counters ten times a second and runs "
        "nothing itself. Each window with FLOP is a dot under the roofs. Multiprocessors without "
        "work are overhead; the rest of the time is of the memory or the units that reach half of "
        "their roof meanwhile. The counter of matrix units does not tell the type, so choose it. "
        "They are busy for longer than their FLOP take: once all roofs were measured on the "
        "device, their FLOP/s are corrected by that. Intel CPUs count FLOP of vectors and the "
        "traffic of DRAM, where the kernel lets the user read them. GPU-Util (nvmlUtilization_t) "
        "is the share of the time in which any kernel ran, not how much of the GPU it used.",
    .needs = "Windows of 0.1 s and longer while another program uses the device.",
    .knobs = {window_length, tensor_type},
    .plan = plan,
    .charts = charts,
    .verdict = verdict,
    .says_early = true,
    .watches = true,
};

}  // namespace engine
