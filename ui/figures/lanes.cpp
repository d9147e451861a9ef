// Lanes: what ran when, as rectangles with their names. The first lane lies on top.
#include <algorithm>
#include <map>
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

/// In the order in which they are met.
std::map<std::string, std::size_t> numbered(const std::vector<std::string>& words) {
  std::map<std::string, std::size_t> numbers;
  for (const std::string& word : words) numbers.try_emplace(word, numbers.size());
  return numbers;
}

std::vector<std::string> upwards(const std::map<std::string, std::size_t>& lanes) {
  std::vector<std::string> words(lanes.size());
  for (const auto& [lane, number] : lanes) words[lanes.size() - 1 - number] = lane;
  return words;
}

}  // namespace

void add_lanes(plot::Figure& figure, const Plotted& shown) {
  const std::vector<Placed> spans = spans_of(shown);
  std::vector<std::string> lane_words, names;
  for (const Placed& placed : spans) {
    lane_words.push_back(placed.lane);
    names.push_back(placed.span->name);
  }
  const auto lanes = numbered(lane_words), colours = numbered(names);
  figure.x = {.title = "Time", .unit = "s", .low = 0, .high = 1, .log = false};
  figure.y = {.log = false, .words = upwards(lanes)};
  figure.series.resize(colours.size());
  for (const auto& [name, number] : colours) {
    plot::Series& series = figure.series[number];
    series.name = name;
    series.id = std::string(shown.chart.id) + ", " + name;
    series.colour = static_cast<int>(number);
    series.hidden = shown.view.hidden.contains(series.id);
  }
  for (const Placed& placed : spans) {
    const kernels::Span& span = *placed.span;
    const double lane = static_cast<double>(lanes.size() - 1 - lanes.at(placed.lane));
    figure.series[colours.at(span.name)].spans.push_back({span.begin, span.end, lane, span.name});
  }
}

}  // namespace ui
