#include "ui/screen/hover.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "engine/roofs/roof_facts.hpp"
#include "engine/verdict/precision.hpp"
#include "engine/watch/windows.hpp"
#include "kernels/counted.hpp"
#include "kernels/units.hpp"
#include "ui/figures/point_facts.hpp"

namespace ui {

namespace counted = kernels::counted;

using engine::Point;
using engine::Session;

namespace {

bool is_repeat(const engine::Metric& metric) { return metric.key == "repeat"; }
bool is_intensity(const engine::Metric& metric) { return metric == engine::metrics::intensity; }

/// FLOP/byte of a fused case for each repeat; 0 where there is none.
double intensity_per_repeat(kernels::Case what) {
  what.fusion = kernels::Fusion::fused;
  what.repeat = 1;
  return kernels::work_of(what).intensity();
}

std::string spread_of(const Point& point) {
  if (point.seconds.median <= 0 || !point.seconds.has_interval()) return {};
  return fmt::format(" ±{} %", units::number(100 * engine::reach_of(point.seconds), 2));
}

/// What ended it short of its noise goal.
std::string_view stopped_by(const Point& point) {
  if (point.stop != engine::Stop::time_limit) return "";
  switch (point.limit) {
    case engine::Limit::time:
      return " (time limit)";
    case engine::Limit::samples:
      return " (sample limit)";
    case engine::Limit::others:
      return " (SMT contention)";
    case engine::Limit::stopped:
      return " (so far)";
  }
  return "";
}

std::string clock_of(const Point& point) {
  const kernels::Conditions& then = point.conditions;
  std::vector<std::string> words;
  if (then.clock_hz) words.push_back(units::hertz(*then.clock_hz));
  if (then.temperature_c)
    words.push_back(fmt::format("{} °C", units::number(*then.temperature_c, 3)));
  if (then.power_w) words.push_back(fmt::format("{} W", units::number(*then.power_w, 3)));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string word_at(const plot::Axis& axis, double at) {
  const auto word = static_cast<std::size_t>(std::max(0.0, std::round(at)));
  return word < axis.words.size() ? axis.words[word] : "";
}

Solid solid_of(const plot::Figure& figure, const engine::Metric& y, const plot::Series& series,
               std::size_t i) {
  const plot::Points& points = *series.points;
  const std::string word = word_at(figure.x, points.x[i]);
  const double value = points.y[i] - (i < points.from.size() ? points.from[i] : 0);
  Solid solid{series.name.empty() ? word : series.name, {{"of", word}}};
  solid.readings.push_back({std::string(y.title), text_of(y, value)});
  if (i < points.low.size() && points.low[i] > 0)
    solid.readings.push_back({"95 % interval", fmt::format("{} to {}", text_of(y, points.low[i]),
                                                           text_of(y, points.high[i]))});
  if (i < points.flagged.size() && points.flagged[i] != 0)
    solid.readings.push_back({"doubtful", "may be wrong by more than its interval"});
  return solid;
}

bool between(double value, double one, double other) {
  return value >= std::min(one, other) && value <= std::max(one, other);
}

}  // namespace

PointMap::PointMap(const Plotted& shown, const plot::Transform& transform) {
  const auto add = [&](std::size_t owner, const Point& point, const engine::Row& row) {
    const auto place = place_of(shown.chart, row);
    if (!place) return;
    const plot::Vec at = transform.to_pixel(place->x, place->y);
    const Point* first = row.session.points.data();
    if (transform.plot.contains(at))
      spots_.push_back({at, {owner, static_cast<std::size_t>(&point - first)}});
  };
  for (const Line& line : shown.lines) {
    const Group& group = shown.group_of(line);
    if (line.series.hidden) continue;
    for (const Point* point : group.points) add(group.owner, *point, shown.row(group, *point));
  }
  if (!shown.sessions.empty()) {
    const SessionPoints& first = shown.sessions.front();
    for (const Point* probe : first.probes) add(0, *probe, {*probe, *first.session, {}});
  }
  std::ranges::sort(spots_, {}, [](const Spot& spot) { return spot.at.x; });
}

std::optional<Hovered> PointMap::nearest(plot::Vec pixel, double radius) const {
  const Spot* best = nullptr;
  double least = radius;
  auto spot = std::ranges::lower_bound(spots_, pixel.x - radius, {},
                                       [](const Spot& one) { return one.at.x; });
  for (; spot != spots_.end() && spot->at.x <= pixel.x + radius; ++spot) {
    const double distance = std::hypot(spot->at.x - pixel.x, spot->at.y - pixel.y);
    if (distance > least) continue;
    // On a tie the newer point wins: it is drawn on top.
    if (best != nullptr && distance == least && spot->point < best->point) continue;
    least = distance;
    best = &*spot;
  }
  return best != nullptr ? std::optional(best->point) : std::nullopt;
}

std::optional<FigurePoint> nearest_drawn(const plot::Figure& figure,
                                         const plot::Transform& transform, plot::Vec pixel,
                                         double radius) {
  std::optional<FigurePoint> best;
  const double left = transform.to_data_x(pixel.x - radius);
  const double right = transform.to_data_x(pixel.x + radius);
  for (const plot::Series& series : figure.series) {
    if (series.hidden) continue;
    for (std::size_t i = 0; i < series.points->x.size(); ++i) {
      const FigurePoint point{&series, i};
      if (point.at().x < left || point.at().x > right) continue;
      const plot::Vec at = transform.to_pixel(point.at().x, point.at().y);
      const double distance = std::hypot(at.x - pixel.x, at.y - pixel.y);
      if (distance > radius || !transform.plot.contains(at)) continue;
      radius = distance;
      best = point;
    }
  }
  return best;
}

std::vector<Reading> readings_of(const engine::Metric& y, const plot::Figure& figure,
                                 const FigurePoint& point) {
  const auto text = [&](double value) { return text_of(y, value); };
  const plot::Points& points = *point.series->points;
  std::vector<Reading> rows{{figure.x.title, on_axis(figure.x, point.at().x)},
                            {figure.y.title, text(point.at().y)}};
  const auto value_in = [&](const auto& values) {
    return point.index < values.size() ? values[point.index] : 0;
  };
  const double low = value_in(points.low), high = value_in(points.high);
  if (low > 0 && high > 0) {
    rows.push_back({"95 % intervals", fmt::format("{} to {}", text(low), text(high))});
  }
  if (value_in(points.flagged) != 0)
    rows.push_back({"doubtful", "one side may be wrong by more than its interval"});
  return rows;
}

std::optional<Solid> solid_at(const plot::Figure& figure, const engine::Metric& y,
                              const plot::Transform& transform, plot::Vec pixel) {
  const double at_x = transform.to_data_x(pixel.x), at_y = transform.to_data_y(pixel.y);
  if (!transform.plot.contains(pixel)) return {};
  for (const plot::Series& series : figure.series) {
    if (series.hidden) continue;
    const plot::Points& points = *series.points;
    for (std::size_t i = 0; series.bar > 0 && i < points.size(); ++i) {
      const double from = i < points.from.size() ? points.from[i] : std::min(0.0, figure.y.low);
      const bool over = std::abs(at_x - points.x[i]) <= series.bar / 2;
      if (over && between(at_y, from, points.y[i])) return solid_of(figure, y, series, i);
    }
    for (const plot::Span& span : series.spans) {
      if (std::abs(at_y - span.lane) > 0.5 || !between(at_x, span.begin, span.end)) continue;
      return Solid{span.name,
                   {{"lane", word_at(figure.y, span.lane)},
                    {"lasts", units::seconds(span.end - span.begin)},
                    {"begins at", units::seconds(span.begin)}}};
    }
  }
  return {};
}

std::string on_axis(const plot::Axis& axis, double value) {
  if (!axis.words.empty()) return word_at(axis, value);
  return engine::text_of(value, axis.unit);
}

std::optional<double> carried_x(double x, const engine::Chart& from, const engine::Chart& to,
                                const std::optional<kernels::Case>& at) {
  const engine::Metric *here = from.x_metric(), *there = to.x_metric();
  if (here == nullptr || there == nullptr) return std::nullopt;
  if (*here == *there) return x;
  const double per_repeat = at ? intensity_per_repeat(*at) : 0;
  if (!(per_repeat > 0)) return std::nullopt;
  if (is_repeat(*here) && is_intensity(*there)) return x * per_repeat;
  if (is_intensity(*here) && is_repeat(*there)) return x / per_repeat;
  return std::nullopt;
}

std::optional<std::uint64_t> repeat_at(double x, const engine::Chart& chart,
                                       const std::optional<kernels::Case>& at) {
  const engine::Metric* along = chart.x_metric();
  if (along == nullptr || !at) return std::nullopt;
  double repeat = x;
  if (is_intensity(*along)) {
    // However often it runs, an unfused chain moves as many bytes per FLOP.
    const double per_repeat = intensity_per_repeat(*at);
    if (at->fusion == kernels::Fusion::unfused || !(per_repeat > 0)) return std::nullopt;
    repeat = x / per_repeat;
  } else if (!is_repeat(*along)) {
    return std::nullopt;
  }
  const double most = static_cast<double>(kernels::max_repeat);
  return static_cast<std::uint64_t>(std::lround(std::clamp(repeat, 1.0, most)));
}

std::vector<Reading> readings_of(const engine::Chart& chart, const Session& session,
                                 const Point& point) {
  namespace metrics = engine::metrics;
  const auto is_said = [](const engine::Metric& metric) {
    return metric.key == "repeat" || metric.key == "elements" || metric == metrics::runtime ||
           metric.name == metrics::flops.name || metric.name == metrics::bandwidth.name ||
           metric == metrics::intensity;
  };
  std::vector<Reading> rows;
  for (const engine::Metric* metric : {chart.x_metric(), &chart.y}) {
    if (metric == nullptr || is_said(*metric)) continue;
    const auto value = (*metric)({point, session, {}});
    if (value) rows.push_back({std::string(metric->title), text_of(*metric, value->median)});
  }
  const std::vector<Reading> usual = readings_of(session, point);
  rows.insert(rows.end(), usual.begin(), usual.end());
  return rows;
}

std::vector<Reading> readings_of(const Session& session, const Point& point) {
  if (engine::is_window(point)) return window_readings(session, point);
  const bool integer = kernels::info_of(point.what.dtype).integer;
  const double attainable = engine::predict(session, point).attainable_flops();
  std::vector<Reading> rows{
      {"ops per element", fmt::format("{}  ({})", point.what.repeat,
                                      units::intensity(point.work.intensity(), integer))},
      {"runtime", units::seconds(point.seconds.median) + spread_of(point)},
      {"achieved", units::flops_per_second(point.flops_per_second(), integer)},
      {engine::per_clock_title(session.device),
       per_clock_text(point.flops_per_second(), integer ? "OP" : "FLOP", point.conditions,
                      session.device)},
      {"bandwidth", units::bytes_per_second(point.bytes_per_second())},
      {"of roof", attainable > 0 ? units::percent(point.flops_per_second() / attainable) : ""},
      {"elements", units::count(static_cast<double>(point.what.elements))},
      {"samples", fmt::format("{}{}", point.seconds.samples.size(), stopped_by(point))}};
  for (const kernels::Value& value : point.values)
    rows.push_back({value.name, value.name == counted::own_bandwidth
                                    ? units::bytes_per_second(value.value)
                                    : units::number(value.value, 3)});
  rows.push_back({"kernel", point.note});
  rows.push_back({"device", clock_of(point)});
  rows.push_back({"doubtful", flags_of(session, point)});
  std::erase_if(rows, [](const Reading& row) { return row.value.empty(); });
  return rows;
}

std::vector<Reading> window_readings(const engine::Session& session, const engine::Point& window) {
  const double begin = engine::value_of(window, engine::time_value);
  const auto percent = [](std::optional<double> share) {
    return share ? units::percent(*share) : std::string();
  };
  const kernels::Conditions& then = window.conditions;
  const engine::Busiest pipe = engine::busiest_pipe(window);
  const auto memory = engine::memory_share(session, window);
  const std::string bandwidth =
      window.work.bytes > 0 ? units::bytes_per_second(window.bytes_per_second()) : "";
  std::vector<Reading> rows{
      {"time", fmt::format("{:.1f} to {:.1f} s", begin, begin + window.seconds.median)},
      {"limit", engine::is_idle(window) ? "nothing ran" : std::string(limit_of(session, window))},
      {"achieved", window.work.flops > 0 ? units::flops_per_second(window.flops_per_second()) : ""},
      {"bandwidth", memory && !bandwidth.empty()
                        ? fmt::format("{}, {} of the roof", bandwidth, units::percent(*memory))
                        : bandwidth},
      {"intensity", window.work.flops > 0 && window.work.bytes > 0
                        ? units::intensity(window.work.intensity())
                        : ""},
      {session.device.kind == "cpu" ? "cores busy" : "SM busy",
       percent(engine::busy_share(window))},
      {"busiest units",
       pipe.share > 0 ? fmt::format("{}, {}", pipe.counted, units::percent(pipe.share)) : ""},
      {std::string(counted::any_kernel), percent(engine::told(window, counted::any_kernel))},
      {"clock", then.clock_hz ? units::hertz(*then.clock_hz) : ""},
      {"power", then.power_w
                    ? fmt::format("{:.0f} W{}", *then.power_w,
                                  then.power_limited.value_or(false) ? ", at its limit" : "")
                    : ""}};
  std::erase_if(rows, [](const Reading& row) { return row.value.empty(); });
  return rows;
}

std::vector<Reading> window_facts(const engine::Session& session, const engine::Point& window) {
  std::vector<Reading> facts = window_readings(session, window);
  for (Reading& fact : facts) fact.label = units::capitalised(fact.label);
  for (const kernels::Value& value : window.values) {
    const bool said = value.name == engine::time_value || value.name == counted::busy ||
                      value.name == counted::cores_busy || value.name == counted::any_kernel;
    if (said) continue;
    // Beside the share of the measured roof, which is less than the datasheet states.
    const std::string of =
        value.name == counted::dram && session.device.kind != "cpu" ? " of the datasheet" : "";
    facts.push_back({units::capitalised(value.name), engine::value_text(value) + of});
  }
  facts.push_back({"Source", window.source});
  return facts;
}

}  // namespace ui
