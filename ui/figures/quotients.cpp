// How many times faster: lines that differ in one word, or one line in two sessions.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/verdict/quotient.hpp"
#include "ui/figures/parts.hpp"
#include "ui/figures/point_facts.hpp"

namespace ui {
namespace {

using engine::Point;

/// Whether two lines are of the same work, but for what `by` says. Each kind of units and fusion
/// chooses a kernel shape for itself.
bool comparable(const Plotted& shown, const Group& a, const Group& b, const engine::Label& by) {
  namespace labels = engine::labels;
  static constexpr std::array all{&labels::dtype, &labels::family, &labels::op,   &labels::fusion,
                                  &labels::units, &labels::by,     &labels::data, &labels::label};
  const engine::Row one = shown.row(a, *a.points.front()), other = shown.row(b, *b.points.front());
  kernels::Case x = common_case(shown.chart, a.what), y = common_case(shown.chart, b.what);
  const bool same_size = x.elements == y.elements && x.repeat == y.repeat && x.more == y.more;
  return same_size && std::ranges::all_of(all, [&](const engine::Label* label) {
           return *label == by || (*label)(one) == (*label)(other);
         });
}

/// "fp32 fused mul" without its " fused".
std::string without(std::string word, std::string_view part) {
  const std::string spaced = fmt::format(" {}", part);
  const std::size_t at = word.find(spaced);
  return at == std::string::npos ? word : word.erase(at, spaced.size());
}

/// As verdicts and labs say it where both are of one session; of two sessions, and without an
/// interval of its own, the ends that lie farthest apart.
void add_ratio(plot::Points& points, const Point& slow, const Point& fast, bool one_session) {
  const auto& a = slow.seconds;
  const auto& b = fast.seconds;
  engine::Interval ratio{a.median / b.median};
  if (one_session) ratio = engine::times_as_long(slow, fast);
  if (!ratio.low && a.samples.size() > 1 && b.samples.size() > 1 && b.low > 0) {
    ratio.low = a.low / b.high;
    ratio.high = a.high / b.low;
  }
  add_value(points, ratio);
}

/// Where both lines have a point.
void add_ratios(const Plotted& shown, const Group& slow, const Group& fast, Line& line) {
  const engine::Metric same = engine::metrics::axis(shown.chart.along);
  const engine::Metric* x = shown.chart.x_metric();
  const auto size = [&](const Point* point) {
    return same({*point, *fast.session, {}}).value_or(engine::Interval{}).median;
  };
  plot::Points points;
  for (const Point* point : fast.points) {
    const auto other = std::ranges::lower_bound(slow.points, size(point), {}, size);
    if (other == slow.points.end() || size(*other) != size(point)) continue;
    const auto at = x != nullptr ? (*x)(shown.row(fast, *point)) : std::nullopt;
    if (!at) continue;
    points.x.push_back(at->median);
    add_ratio(points, **other, *point, slow.session == fast.session);
    points.flagged.push_back(is_flagged(*slow.session, **other) ||
                             is_flagged(*fast.session, *point));
    line.sure.push_back(is_sure(**other) && is_sure(*point));
  }
  line.series.points = std::move(points);
}

Line line_of(const Plotted& shown, std::size_t slow, std::size_t fast, std::string name,
             plot::Marker marker) {
  const Group &a = shown.groups[slow], &b = shown.groups[fast];
  Line line{series_of(shown, b, 0), fast, slow};
  line.series.id = a.id + " / " + b.id;
  line.series.name = std::move(name);
  line.series.marker = marker;
  line.series.faded = false;
  add_ratios(shown, a, b, line);
  return line;
}

/// Within one session: what one word in place of another brings.
std::optional<Line> within(const Plotted& shown, std::size_t slow, std::size_t fast) {
  static constexpr std::array markers{plot::Marker::circle, plot::Marker::triangle,
                                      plot::Marker::diamond, plot::Marker::square};
  const Group &a = shown.groups[slow], &b = shown.groups[fast];
  for (std::size_t i = 0; i < shown.chart.versus.size(); ++i) {
    const engine::Versus& versus = shown.chart.versus[i];
    if (versus.sessions() || versus.by(shown.row(a, *a.points.front())) != versus.slow ||
        versus.by(shown.row(b, *b.points.front())) != versus.fast ||
        !comparable(shown, a, b, versus.by)) {
      continue;
    }
    return line_of(shown, slow, fast,
                   fmt::format("{}: {} over {}{}", without(b.word, versus.fast), versus.fast,
                               versus.slow, b.name.substr(b.word.size())),
                   markers[i % markers.size()]);
  }
  return std::nullopt;
}

/// Between two sessions: how much faster the first one is.
std::optional<Line> between(const Plotted& shown, std::size_t other, std::size_t first) {
  const Group &a = shown.groups[other], &b = shown.groups[first];
  const bool asked = std::ranges::any_of(shown.chart.versus, &engine::Versus::sessions);
  if (!asked || !comparable(shown, a, b, {})) return std::nullopt;
  const std::vector<std::string> names = session_names({b.session, a.session});
  const auto name = [&](std::size_t i, std::size_t owner) {
    return names[i].starts_with("session ") ? fmt::format("session {}", owner + 1) : names[i];
  };
  return line_of(
      shown, other, first,
      fmt::format("{}: {} over {}", b.line, name(0, b.owner), name(1, a.owner)),
      b.what.fusion == kernels::Fusion::fused ? plot::Marker::diamond : plot::Marker::square);
}

/// Of every line the newest run, by session; runs ascend within one.
std::vector<std::vector<std::size_t>> newest_of_each(const Plotted& shown) {
  std::map<std::string, std::size_t> newest;
  for (std::size_t i = 0; i < shown.groups.size(); ++i) newest[shown.groups[i].id] = i;
  std::vector<std::vector<std::size_t>> by_session(shown.sessions.size());
  for (std::size_t i = 0; i < shown.groups.size(); ++i)
    if (newest[shown.groups[i].id] == i) by_session[shown.groups[i].owner].push_back(i);
  return by_session;
}

}  // namespace

std::vector<Line> quotients_of(const Plotted& shown) {
  const std::vector<int> colours = colours_of(shown);
  std::vector<Line> lines;
  const auto add = [&](std::optional<Line> line) {
    if (!line || line->series.points->x.empty()) return;
    line->series.colour = colours[line->group];
    lines.push_back(std::move(*line));
  };
  const auto latest = newest_of_each(shown);
  for (std::size_t owner = 0; owner < latest.size(); ++owner) {
    for (const std::size_t slow : latest[owner]) {
      for (const std::size_t fast : latest[owner]) add(within(shown, slow, fast));
      if (owner == 0) continue;
      for (const std::size_t fast : latest.front()) add(between(shown, slow, fast));
    }
  }
  return lines;
}

}  // namespace ui
