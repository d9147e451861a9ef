#include "engine/watch/windows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/counted.hpp"
#include "kernels/families/family.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

namespace counted = kernels::counted;

/// That of the measured copy roof, else of the datasheet's; 0 without both.
double memory_rate(const Session& session) {
  for (const RoofSource source : roof_sources)
    if (const Roof* roof = roof_named(session.roofs, "DRAM copy", source)) return roof->rate;
  return 0;
}

bool is_of_link(std::string_view name) {
  return std::ranges::find(link_names, name) != link_names.end();
}

/// The others are byte/s of links, byte of processes, and times.
bool is_share(std::string_view name) {
  return !name.starts_with(counted::memory_prefix) && name != time_value && !is_of_link(name);
}

/// Slower than windows, or no measure of work.
bool tells_of_work(std::string_view name) {
  return is_share(name) && name != counted::any_kernel && name != counted::power_limited;
}

/// The largest difference of shares that both windows tell of what ran.
double difference_of_work(const Point& a, const Point& b) {
  if (is_idle(a) != is_idle(b)) return 1;
  double most = 0;
  for (const kernels::Value& value : a.values) {
    if (!tells_of_work(value.name)) continue;
    if (const auto other = told(b, value.name))
      most = std::max(most, std::abs(value.value - *other));
  }
  return most;
}

/// How far two windows differ in all that is drawn: shares and clocks.
double difference(const Point& a, const Point& b) {
  double most = difference_of_work(a, b);
  const double util = value_of(a, counted::any_kernel) - value_of(b, counted::any_kernel);
  most = std::max(most, std::abs(util));
  const double clock = a.conditions.clock_hz.value_or(0);
  if (clock > 0) most = std::max(most, std::abs(b.conditions.clock_hz.value_or(clock) / clock - 1));
  return most;
}

std::optional<double> mean(std::optional<double> a, std::optional<double> b, double part_of_a) {
  if (!a || !b) return a ? a : b;
  return *a * part_of_a + *b * (1 - part_of_a);
}

/// `next` begins where `one` ends.
void put_together(Point& one, const Point& next) {
  const double seconds = one.seconds.median + next.seconds.median;
  const double part = one.seconds.median / seconds;
  for (const kernels::Value& value : next.values) {
    const auto here = std::ranges::find(one.values, value.name, &kernels::Value::name);
    if (here == one.values.end())
      one.values.push_back(value);
    else if (value.name != time_value)
      here->value = here->value * part + value.value * (1 - part);
  }
  if (next.work.flops > one.work.flops) {
    one.what.dtype = next.what.dtype;
    one.what.units = next.what.units;
  }
  one.work.flops += next.work.flops;
  one.work.bytes += next.work.bytes;
  one.seconds.median = one.seconds.low = one.seconds.high = seconds;
  kernels::Conditions& here = one.conditions;
  here.clock_hz = mean(here.clock_hz, next.conditions.clock_hz, part);
  here.memory_clock_hz = mean(here.memory_clock_hz, next.conditions.memory_clock_hz, part);
  here.power_w = mean(here.power_w, next.conditions.power_w, part);
  here.temperature_c = mean(here.temperature_c, next.conditions.temperature_c, part);
}

/// One pass over neighbours, no point twice; those that differ by at most `most`, of the same limit
/// unless `any_limit`.
std::vector<Point> joined(const Session& session, std::vector<Point> windows, double most,
                          bool any_limit) {
  std::vector<Point> fewer;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    fewer.push_back(std::move(windows[i]));
    if (i + 1 == windows.size()) break;
    Point& one = fewer.back();
    Point& next = windows[i + 1];
    const bool same_limit =
        any_limit || main_limit_of(session, one) == main_limit_of(session, next);
    if (!same_limit || difference(one, next) > most) continue;
    put_together(one, next);
    ++i;
  }
  return fewer;
}

double median_difference(const std::vector<Point>& windows) {
  std::vector<double> differences;
  for (std::size_t i = 0; i + 1 < windows.size(); ++i)
    differences.push_back(difference(windows[i], windows[i + 1]));
  const auto middle = differences.begin() + static_cast<std::ptrdiff_t>(differences.size() / 2);
  std::ranges::nth_element(differences, middle);
  return *middle;
}

std::string reason_of(const Session& session, const Point& window, Regime limit,
                      const Verdict& verdict, const Busiest& pipe) {
  switch (limit) {
    case Regime::bandwidth:
      return fmt::format("memory at {} of its roof", units::percent(verdict.share_of_bandwidth));
    case Regime::compute:
      return fmt::format("{} units busy {} of the time", pipe.counted, units::percent(pipe.share));
    case Regime::overhead:
      return fmt::format("{} of the {} had no work", units::percent(verdict.share_of_overhead),
                         parts_of(session.device));
    case Regime::unknown:
      break;
  }
  if (!knows_roofs(session, window)) return "the roofs are not known, or not all work is counted";
  return fmt::format("memory at {} of its roof, {} units busy {} of the time",
                     units::percent(verdict.share_of_bandwidth), pipe.counted,
                     units::percent(pipe.share));
}

}  // namespace

Point window_point(const CountedRates& rates, const kernels::Activity& activity, double begin) {
  Point point;
  point.lab = watch_lab;
  point.what = {.family = kernels::Family::outside, .ops = kernels::Op::none};
  point.kernel = "all that ran";
  point.source = "the device's counters";
  const double seconds = activity.seconds;
  point.seconds.median = point.seconds.low = point.seconds.high = seconds;
  point.work = {.flops = 0, .bytes = bytes_per_second(activity, rates) * seconds, .launches = 0};
  point.values = shares_of(activity, rates);
  double busiest = 0;
  for (const Pipe& pipe : rates.pipes) {
    point.work.flops += flops_per_second(activity, pipe) * seconds;
    const double share = value_of(point, pipe.counted);
    if (share <= busiest) continue;
    busiest = share;
    point.what.dtype = pipe.dtype;
    point.what.units = pipe.units;
  }
  point.values.push_back({std::string(time_value), begin});
  if (const auto limited = activity.conditions.power_limited)
    point.values.push_back({std::string(counted::power_limited), *limited ? 1.0 : 0.0});
  point.conditions = activity.conditions;
  return point;
}

std::string refusal_of_window_length(std::string_view text) {
  const auto seconds = units::parse_seconds(text);
  return seconds && *seconds >= 0.1 && *seconds <= 60 ? "" : "a time from 0.1s to 60s";
}

bool is_window(const Point& point) { return point.lab == watch_lab; }

std::string value_text(const kernels::Value& value) {
  if (value.name.starts_with(counted::memory_prefix)) return units::bytes(value.value);
  if (value.name == time_value) return units::seconds(value.value);
  if (is_of_link(value.name)) return units::bytes_per_second(value.value);
  return units::percent(value.value);
}

std::optional<double> busy_share(const Point& point) {
  const std::optional<double> share = told(point, counted::busy);
  return share ? share : told(point, counted::cores_busy);
}

std::string_view limit_word(Regime regime) {
  return regime == Regime::unknown ? "no clear limit" : name_of(regime);
}

std::optional<double> memory_share(const Session& session, const Point& point) {
  const double rate = memory_rate(session);
  if (rate > 0 && point.work.bytes > 0) return point.bytes_per_second() / rate;
  return told(point, counted::dram);
}

Busiest busiest_pipe(const Point& point) {
  Busiest busiest{pipe_names.front(), 0};
  double vectors = 0;
  for (const std::string_view name : pipe_names) {
    const double share = value_of(point, name);
    if (name == counted::fp32 || name == counted::fp64) vectors += share;
    if (share > busiest.share) busiest = {name, share};
  }
  // The vectors of a CPU run on the same units, whatever their type.
  if (told(point, counted::cores_busy)) busiest.share = std::max(busiest.share, vectors);
  return busiest;
}

bool knows_roofs(const Session& session, const Point& point) {
  const bool pipe = std::ranges::any_of(
      pipe_names, [&](std::string_view name) { return told(point, name).has_value(); });
  return pipe && memory_share(session, point).has_value();
}

std::array<double, limits.size()> division_of(const Session& session, const Point& point) {
  std::array<double, limits.size()> division{};
  const auto add = [&](Regime limit, double part) {
    const auto at = std::ranges::find(limits, limit) - limits.begin();
    division[static_cast<std::size_t>(at)] += part * point.seconds.median;
  };
  const std::optional<double> counted_busy = busy_share(point);
  if (!counted_busy) {
    add(Regime::unknown, 1);
    return division;
  }
  const double busy = std::clamp(*counted_busy, 0.0, 1.0);
  add(Regime::overhead, 1 - busy);
  const double memory = memory_share(session, point).value_or(0);
  const double compute = busiest_pipe(point).share;
  const double most = std::max(memory, compute);
  if (!knows_roofs(session, point) || most < least_share * busy)
    add(Regime::unknown, busy);
  else
    add(compute > memory ? Regime::compute : Regime::bandwidth, busy);
  return division;
}

Regime main_limit_of(const Session& session, const Point& point) {
  const auto division = division_of(session, point);
  const auto largest = std::ranges::max_element(division);
  return limits[static_cast<std::size_t>(largest - division.begin())];
}

std::vector<Point> phases_of(std::span<const Point* const> windows) {
  constexpr double alike = 0.1, shortest = 1;
  std::vector<Point> stretches, phases;
  for (const Point* window : windows) {
    if (!stretches.empty() && difference_of_work(stretches.back(), *window) <= alike)
      put_together(stretches.back(), *window);
    else
      stretches.push_back(*window);
  }
  for (Point& stretch : stretches) {
    if (stretch.seconds.median < shortest) continue;
    const auto same = std::ranges::find_if(
        phases, [&](const Point& phase) { return difference_of_work(phase, stretch) <= alike; });
    if (same == phases.end())
      phases.push_back(std::move(stretch));
    else
      put_together(*same, stretch);
  }
  std::ranges::sort(phases, std::ranges::greater(),
                    [](const Point& phase) { return phase.seconds.median; });
  return phases;
}

void put_alike_together(Session& session, std::uint64_t run) {
  const auto is_of_run = [&](const Point& point) { return is_window(point) && point.run == run; };
  const auto count = static_cast<std::size_t>(std::ranges::count_if(session.points, is_of_run));
  if (count <= most_windows) return;
  std::vector<Point> windows, others;
  for (Point& point : session.points)
    (is_of_run(point) ? windows : others).push_back(std::move(point));
  for (bool any_limit = false; windows.size() > most_windows / 2;) {
    const std::size_t before = windows.size();
    const double most = median_difference(windows);
    windows = joined(session, std::move(windows), most, any_limit);
    if (windows.size() < before) continue;
    if (windows.size() <= most_windows) break;
    any_limit = true;  // limits that alternate leave nothing else
  }
  session.points = std::move(others);
  std::ranges::move(windows, std::back_inserter(session.points));
}

// ---- a window in words

std::string_view parts_of(const kernels::DeviceInfo& device) {
  return device.kind == "cpu" ? "cores" : "multiprocessors";
}

bool is_idle(const Point& window) {
  constexpr double least_busy = 0.003;  // half of one of 166
  return busy_share(window).value_or(1) < least_busy;
}

std::string advice_for(Regime limit, const kernels::DeviceInfo& device) {
  switch (limit) {
    case Regime::compute:
      return "Compute-bound: smaller types, matrix units, or fewer FLOP; the units are busy.";
    case Regime::bandwidth:
      return "Bandwidth-bound: fuse operators, use smaller types, keep data in caches; the memory "
             "is busy.";
    case Regime::overhead:
      return device.kind == "cpu"
                 ? "Overhead-bound: more threads, larger batches, data loaded ahead; cores lack "
                   "work."
                 : "Overhead-bound: CUDA graphs, fused operators, data loaded ahead, larger "
                   "batches "
                   "or grids; multiprocessors lack work.";
    case Regime::unknown:
      break;
  }
  const bool cpu = device.kind == "cpu";
  return fmt::format(
      "No clear limit: {} have work, but neither memory nor units are half busy: {}, latency, or "
      "several kinds in turn. Profile the longest {}.",
      parts_of(device), cpu ? "AMX, integers or fp16, which are not counted" : "small kernels",
      cpu ? "functions" : "kernels");
}

Verdict judge_window(const Session& session, const Point& window) {
  const Regime limit = main_limit_of(session, window);
  const Busiest pipe = busiest_pipe(window);
  Verdict verdict;
  verdict.regime = limit;
  verdict.limit = limit_word(limit);
  verdict.share_of_bandwidth = memory_share(session, window).value_or(0);
  verdict.share_of_compute = pipe.share;
  verdict.share_of_overhead = 1 - busy_share(window).value_or(1);
  if (!busy_share(window)) {
    verdict.headline = "Not counted: this device does not tell what others do.";
    return verdict;
  }
  verdict.headline = fmt::format("{}: {}", units::capitalised(std::string(verdict.limit)),
                                 reason_of(session, window, limit, verdict, pipe));
  if (window.conditions.power_limited.value_or(false))
    verdict.sentences.emplace_back("The power limit lowers the clock.");
  verdict.advice.push_back(advice_for(limit, session.device));
  return verdict;
}

}  // namespace engine
