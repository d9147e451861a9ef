#include "ui/figures/plotted.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "kernels/units.hpp"
#include "ui/figures/parts.hpp"

namespace ui {

bool is_integer(const kernels::Case& what) { return kernels::info_of(what.dtype).integer; }

bool is_integer(const engine::Roof& roof) {
  return roof.dtype && kernels::info_of(*roof.dtype).integer;
}

namespace {

using engine::Chart;
using engine::Point;

constexpr std::array<std::string_view, 3> x_axes{"repeat", "intensity", "both"};

bool is_of(const Chart& chart, const engine::Session& session, const Point& point) {
  // Points of a lab that this program does not know are shown as those of the default one.
  const std::string_view lab =
      engine::find_lab(point.lab) != nullptr ? std::string_view(point.lab) : engine::default_lab;
  if (!chart.every_lab && !chart.lab.empty() && lab != chart.lab) return false;
  return chart.shows == nullptr || chart.shows({point, session, {}});
}

bool is_measured(const Point& point) {
  return point.status == engine::Status::ok && point.seconds.median > 0;
}

/// In the order in which legends list lines: by case, then as they were measured.
struct LineKey {
  std::uint64_t run = 0;
  kernels::Case what{};
  std::size_t word = 0;  ///< the first one that was seen is 0

  auto order() const {
    return std::tuple(run, what.dtype, what.units, what.fusion, what.family, what.op(),
                      what.elements, what.repeat, what.data, what.by, what.more,
                      kernels::text_of(what.ops), kernels::text_of(what.shape), word);
  }
  bool operator<(const LineKey& other) const { return order() < other.order(); }
};

/// Keeps one case of each kind that a compute roof of its own may bound.
void add_kind(std::vector<kernels::Case>& kinds, const kernels::Case& what) {
  const auto kind_of = [](const kernels::Case& c) {
    return std::tuple(c.family, c.op(), c.dtype, c.units, c.by);
  };
  // A sweep's points follow each other.
  const auto known = std::find_if(kinds.rbegin(), kinds.rend(), [&](const kernels::Case& other) {
    return kind_of(other) == kind_of(what);
  });
  if (known == kinds.rend()) kinds.push_back(what);
}

/// Of every case the newest probe, newest last; of many, the newest dozen.
void keep_newest(std::vector<const Point*>& probes) {
  constexpr std::size_t most = 12;  // older ones only crowd the picture
  std::vector<const Point*> kept;
  for (auto probe = probes.rbegin(); probe != probes.rend() && kept.size() < most; ++probe) {
    const auto same = [&](const Point* newer) { return newer->what == (*probe)->what; };
    if (std::ranges::none_of(kept, same)) kept.push_back(*probe);
  }
  probes.assign(kept.rbegin(), kept.rend());
}

/// Of the points at one x the best of the newest run.
void keep_envelope(const Chart& chart, SessionPoints& found) {
  std::erase_if(found.groups, [](const Group& group) { return group.earlier; });
  for (Group& group : found.groups) {
    std::map<double, std::pair<double, const Point*>> best;
    for (const Point* point : group.points) {
      const auto place = place_of(chart, {*point, *found.session, {}});
      if (!place) continue;
      auto [there, is_new] = best.try_emplace(place->x, place->y, point);
      const double before = there->second.first;
      if (!is_new && (chart.y.rate ? place->y > before : place->y < before))
        there->second = {place->y, point};
    }
    group.points.clear();
    for (const auto& [x, one] : best) group.points.push_back(one.second);
  }
}

/// Finds the group that a point belongs to, quickly where points of one line follow each other.
class Grouping {
 public:
  Grouping(const engine::Session& session, const Chart& chart) : session_(session), chart_(chart) {}

  void add(const Point& point) {
    // Where the case says which line it is, the word is asked for once; else the word alone does.
    const bool by_case = !chart_.along.empty() && !chart_.envelope;
    const kernels::Case what = by_case ? common_case(chart_, point.what) : kernels::Case{};
    const bool same = by_case && last_ != groups_.end() && last_->first.run == point.run &&
                      last_->first.what == what &&
                      last_->second.points.back()->label == point.label;
    if (!same) {
      std::string word = chart_.series({point, session_, {}});
      const std::size_t number = words_.try_emplace(word, words_.size()).first->second;
      last_ = groups_.try_emplace({point.run, what, number}).first;
      if (last_->second.points.empty()) begin(last_->second, point, std::move(word));
    }
    last_->second.points.push_back(&point);
    newest_ = std::max(newest_, point.run);
  }

  std::vector<Group> take() {
    std::vector<Group> groups;
    const auto size = [&](const Point* point) {
      return kernels::size(point->what, chart_.along).value_or(0);
    };
    for (auto& [key, group] : groups_) {
      if (!chart_.along.empty() && !std::ranges::is_sorted(group.points, {}, size))
        std::ranges::stable_sort(group.points, {}, size);
      group.earlier = key.run < newest_;
      groups.push_back(std::move(group));
    }
    return groups;
  }

 private:
  void begin(Group& group, const Point& point, std::string word) const {
    group.session = &session_;
    group.what = point.what;
    group.id = line_id(session_, chart_, point, word);
    group.word = std::move(word);
  }

  const engine::Session& session_;
  const Chart& chart_;
  std::map<LineKey, Group> groups_;
  std::map<LineKey, Group>::iterator last_ = groups_.end();
  std::map<std::string, std::size_t> words_;
  std::uint64_t newest_ = 0;
};

std::vector<Group> told_apart(const std::vector<SessionPoints>& sessions, const Chart& chart) {
  std::vector<Group> groups;
  std::size_t place = 0;
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    for (const Group& group : sessions[i].groups) {
      groups.push_back(group);
      groups.back().owner = i;
      groups.back().place = place;
    }
    if (!sessions[i].groups.empty()) ++place;
  }
  name_groups(groups, chart);
  return groups;
}

}  // namespace

kernels::Case common_case(const Chart& chart, const kernels::Case& what) {
  if (chart.along == "dtype") {
    kernels::Case any = what;
    any.dtype = kernels::Dtype::fp32;
    any.units = kernels::Units::vector;
    return any;
  }
  return kernels::size(what, chart.along) ? kernels::with(what, chart.along, 0) : what;
}

SessionPoints points_of(const engine::Session& session, const Chart& chart) {
  SessionPoints found;
  found.session = &session;
  Grouping grouping(session, chart);
  for (const Point& point : session.points) {
    if (!is_measured(point) || !is_of(chart, session, point)) continue;
    add_kind(point.probe ? found.probe_kinds : found.kinds, point.what);
    if (point.probe) {
      found.probes.push_back(&point);
    } else {
      grouping.add(point);
      found.runs[point.run].push_back(&point);
    }
  }
  found.groups = grouping.take();
  if (chart.envelope) keep_envelope(chart, found);
  std::erase_if(found.groups,
                [&](const Group& group) { return group.points.size() < chart.least_points; });
  keep_newest(found.probes);
  return found;
}

std::string why_nothing(const Plotted& shown) {
  const std::string words(shown.chart.empty);
  // Shapes that do not exist are tried for roofs, too.
  if (!shown.groups.empty() || engine::measures_roofs(shown.chart.lab)) return words;
  for (const SessionPoints& one : shown.sessions) {
    for (const Point& point : one.session->points) {
      if (point.status != engine::Status::ok && !point.why.empty() &&
          is_of(shown.chart, *one.session, point))
        return fmt::format("No point could be measured: {}", point.why);
    }
  }
  return words;
}

std::string_view name_of(XAxis axis) { return x_axes[static_cast<std::size_t>(axis)]; }

std::optional<XAxis> x_axis_named(std::string_view name) {
  const auto found = std::ranges::find(x_axes, name);
  if (found == x_axes.end()) return std::nullopt;
  return static_cast<XAxis>(found - x_axes.begin());
}

Chart as_viewed(Chart chart, XAxis axis) {
  const engine::Metric* x = chart.x_metric();
  const bool of_case = x != nullptr && !chart.along.empty() && x->key == chart.along;
  if (of_case && axis == XAxis::intensity) chart.x = engine::metrics::intensity;
  return chart;
}

engine::Row Plotted::row(const Group& group, const Point& point) const {
  const auto& runs = sessions[group.owner].runs;
  const auto run = runs.find(point.run);
  if (run == runs.end()) return {point, *group.session, {}};
  return {point, *group.session, run->second};
}

Plotted plotted(const Sessions& sessions, const Chart& chart, const View& view) {
  Plotted result;
  result.chart = as_viewed(chart, view.x);
  result.slanted = chart.x_metric() != nullptr && *chart.x_metric() == engine::metrics::intensity;
  result.view = view;
  for (const engine::Session* session : sessions) {
    const SessionPoints& own = result.sessions.emplace_back(points_of(*session, result.chart));
    for (const std::vector<kernels::Case>* kinds : {&own.kinds, &own.probe_kinds})
      for (const kernels::Case& what : *kinds) result.integer = result.integer || is_integer(what);
  }
  result.groups = told_apart(result.sessions, result.chart);
  result.lines = chart.versus.empty() ? lines_of(result) : quotients_of(result);
  for (Line& line : result.lines) line.series.hidden = view.hidden.contains(line.series.id);
  return result;
}

std::optional<plot::Vec> place_of(const Chart& chart, const engine::Row& row) {
  const engine::Metric* along = chart.x_metric();
  if (along == nullptr) return {};
  const auto x = (*along)(row), y = chart.y(row);
  if (!x || !y) return {};
  return plot::Vec{x->median, y->median};
}

std::optional<plot::Vec> place_of(const Chart& chart, const engine::Session& session,
                                  const kernels::Case& what, double seconds) {
  Point predicted;
  predicted.what = what;
  predicted.work = kernels::work_of(what, session.device.kind);
  predicted.seconds.median = seconds;
  return place_of(chart, {predicted, session, {}});
}

}  // namespace ui
