// Groups of points as lines: what they are called, and how they look.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "engine/watch/windows.hpp"
#include "kernels/families/family.hpp"
#include "kernels/units.hpp"
#include "ui/figures/parts.hpp"
#include "ui/figures/point_facts.hpp"

namespace ui {
namespace {

using engine::Chart;
using engine::Point;
using kernels::Dtype;

std::string elements_text(const kernels::Case& what) {
  return units::count(static_cast<double>(what.elements)) + " elements";
}

/// Whether lines of one word may differ in their elements.
bool tells_elements(const Chart& chart) {
  return !chart.along.empty() && chart.along != "elements" && !chart.envelope;
}

/// By fusion and kind of units; other lines get a marker with their colour. A dot: on vector units,
/// of a family that runs on matrix units, too.
void choose_marker(plot::Series& series, const Chart& chart, const kernels::Case& what) {
  series.marker = marker_of(series.colour);
  if (chart.series != engine::labels::series) return;
  const bool unfused = what.fusion == kernels::Fusion::unfused;
  series.marker = unfused ? plot::Marker::square : plot::Marker::circle;
  series.filled = what.units == kernels::Units::matrix;
  if (!series.filled && what.family->runs_on(kernels::Units::matrix)) series.core = plot::Core::dot;
}

plot::Points points_of(const Plotted& shown, const Group& group) {
  plot::Points points;
  for (std::vector<double>* values : {&points.x, &points.y, &points.low, &points.high})
    values->reserve(group.points.size());
  points.flagged.reserve(group.points.size());
  // The newest lie in front of those that fade.
  std::vector<const Point*> order = group.points;
  if (shown.chart.strength != nullptr) std::ranges::reverse(order);
  for (const Point* point : order) {
    const engine::Row row = shown.row(group, *point);
    const engine::Metric* along = shown.chart.x_metric();
    const auto x = along != nullptr ? (*along)(row) : std::nullopt;
    const auto y = shown.chart.y(row);
    if (!x || !y) continue;
    if (shown.chart.strength != nullptr) {
      const double strength = shown.chart.strength(row);
      if (strength <= 0) continue;
      points.strength.push_back(static_cast<float>(strength));
    }
    points.x.push_back(x->median);
    add_value(points, *y);
    points.flagged.push_back(is_flagged(*group.session, *point));
  }
  return points;
}

/// A session can be shown twice; its lines are hidden one by one.
void number_copies(std::vector<Group>& groups) {
  std::map<std::pair<std::uint64_t, std::string>, int> seen;
  for (Group& group : groups) {
    const std::uint64_t run = group.points.front()->run;
    if (const int copy = ++seen[{run, group.id}]; copy > 1) group.id += fmt::format(" ({})", copy);
  }
}

/// A series of what one regime limits has its colour; -1: the word is of something else.
int colour_of_regime_named(std::string_view word) {
  using enum engine::Regime;
  if (word == engine::name_of(overhead)) return plot::colour_of_regime(plot::Regime::overhead);
  if (word == engine::name_of(bandwidth)) return plot::colour_of_regime(plot::Regime::bandwidth);
  if (word == engine::name_of(compute)) return plot::colour_of_regime(plot::Regime::compute);
  return word == engine::limit_word(unknown) ? plot::colour_of_regime(plot::Regime::none) : -1;
}

}  // namespace

int colour_of(Dtype dtype) {
  // The two dtypes that most pictures compare get the two hues that differ most.
  static constexpr std::array in_order{Dtype::fp32, Dtype::bf16, Dtype::fp16, Dtype::fp64,
                                       Dtype::tf32, Dtype::int8, Dtype::fp8,  Dtype::int32};
  return static_cast<int>(std::ranges::find(in_order, dtype) - in_order.begin());
}

std::vector<int> colours_of(const Plotted& shown) {
  const engine::Label& label = shown.chart.colour;
  std::vector<int> colours;
  std::map<std::string, int> known;
  for (const Group& group : shown.groups) {
    if (label == engine::labels::dtype) {
      colours.push_back(colour_of(group.what.dtype));
    } else if (label.of == nullptr) {
      colours.push_back(static_cast<int>(colours.size()));
    } else {
      const std::string word = label(shown.row(group, *group.points.front()));
      if (const int regime = colour_of_regime_named(word); regime >= 0)
        colours.push_back(regime);
      else
        colours.push_back(known.try_emplace(word, static_cast<int>(known.size())).first->second);
    }
  }
  return colours;
}

void add_value(plot::Points& points, const engine::Interval& value) {
  points.y.push_back(value.median);
  points.low.push_back(value.low.value_or(NAN));
  points.high.push_back(value.high.value_or(NAN));
}

std::string line_id(const engine::Session& session, const Chart& chart, const Point& point,
                    const std::string& word) {
  const std::string elements = tells_elements(chart) ? elements_text(point.what) + ", " : "";
  return fmt::format("{}, {}{}, {}", word.empty() ? chart.id : word, elements, session.device.name,
                     session.created);
}

std::string series_id(const engine::Session& session, const Point& point) {
  return fmt::format("{}, {}, {}, {}", series_name(point), elements_text(point.what),
                     session.device.name, session.created);
}

std::vector<std::string> session_names(const Sessions& sessions) {
  std::map<std::string, int> of_device;
  std::map<std::pair<std::string, std::string>, int> of_date;
  for (const engine::Session* session : sessions) {
    ++of_device[session->device.name];
    ++of_date[{session->device.name, date_text(session->created)}];
  }
  std::vector<std::string> names;
  for (const engine::Session* session : sessions) {
    const std::string& device = session->device.name;
    const std::string date = date_text(session->created);
    if (of_device[device] == 1) {
      names.push_back(device);
    } else if (of_date[{device, date}] == 1) {
      names.push_back(date);
    } else {
      names.push_back(fmt::format("session {}", names.size() + 1));
    }
  }
  return names;
}

void name_groups(std::vector<Group>& groups, const Chart& chart) {
  std::map<std::pair<std::size_t, std::string>, std::set<std::uint64_t>> elements_of;
  for (const Group& group : groups)
    if (tells_elements(chart)) elements_of[{group.owner, group.word}].insert(group.what.elements);
  const std::vector<std::string> names = session_names(owners_of(groups));
  for (Group& group : groups) {
    group.line = group.word;
    const auto elements = elements_of.find({group.owner, group.word});
    if (elements != elements_of.end() && elements->second.size() > 1)
      group.line += ", " + elements_text(group.what);
    group.name = group.line;
    if (names.size() > 1) group.name += (group.name.empty() ? "" : ", ") + names[group.place];
  }
  number_copies(groups);
}

Sessions owners_of(const std::vector<Group>& groups) {
  Sessions owners;
  for (const Group& group : groups)
    if (group.place == owners.size()) owners.push_back(group.session);
  return owners;
}

plot::Marker marker_of(int place) {
  static constexpr std::array markers{plot::Marker::circle, plot::Marker::square,
                                      plot::Marker::triangle, plot::Marker::diamond};
  return markers[static_cast<std::size_t>(place) % markers.size()];
}

plot::Dash dash_of(std::size_t place) {
  static constexpr std::array dashes{plot::Dash::solid, plot::Dash::dashed, plot::Dash::dotted};
  return dashes[std::min<std::size_t>(place, 2)];
}

std::vector<const Line*> noted_lines(const Plotted& shown) {
  constexpr std::size_t most = 24;
  std::vector<const Line*> noted;
  for (const Line& line : shown.lines)
    if (!line.series.faded && !line.series.hidden && noted.size() < most) noted.push_back(&line);
  return noted;
}

plot::Series series_of(const Plotted& shown, const Group& group, int colour) {
  plot::Series series;
  series.name = group.name;
  series.id = group.id;
  series.colour = colour;
  if (shown.chart.markers)
    choose_marker(series, shown.chart, group.what);
  else
    series.marker = plot::Marker::none;
  series.line = !shown.chart.along.empty();
  series.faded = group.earlier;
  series.dash = dash_of(group.place);
  return series;
}

std::vector<Line> lines_of(const Plotted& shown) {
  if (shown.chart.x_metric() == nullptr) return {};
  const std::vector<int> colours = colours_of(shown);
  std::vector<Line> lines;
  for (std::size_t i = 0; i < shown.groups.size(); ++i) {
    Line line{series_of(shown, shown.groups[i], colours[i]), i, {}};
    line.series.points = points_of(shown, shown.groups[i]);
    lines.push_back(std::move(line));
  }
  return lines;
}

void add_lines(plot::Figure& figure, const Plotted& shown) {
  for (const Line& line : shown.lines) figure.series.push_back(line.series);
}

}  // namespace ui
