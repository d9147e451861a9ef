#include "ui/hover.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/precision.hpp"
#include "engine/units.hpp"
#include "ui/figures_parts.hpp"
#include "ui/point_facts.hpp"

namespace ui {

using engine::Point;
using engine::Session;

namespace {

bool x_is_intensity(Panel panel, XAxis x) {
  return panel == Panel::roofline || x == XAxis::intensity;
}

std::string spread_of(const Point& point) {
  const std::size_t samples = point.seconds.samples.size();
  if (point.seconds.median <= 0 || samples < least_for_interval) return {};
  return fmt::format(" ±{} %", units::number(100 * engine::reach_of(point.seconds), 2));
}

/// What ended it short of its noise goal.
std::string_view stopped_by(const Point& point) {
  if (point.stop != engine::Stop::time_limit) return "";
  switch (point.limit) {
    case engine::Limit::time:
      return " (time limit)";
    case engine::Limit::samples:
      return " (no more are kept)";
    case engine::Limit::others:
      return " (others on the cores)";
    case engine::Limit::spread:
      break;
  }
  return " (they scatter)";
}

std::string clock_of(const Point& point) {
  std::string text = point.conditions.clock_hz ? units::hertz(*point.conditions.clock_hz) : "";
  if (point.conditions.temperature_c) {
    text += fmt::format("{}{} °C", text.empty() ? "" : ", ",
                        units::number(*point.conditions.temperature_c, 3));
  }
  if (point.conditions.power_w) {
    text += fmt::format("{}{} W", text.empty() ? "" : ", ",
                        units::number(*point.conditions.power_w, 3));
  }
  return text;
}

/// Calls `take` with the index of a session and a point of it, for all that the figures show.
template <class Take>
void each_drawn(const Measured& measured, const View& view, const Take& take) {
  const auto give = [&](std::size_t session, const Point* point) {
    const Point* first = measured.sessions[session].session->points.data();
    take(Hovered{session, static_cast<std::size_t>(point - first)});
  };
  std::size_t session = 0;  // the groups of each come one after the other
  for (const Group& group : measured.groups) {
    while (measured.sessions[session].session != group.session) ++session;
    if (view.hidden.contains(group.id)) continue;
    for (const Point* point : group.points) give(session, point);
  }
  if (measured.sessions.empty()) return;
  for (const Point* probe : measured.sessions.front().points->probes) give(0, probe);
}

}  // namespace

plot::Vec place_of(const Point& point, Panel panel, XAxis x) {
  const double along =
      x_is_intensity(panel, x) ? point.work.intensity() : static_cast<double>(point.what.repeat);
  switch (panel) {
    case Panel::roofline:
    case Panel::flops:
      return {along, point.flops_per_second()};
    case Panel::runtime:
      return {along, point.seconds.median};
    case Panel::bandwidth:
      return {along, point.bytes_per_second()};
    case Panel::levels:
      return {working_set_of(point), point.bytes_per_second()};
    case Panel::speedup:
      break;  // a quotient of two points
  }
  return {};
}

PointMap::PointMap(const Measured& measured, Panel panel, const View& view,
                   const plot::Transform& transform) {
  each_drawn(measured, view, [&](const Hovered& drawn) {
    const Session& session = *measured.sessions[drawn.session].session;
    const plot::Vec data = place_of(session.points[drawn.point], panel, view.x);
    if (!(data.x > 0 && data.y > 0)) return;  // no place on log axes
    const plot::Vec at = transform.to_pixel(data.x, data.y);
    if (transform.plot.contains(at)) spots_.push_back({at, drawn});
  });
  std::ranges::sort(spots_, {}, [](const Spot& spot) { return spot.at.x; });
}

std::optional<Hovered> PointMap::nearest(plot::Vec pixel, double radius) const {
  const Spot* best = nullptr;
  double least = radius;
  const auto order = [](const Hovered& point) { return std::pair(point.session, point.point); };
  auto spot = std::ranges::lower_bound(spots_, pixel.x - radius, {},
                                       [](const Spot& one) { return one.at.x; });
  for (; spot != spots_.end() && spot->at.x <= pixel.x + radius; ++spot) {
    const double distance = std::hypot(spot->at.x - pixel.x, spot->at.y - pixel.y);
    if (distance > least) continue;
    // On a tie the newer point wins: it is drawn on top.
    if (best != nullptr && distance == least && order(spot->point) < order(best->point)) continue;
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

std::vector<Reading> speedup_readings(const plot::Figure& figure, const FigurePoint& point) {
  const auto times = [](double ratio) { return units::number(ratio, 3) + "x"; };
  const plot::Points& points = *point.series->points;
  std::vector<Reading> rows{{figure.x.title, on_axis(figure.x, point.at().x)},
                            {figure.y.title, times(point.at().y)}};
  const auto value_in = [&](const auto& values) {
    return point.index < values.size() ? values[point.index] : 0;
  };
  const double low = value_in(points.low), high = value_in(points.high);
  if (low > 0 && high > 0) {
    rows.push_back({"95 % intervals", fmt::format("{} to {}", times(low), times(high))});
  }
  if (value_in(points.flagged) != 0)
    rows.push_back(
        {"ring", "one side throttled, disturbed or with samples of a low clock left out"});
  return rows;
}

std::string on_axis(const plot::Axis& axis, double value) {
  if (axis.unit == "s") return units::seconds(value);
  if (axis.unit == "B/s") return units::bytes_per_second(value);
  if (axis.unit == "B") return units::bytes(value);
  if (axis.unit == "FLOP/s" || axis.unit == "OP/s") {
    return units::flops_per_second(value, axis.unit == "OP/s");
  }
  const std::string number = units::number(value, 3);
  return axis.unit.empty() ? number : fmt::format("{} {}", number, axis.unit);
}

std::optional<double> carried_x(double x, Panel from, Panel to, XAxis axis,
                                const std::optional<kernels::Case>& at) {
  const bool from_intensity = x_is_intensity(from, axis);
  const bool to_intensity = x_is_intensity(to, axis);
  if (from_intensity == to_intensity) return x;
  if (!at) return std::nullopt;
  kernels::Case once = *at;
  once.fusion = kernels::Fusion::fused;
  once.repeat = 1;
  const double per_repeat = kernels::work_of(once).intensity();
  if (per_repeat <= 0) return std::nullopt;
  return to_intensity ? x * per_repeat : x / per_repeat;
}

std::optional<std::uint64_t> repeat_at(double x, Panel panel, XAxis axis,
                                       const std::optional<kernels::Case>& at) {
  if (panel == Panel::levels || !at) return std::nullopt;
  const bool intensity = x_is_intensity(panel, axis);
  // However often it runs, an unfused chain moves as many bytes per FLOP.
  if (intensity && at->fusion == kernels::Fusion::unfused) return std::nullopt;
  // carried_x() goes from FLOP/byte to repeat by way of a panel over each.
  const auto repeat =
      intensity ? carried_x(x, Panel::roofline, Panel::runtime, XAxis::repeat, at) : x;
  if (!repeat) return std::nullopt;
  const double most = static_cast<double>(kernels::max_repeat);
  return static_cast<std::uint64_t>(std::lround(std::clamp(*repeat, 1.0, most)));
}

std::vector<Reading> readings_of(const Session& session, const Point& point) {
  const bool integer = kernels::info_of(point.what.dtype).integer;
  std::vector<Reading> rows;
  rows.push_back({"repeat", fmt::format("{}  ({})", point.what.repeat,
                                        units::intensity(point.work.intensity()))});
  rows.push_back({"runtime", units::seconds(point.seconds.median) + spread_of(point)});
  rows.push_back({"achieved", units::flops_per_second(point.flops_per_second(), integer)});
  const std::string per_clock = per_clock_text(point.flops_per_second(), integer ? "OP" : "FLOP",
                                               point.conditions, session.device);
  if (!per_clock.empty()) rows.push_back({"per clock", per_clock});
  rows.push_back({"bandwidth", units::bytes_per_second(point.bytes_per_second())});
  const double attainable = engine::predict(session, point.what, point.work).attainable_flops();
  if (attainable > 0) {
    rows.push_back({"of the roofs", units::percent(point.flops_per_second() / attainable)});
  }
  rows.push_back({"elements", units::count(static_cast<double>(point.what.elements))});
  rows.push_back({"samples", fmt::format("{}{}", point.seconds.samples.size(), stopped_by(point))});
  if (!point.note.empty()) rows.push_back({"kernel", point.note});
  if (const std::string clock = clock_of(point); !clock.empty()) rows.push_back({"device", clock});
  if (const std::string flags = flags_of(point); !flags.empty()) rows.push_back({"ring", flags});
  return rows;
}

}  // namespace ui
