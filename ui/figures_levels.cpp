// The bandwidth of every memory level: reads over working sets that grow from the smallest cache to
// DRAM.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/levels.hpp"
#include "engine/units.hpp"
#include "ui/figures_parts.hpp"
#include "ui/point_facts.hpp"

namespace ui {
namespace {

using engine::Point;
using engine::Session;

bool on_curve(const Point& point) {
  return !in_sweep(point) && point.status == engine::Status::ok && point.seconds.median > 0 &&
         point.what.family == kernels::Family::stream && point.what.op == kernels::Op::read;
}

/// What a plateau is the level of: its caches' ends, and DRAM beyond the last.
struct Span {
  std::string name;
  double from = 0, to = 0;
};

std::vector<Span> spans_of(const Session& session, double smallest, double largest) {
  std::vector<Span> spans;
  double from = smallest;
  for (const engine::CacheLevel& level : engine::cache_levels(session.device)) {
    if (level.bytes <= from || from >= largest) continue;
    spans.push_back({level.name, from, std::min(level.bytes, largest)});
    from = level.bytes;
  }
  if (from < largest) spans.push_back({"DRAM read", from, largest});
  return spans;
}

const engine::Roof* measured_roof(const Session& session, const std::string& name) {
  const auto found = std::ranges::find_if(session.roofs, [&](const engine::Roof& roof) {
    return roof.name == name && roof.source == engine::RoofSource::measured && roof.rate > 0;
  });
  return found == session.roofs.end() ? nullptr : &*found;
}

void add_plateaus(plot::Figure& figure, const Session& session, const plot::Points& curve) {
  for (const Span& span : spans_of(session, curve.x.front(), curve.x.back())) {
    const engine::Roof* roof = measured_roof(session, span.name);
    if (roof == nullptr) continue;
    plot::Roof line;
    const std::string rate = units::bytes_per_second(roof->rate);
    line.label = fmt::format("{} {}", span.name, rate);
    line.short_label = rate;  // the guides name the levels
    line.id = fmt::format("{} (measured)", span.name);
    line.x = {span.from, span.to};
    line.y = {roof->rate, roof->rate};
    figure.roofs.push_back(std::move(line));
  }
}

void add_capacities(plot::Figure& figure, const Session& session) {
  for (const engine::CacheLevel& level : engine::cache_levels(session.device)) {
    const std::string parts = level.parts > 1 ? fmt::format("{} × ", level.parts) : "";
    figure.guides.push_back({level.bytes, fmt::format("{} {}{}", level.name, parts,
                                                      units::bytes(level.bytes / level.parts))});
  }
}

plot::Points points_of_curve(const std::vector<const Point*>& curve) {
  plot::Points points;
  for (const Point* point : curve) {
    points.x.push_back(working_set_of(*point));
    points.y.push_back(point->bytes_per_second());
    points.flagged.push_back(is_flagged(*point));
    const bool alone = point->seconds.samples.size() == 1;
    points.low.push_back(alone ? NAN : point->work.bytes / point->seconds.high);
    points.high.push_back(alone ? NAN : point->work.bytes / point->seconds.low);
  }
  return points;
}

/// How many of the sessions up to `last` are alike, itself included.
template <typename Alike>
std::ptrdiff_t place_among(const Sessions& sessions, std::size_t last, Alike alike) {
  return std::count_if(sessions.begin(), sessions.begin() + static_cast<std::ptrdiff_t>(last) + 1,
                       [&](const Session* other) { return alike(*other, *sessions[last]); });
}

bool same_device(const Session& a, const Session& b) { return a.device.name == b.device.name; }

bool same_session(const Session& a, const Session& b) {
  return same_device(a, b) && a.created == b.created;
}

/// A device can have several sessions, and one session can be shown twice.
std::string curve_id(const Sessions& sessions, std::size_t i) {
  const Session& session = *sessions[i];
  return fmt::format("levels, {}, {}, {}", session.device.name, session.created,
                     place_among(sessions, i, same_session));
}

/// The device, with a date where that is not enough, and a number where that is not, either.
std::string curve_name(const Sessions& sessions, std::size_t i) {
  const Session& session = *sessions[i];
  std::string name = session.device.name;
  if (place_among(sessions, sessions.size() - 1, [&](const Session& other, const Session&) {
        return same_device(other, session);
      }) > 1) {
    name += ", " + date_text(session.created);
  }
  const auto copy = place_among(sessions, i, same_session);
  return copy > 1 ? fmt::format("{} ({})", name, copy) : name;
}

}  // namespace

double working_set_of(const Point& point) { return kernels::footprint_of(point.what); }

std::vector<const Point*> level_curve(const Session& session) {
  std::map<double, const Point*> best;
  std::uint64_t newest = 0;
  for (const Point& point : session.points) {
    if (on_curve(point)) newest = std::max(newest, point.run);
  }
  for (const Point& point : session.points) {
    if (!on_curve(point) || point.run != newest) continue;
    const Point*& there = best[working_set_of(point)];
    if (there == nullptr || point.bytes_per_second() > there->bytes_per_second()) there = &point;
  }
  std::vector<const Point*> curve;
  for (const auto& [bytes, point] : best) curve.push_back(point);
  if (curve.size() < 3) curve.clear();  // the search for the DRAM roof alone is no curve
  return curve;
}

bool has_levels(const Session& session) { return !level_curve(session).empty(); }

void add_levels(plot::Figure& figure, const Sessions& sessions, const View& view) {
  bool plateaus = false;
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    const std::vector<const Point*> curve = level_curve(*sessions[i]);
    if (curve.empty()) continue;
    plot::Series series;
    series.points = points_of_curve(curve);
    series.id = curve_id(sessions, i);
    series.colour = static_cast<int>(figure.series.size());
    if (sessions.size() > 1) {  // one session's curve needs no name beside the title
      series.name = curve_name(sessions, i);
      series.hidden = view.hidden.contains(series.id);
    }
    if (!plateaus && !series.hidden) {
      add_plateaus(figure, *sessions[i], *series.points);
      add_capacities(figure, *sessions[i]);
      plateaus = true;
    }
    figure.series.push_back(std::move(series));
  }
}

}  // namespace ui
