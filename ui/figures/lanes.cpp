// Lanes: what ran when, as rectangles with their names. The first lane lies on top.
#include <algorithm>
#include <string>
#include <vector>

#include "ui/figures/parts.hpp"

namespace ui {
namespace {

/// A span of a point in a lane that is named by now.
struct Placed {
  std::string lane;
  const kernels::Span* span = nullptr;
};

/// Of the newest runs. Where lines have words, each has lanes of its own.
std::vector<Placed> spans_of(const Plotted& shown) {
  std::vector<Placed> spans;
  for (const Group& group : shown.groups) {
    if (group.earlier) continue;
    for (const engine::Point* point : group.points)
      for (const kernels::Span& span : point->*shown.chart.spans)
        spans.push_back({group.name.empty() ? span.lane : group.name + ": " + span.lane, &span});
  }
  return spans;
}

std::size_t place_in(const std::vector<std::string>& words, const std::string& word) {
  return static_cast<std::size_t>(std::ranges::find(words, word) - words.begin());
}

}  // namespace

void add_lanes(plot::Figure& figure, const Plotted& shown) {
  const std::vector<Placed> spans = spans_of(shown);
  std::vector<std::string> lanes, names;  // in the order in which they are met
  for (const Placed& placed : spans) {
    add_once(lanes, placed.lane);
    add_once(names, placed.span->name);
  }
  figure.x = {.title = "Time", .unit = "s", .low = 0, .high = 1, .log = false};
  figure.y = {.log = false, .words = {lanes.rbegin(), lanes.rend()}};
  for (const std::string& name : names) {
    plot::Series& series = figure.series.emplace_back();
    series.name = name;
    series.id = std::string(shown.chart.id) + ", " + name;
    series.colour = static_cast<int>(figure.series.size() - 1);
    series.hidden = shown.view.hidden.contains(series.id);
  }
  for (const Placed& placed : spans) {
    const kernels::Span& span = *placed.span;
    const auto lane = static_cast<double>(lanes.size() - 1 - place_in(lanes, placed.lane));
    figure.series[place_in(names, span.name)].spans.push_back(
        {span.begin, span.end, lane, span.name});
  }
}

}  // namespace ui
