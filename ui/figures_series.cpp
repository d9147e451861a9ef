// Points -> series: which belong together, what they are called, how they look.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "engine/units.hpp"
#include "ui/figures_parts.hpp"
#include "ui/point_facts.hpp"

namespace ui {
namespace {

using kernels::Dtype;

auto sort_key(const kernels::Case& c) {
  return std::tuple(c.dtype, c.units, c.fusion, c.family, c.op, c.elements, c.data);
}

/// A run of a series.
using RunKey = std::pair<std::uint64_t, decltype(sort_key({}))>;

std::string elements_text(const kernels::Case& c) {
  return units::count(static_cast<double>(c.elements)) + " elements";
}

/// Keeps one case of each kind that a compute roof of its own may bound.
void add_kind(std::vector<kernels::Case>& kinds, const kernels::Case& what) {
  const auto kind_of = [](const kernels::Case& c) {
    return std::tuple(c.family, c.op, c.dtype, c.units);
  };
  // A sweep's points follow each other.
  const auto known = std::find_if(kinds.rbegin(), kinds.rend(), [&](const kernels::Case& other) {
    return kind_of(other) == kind_of(what);
  });
  if (known == kinds.rend()) kinds.push_back(what);
}

/// Of every case the newest probe, newest last; of many, the newest dozen.
void keep_newest(std::vector<const engine::Point*>& probes) {
  constexpr std::size_t most = 12;  // older ones only crowd the picture
  std::vector<const engine::Point*> kept;
  for (auto probe = probes.rbegin(); probe != probes.rend() && kept.size() < most; ++probe) {
    const auto same = [&](const engine::Point* newer) { return newer->what == (*probe)->what; };
    if (std::ranges::none_of(kept, same)) kept.push_back(*probe);
  }
  probes.assign(kept.rbegin(), kept.rend());
}

/// Adds what tells groups of the same short name apart: elements, session.
void complete_names(std::vector<Group>& groups) {
  std::map<std::pair<int, std::string>, std::set<std::string>> elements_of;
  Sessions sessions;
  const auto key = [](const Group& group) { return std::pair(group.place, group.name); };
  for (const Group& group : groups) {
    elements_of[key(group)].insert(elements_text(group.what));
    if (sessions.empty() || sessions.back() != group.session) sessions.push_back(group.session);
  }
  for (Group& group : groups) {
    const bool several_elements = elements_of[key(group)].size() > 1;
    if (several_elements) group.name += ", " + elements_text(group.what);
    if (sessions.size() > 1) group.name += ", " + session_name(sessions, group.session, sessions);
  }
}

}  // namespace

bool is_shown(const engine::Point& point) {
  const bool workload =
      point.what.family == kernels::Family::chain || point.what.family == kernels::Family::tile;
  return workload && in_sweep(point) && point.status == engine::Status::ok &&
         point.seconds.median > 0;
}

double x_of(Panel panel, XAxis axis, const kernels::Case& what, const kernels::Work& work) {
  if (panel == Panel::roofline || axis == XAxis::intensity) return work.intensity();
  return static_cast<double>(what.repeat);
}

double y_of(Panel panel, const kernels::Work& work, double seconds) {
  if (!(seconds > 0)) return 0;
  if (panel == Panel::runtime) return seconds;
  return (panel == Panel::bandwidth ? work.bytes : work.flops) / seconds;
}

int colour_of(Dtype dtype) {
  // The two dtypes that most pictures compare get the two hues that differ most.
  switch (dtype) {
    case Dtype::fp32:
      return 0;
    case Dtype::bf16:
      return 1;
    case Dtype::fp16:
      return 2;
    case Dtype::fp64:
      return 3;
    case Dtype::tf32:
      return 4;
    case Dtype::int8:
      return 5;
    case Dtype::fp8:
      return 6;
    case Dtype::int32:
      return 7;
  }
  return 7;
}

std::string value_text(Panel panel, double value, Dtype dtype) {
  if (panel == Panel::runtime) return units::seconds(value);
  if (panel == Panel::bandwidth) return units::bytes_per_second(value);
  return units::flops_per_second(value, kernels::info_of(dtype).integer);
}

std::string kernel_word(const kernels::Case& what) {
  if (what.units == kernels::Units::matrix) return " matrix";
  if (what.family == kernels::Family::tile) return " tile";
  return what.op == kernels::Op::fma ? "" : fmt::format(" {}", name_of(what.op));
}

std::string series_name(const engine::Point& point) {
  std::string name = fmt::format("{} {}{}", name_of(point.what.dtype), name_of(point.what.fusion),
                                 kernel_word(point.what));
  // What is unusual is named: on zeros a device draws less power.
  if (point.what.data == kernels::Data::zeros) name += " zeros";
  return name;
}

std::string series_id(const engine::Session& session, const engine::Point& point) {
  return fmt::format("{}, {}, {}, {}", series_name(point), elements_text(point.what),
                     session.device.name, session.created);
}

MeasuredPoints measured_points(const engine::Session& session) {
  MeasuredPoints found;
  std::map<RunKey, Group> by_run;
  auto last = by_run.end();
  std::uint64_t newest = 0;
  for (const engine::Point& point : session.points) {
    if (!is_shown(point)) continue;
    add_kind(point.probe ? found.probe_kinds : found.kinds, point.what);
    if (point.probe) {
      found.probes.push_back(&point);
      continue;
    }
    newest = std::max(newest, point.run);
    RunKey key{point.run, sort_key(point.what)};
    // A sweep's points follow each other.
    if (last == by_run.end() || last->first != key) last = by_run.try_emplace(std::move(key)).first;
    Group& group = last->second;
    if (group.points.empty())
      group = {&session, point.what, series_name(point), series_id(session, point), false, 0, {}};
    group.points.push_back(&point);
  }
  for (auto& [key, group] : by_run) {
    const auto repeat = [](const engine::Point* point) { return point->what.repeat; };
    if (!std::ranges::is_sorted(group.points, {}, repeat))
      std::ranges::stable_sort(group.points, {}, repeat);
    group.earlier = key.first < newest;
    found.groups.push_back(std::move(group));
  }
  keep_newest(found.probes);
  return found;
}

std::string session_name(const Sessions& sessions, const engine::Session* session,
                         const Sessions& others) {
  const auto like_another = [&](const auto& text_of) {
    return std::ranges::any_of(others, [&](const engine::Session* other) {
      return other != session && other->device.name == session->device.name &&
             text_of(*other) == text_of(*session);
    });
  };
  if (!like_another([](const engine::Session& one) { return one.device.name; }))
    return session->device.name;
  const auto date = [](const engine::Session& one) { return date_text(one.created); };
  if (!like_another(date)) return date(*session);
  return fmt::format("session {}", std::ranges::find(sessions, session) - sessions.begin() + 1);
}

std::vector<Group> groups_of(const std::vector<ShownSession>& sessions) {
  std::vector<Group> groups;
  int place = 0;
  for (const ShownSession& shown : sessions) {
    for (const Group& group : shown.points->groups) {
      groups.push_back(group);
      groups.back().place = place;
    }
    if (!shown.points->groups.empty()) ++place;
  }
  complete_names(groups);
  return groups;
}

std::string op_unit(const std::vector<ShownSession>& sessions) {
  bool any = false, all_integer = true;
  for (const ShownSession& shown : sessions) {
    for (const auto* kinds : {&shown.points->kinds, &shown.points->probe_kinds}) {
      for (const kernels::Case& kind : *kinds) {
        any = true;
        all_integer = all_integer && kernels::info_of(kind.dtype).integer;
      }
    }
  }
  return any && all_integer ? "OP" : "FLOP";
}

plot::Dash dash_of(const Group& group) {
  static constexpr plot::Dash dashes[] = {plot::Dash::solid, plot::Dash::dashed,
                                          plot::Dash::dotted};
  return dashes[std::min(group.place, 2)];
}

plot::Core core_of(const Group& group) {
  const bool tile = group.what.family == kernels::Family::tile;
  return tile && group.what.units == kernels::Units::vector ? plot::Core::dot : plot::Core::none;
}

plot::Points points_of(const Group& group, Panel panel, XAxis axis) {
  plot::Points points;
  for (std::vector<double>* values : {&points.x, &points.y, &points.low, &points.high})
    values->reserve(group.points.size());
  points.flagged.reserve(group.points.size());
  for (const engine::Point* point : group.points) {
    const auto y_at = [&](double seconds) { return y_of(panel, point->work, seconds); };
    points.x.push_back(x_of(panel, axis, point->what, point->work));
    points.y.push_back(y_at(point->seconds.median));
    const double a = y_at(point->seconds.low), b = y_at(point->seconds.high);
    // One sample has no spread, and no bar.
    const bool alone = point->seconds.samples.size() == 1;
    points.flagged.push_back(is_flagged(*point));
    points.low.push_back(alone ? NAN : std::min(a, b));
    points.high.push_back(alone ? NAN : std::max(a, b));
  }
  return points;
}

plot::Series series_of(const Group& group) {
  plot::Series series;
  series.name = group.name;
  series.id = group.id;
  series.colour = colour_of(group.what.dtype);
  series.marker =
      group.what.fusion == kernels::Fusion::fused ? plot::Marker::circle : plot::Marker::square;
  series.filled = group.what.units == kernels::Units::matrix;
  series.core = core_of(group);
  series.faded = group.earlier;
  series.dash = dash_of(group);
  return series;
}

}  // namespace ui
