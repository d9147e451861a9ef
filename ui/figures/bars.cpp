// Bars over the words of a label: beside each other, or stacked.

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "kernels/units.hpp"
#include "ui/figures/parts.hpp"
#include "ui/figures/point_facts.hpp"

namespace ui {
namespace {

/// One bar before it has found its place.
struct Bar {
  std::size_t group = 0;
  std::size_t word = 0;  ///< index into the axis' words
  const engine::Point* point = nullptr;
  engine::Interval value{};
};

/// The words below the axis, and a bar for the newest point of every group there.
struct Bars {
  std::vector<std::string> words;
  std::vector<Bar> bars;
};

/// In the order in which the points were measured, session by session.
std::vector<std::string> words_of(const Plotted& shown, const engine::Label& label) {
  std::map<std::pair<std::size_t, const engine::Point*>, const Group*> measured;
  for (const Group& group : shown.groups) {
    if (group.earlier) continue;
    for (const engine::Point* point : group.points) measured[{group.owner, point}] = &group;
  }
  std::vector<std::string> words;
  for (const auto& [where, group] : measured) {
    add_once(words, label(shown.row(*group, *where.second)));
  }
  return words;
}

Bars bars_of(const Plotted& shown) {
  const auto* label = std::get_if<engine::Label>(&shown.chart.x);
  if (label == nullptr) return {};
  Bars found{words_of(shown, *label), {}};
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> at;
  for (std::size_t i = 0; i < shown.groups.size(); ++i) {
    const Group& group = shown.groups[i];
    if (group.earlier) continue;
    for (const engine::Point* point : group.points) {
      const engine::Row row = shown.row(group, *point);
      const auto value = shown.chart.y(row);
      if (!value) continue;
      const auto known = std::ranges::find(found.words, (*label)(row));
      const auto number = static_cast<std::size_t>(known - found.words.begin());
      const auto [bar, is_new] = at.try_emplace({i, number}, found.bars.size());
      if (is_new) found.bars.push_back({});
      found.bars[bar->second] = {i, number, point, *value};
    }
  }
  return found;
}

/// "1.25 T": the axis says of what.
std::string brief_text(const engine::Metric& metric, double value, bool integer) {
  const std::string whole = text_of(metric, value, integer);
  constexpr std::size_t short_enough = 8;
  if (whole.size() <= short_enough || !metric.si_prefix) return whole;
  const units::Prefix prefix = units::si_prefix(value);
  const std::string symbol = prefix.symbol;
  return units::number(value / prefix.scale, 3) + (symbol.empty() ? "" : " " + symbol);
}

bool is_visible(const Plotted& shown, const Bar& bar) {
  return !shown.view.hidden.contains(shown.groups[bar.group].id);
}

/// Bars that differ this much could not be read beside each other on a linear axis.
bool wants_log(const Plotted& shown, const std::vector<Bar>& bars) {
  constexpr double most = 50;
  plot::Range range;
  for (const Bar& bar : bars)
    if (bar.value.median > 0 && is_visible(shown, bar)) range.add(bar.value.median);
  return shown.chart.y.log && range.high > most * range.low;
}

}  // namespace

void add_bars(plot::Figure& figure, const Plotted& shown) {
  const bool stacked = shown.chart.kind == engine::Kind::stacked_bars;
  const Bars found = bars_of(shown);
  figure.x = {.log = false, .words = found.words};
  figure.y.log = !stacked && wants_log(shown, found.bars);
  if (!figure.y.log) figure.y.low = 0;
  std::vector<int> crowd(found.words.size());  // of visible bars over each word
  for (const Bar& bar : found.bars)
    if (is_visible(shown, bar)) ++crowd[bar.word];
  const int most = stacked || crowd.empty() ? 1 : std::max(1, *std::ranges::max_element(crowd));
  const double width = most == 1 ? 0.6 : 0.84 / most;
  std::vector<int> taken(crowd.size());      // of the places over each word
  std::vector<double> height(crowd.size());  // of the stack over each word
  std::map<std::size_t, plot::Points> points_of;
  for (const Bar& bar : found.bars) {
    plot::Points& points = points_of[bar.group];
    const double value = bar.value.median, middle = (crowd[bar.word] - 1) / 2.0;
    const bool visible = is_visible(shown, bar);
    const int place = visible ? taken[bar.word]++ : 0;
    points.x.push_back(static_cast<double>(bar.word) + (stacked ? 0 : (place - middle) * width));
    if (stacked) {
      points.from.push_back(height[bar.word]);
      if (visible) height[bar.word] += value;
      points.y.push_back(points.from.back() + value);
    } else {
      add_value(points, bar.value);
    }
    points.flagged.push_back(is_flagged(*shown.groups[bar.group].session, *bar.point));
    points.labels.push_back(brief_text(shown.chart.y, value, is_integer(bar.point->what)));
  }
  const std::vector<int> colours = colours_of(shown);
  for (auto& [number, points] : points_of) {
    const Group& group = shown.groups[number];
    plot::Series& series = figure.series.emplace_back(series_of(shown, group, colours[number]));
    series.hidden = shown.view.hidden.contains(group.id);
    series.bar = width;
    series.line = false;
    series.dash = plot::Dash::solid;
    series.points = std::move(points);
  }
  // One colour needs no key to it.
  if (figure.series.size() == 1) figure.series.front().name.clear();
}

}  // namespace ui
